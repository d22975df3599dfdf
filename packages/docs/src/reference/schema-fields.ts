/** Renders a JSON Schema as table rows: one per field, with the fields of nested objects below. */

import { code, table } from '../markdown-table.ts';

export interface JsonSchema {
  readonly $ref?: string;
  /** For a schema with a section on the page of schemas. */
  readonly name?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

/** Resolves references, with the schema's name in `name`. Open enumerations are shown as their known values. */
export function wholeSchema(schema: JsonSchema, named: NamedSchemas): JsonSchema {
  const whole = (one: JsonSchema) => wholeSchema(one, named);
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!;
    const { $ref: _ref, ...beside } = schema;
    return { ...whole(named[name]!), ...beside, name };
  }
  const either = schema.anyOf?.map(whole);
  const words = either?.find((one) => one.enum !== undefined);
  if (words !== undefined && either!.some(({ type, enum: list }) => type === 'string' && !list)) {
    const { anyOf: _either, ...beside } = schema;
    const none = either!.some(({ type }) => type === 'null') ? [null] : [];
    return { ...words, ...beside, enum: [...words.enum!, ...none] };
  }
  return {
    ...schema,
    ...(either === undefined ? {} : { anyOf: either }),
    ...(schema.oneOf === undefined ? {} : { oneOf: schema.oneOf.map(whole) }),
    ...(schema.items === undefined || Array.isArray(schema.items)
      ? {}
      : { items: whole(schema.items) }),
    ...(schema.properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(schema.properties).map(([name, one]) => [name, whole(one)]),
          ),
        }),
  };
}

/** Longer enumerations are on the page of schemas. */
const WORDS_SHOWN_MAX = 8;
/** The example shows deeper fields. */
const DEPTH_MAX = 2;

/** Field, type and meaning; optional fields are marked. */
function fieldRows(
  schema: JsonSchema,
  depthMax: number,
  before = '',
  depth = 1,
): readonly (readonly string[])[] {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const optional = required.includes(name) ? '' : ' (optional)';
    const row = [code(`${before}${name}`), `${typeWords(field)}${optional}`, meaning(field)];
    const inside = field.items?.properties === undefined ? field : field.items;
    if (depth === depthMax || inside.properties === undefined) return [row];
    // A dot before `ts` would read as a file name.
    const mark = inside === field ? '.' : '[] ';
    return [row, ...fieldRows(inside, depthMax, `${before}${name}${mark}`, depth + 1)];
  });
}

export function fieldTable(schema: JsonSchema, depthMax = DEPTH_MAX): string {
  return table(['field', 'type', 'meaning'], fieldRows(schema, depthMax));
}

export function typeWords(schema: JsonSchema): string {
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  const { enum: words, name } = schema;
  if (name !== undefined && (words === undefined || words.length > WORDS_SHOWN_MAX)) {
    return schemaLink(name);
  }
  if (words !== undefined) return words.map((word) => code(String(word))).join(', ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return [...new Set(either.map(partWords))].join(' or ');
  if (schema.type === 'array') return `list of ${listWords(schema.items ?? {})}`;
  return [schema.type ?? 'any'].flat().join(' or ');
}

export function schemaLink(name: string): string {
  return `[${code(name)}](schemas.md#${name.toLowerCase()})`;
}

/** A tuple's description explains its positions. */
function listWords(items: JsonSchema | readonly JsonSchema[]): string {
  return Array.isArray(items) ? 'values' : typeWords(items as JsonSchema);
}

/** One of several alternatives: an object by its field names. */
function partWords(schema: JsonSchema): string {
  const names = Object.keys(schema.properties ?? {});
  return names.length === 0 || schema.name !== undefined
    ? typeWords(schema)
    : code(`{ ${names.join(', ')} }`);
}

/** Its description, its bounds and its default. */
export function meaning(schema: JsonSchema): string {
  const { description, minimum, maximum, maxLength, maxItems } = schema;
  const bounds =
    minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
      ? `${number(minimum)} to ${number(maximum)}.`
      : null;
  const parts = [
    description ?? null,
    bounds,
    maxLength === undefined ? null : `At most ${number(maxLength)} characters.`,
    maxItems === undefined ? null : `At most ${number(maxItems)}.`,
    schema.default === undefined ? null : `Default: ${code(String(schema.default))}.`,
  ];
  return parts.filter((part) => part !== null).join(' ');
}

export function number(value: number): string {
  return value.toLocaleString('en');
}

export function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
