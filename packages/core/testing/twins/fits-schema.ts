/** The part of JSON Schema that the definitions use. Objects are closed, and every member is checked. */

export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema | false;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
}

const patterns = new Map<string, RegExp>();

/** It checks millions of objects: those that fit cause no allocation. */
export function fits(schema: Schema, value: unknown): boolean {
  if (!isOfTypes(schema.type, value)) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (typeof value === 'string') {
    return schema.pattern === undefined || patternOf(schema.pattern).test(value);
  }
  if (typeof value === 'number') {
    return value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
  }
  if (Array.isArray(value)) return itemsFit(schema, value);
  if (value === null || typeof value === 'boolean') return true;
  return membersFit(schema, value as Readonly<Record<string, unknown>>);
}

function membersFit(schema: Schema, members: Readonly<Record<string, unknown>>): boolean {
  for (const name of schema.required!) if (!Object.hasOwn(members, name)) return false;
  for (const name of Object.keys(members)) {
    const own = schema.properties![name];
    if (own === undefined || !fits(own, members[name])) return false;
  }
  return true;
}

function itemsFit(schema: Schema, items: readonly unknown[]): boolean {
  if (items.length < (schema.minItems ?? 0) || items.length > (schema.maxItems ?? Infinity)) {
    return false;
  }
  for (let at = 0; at < items.length; at += 1) {
    const own = schema.prefixItems?.[at] ?? schema.items;
    if (own === undefined || own === false || !fits(own, items[at])) return false;
  }
  return true;
}

function patternOf(text: string): RegExp {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  const made = new RegExp(text);
  patterns.set(text, made);
  return made;
}

function isOfTypes(types: Schema['type'], value: unknown): boolean {
  if (types === undefined) return false;
  if (typeof types === 'string') return isOfType(types, value);
  for (const type of types) if (isOfType(type, value)) return true;
  return false;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  return typeof value === type && value !== null;
}
