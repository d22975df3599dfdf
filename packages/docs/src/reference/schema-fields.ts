/** A JSON Schema in the words of a table: its fields, one row each, those of objects inside below them. */

import { code, table } from '../markdown-table.ts';

export interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly 'x-extensible-enum'?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
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

/** Deeper fields are seen in the example. */
const DEPTH_MAX = 2;

/** Field, type, and what it means; those that may be left out are marked. */
function fieldRows(schema: JsonSchema, before = '', depth = 1): readonly (readonly string[])[] {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const optional = required.includes(name) ? '' : ' (optional)';
    const row = [code(`${before}${name}`), `${typeWords(field)}${optional}`, meaning(field)];
    const inside = field.items?.properties === undefined ? field : field.items;
    if (depth === DEPTH_MAX || inside.properties === undefined) return [row];
    // A dot before `ts` would read as the name of a file.
    const mark = inside === field ? '.' : '[] ';
    return [row, ...fieldRows(inside, `${before}${name}${mark}`, depth + 1)];
  });
}

export function fieldTable(schema: JsonSchema): string {
  return table(['field', 'type', 'meaning'], fieldRows(schema));
}

export function typeWords(schema: JsonSchema): string {
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  const words = schema.enum ?? schema['x-extensible-enum'];
  if (words !== undefined) return words.map((word) => code(String(word))).join(', ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return [...new Set(either.map(partWords))].join(' or ');
  if (schema.type === 'array') return `list of ${typeWords(schema.items ?? {})}`;
  return schema.type ?? 'any';
}

/** One of several: an object by the names of its fields. */
function partWords(schema: JsonSchema): string {
  const names = Object.keys(schema.properties ?? {});
  return names.length === 0 ? typeWords(schema) : code(`{ ${names.join(', ')} }`);
}

/** What it says of itself, its bounds and what stands for it when it is left out. */
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
