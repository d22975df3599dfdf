/** As much of JSON Schema as the definitions use; objects are closed, and every member is looked at. */

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

export function fits(schema: Schema, value: unknown): boolean {
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (!types.some((type) => isOfType(type, value))) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (typeof value === 'string') {
    return schema.pattern === undefined || new RegExp(schema.pattern).test(value);
  }
  if (typeof value === 'number') {
    return value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
  }
  if (Array.isArray(value)) return itemsFit(schema, value);
  if (value === null || typeof value === 'boolean') return true;
  const members = Object.entries(value as object);
  const isComplete = schema.required!.every((name) => Object.hasOwn(value as object, name));
  return (
    isComplete && members.every(([name, member]) => fits(schema.properties![name] ?? {}, member))
  );
}

function itemsFit(schema: Schema, items: readonly unknown[]): boolean {
  if (items.length < (schema.minItems ?? 0) || items.length > (schema.maxItems ?? Infinity)) {
    return false;
  }
  return items.every((item, at) => {
    const own = schema.prefixItems?.[at] ?? schema.items;
    return own !== undefined && own !== false && fits(own, item);
  });
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  return typeof value === type && value !== null;
}
