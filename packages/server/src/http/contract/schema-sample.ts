/**
 * A value that fits one of our schemas, always the same one: the contract's example for operations without a
 * hand-written one. It has every field; an example in the schema is used as it is.
 */

type Schema = Readonly<Record<string, unknown>>;

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-11-16',
  'date-time': '2026-11-16T14:30:00Z',
  email: 'you@example.com',
  uri: 'https://portal.example/',
  'json-pointer': '/field',
};
/** Values for the patterns in our schemas. */
const PATTERNED: readonly string[] = [
  '1794412800000000000',
  '2026-11',
  'DE',
  'EUR',
  '20261109.48211.2',
  'key_dcd7af3cd7d237abafdd',
  'a1b2c3d4',
];

export function schemaSample(schema: Schema): unknown {
  if ('const' in schema) return schema.const;
  for (const many of ['examples', 'enum'] as const) {
    const first = (schema[many] as readonly unknown[] | undefined)?.[0];
    if (first !== undefined) return first;
  }
  if ('default' in schema) return schema.default;
  const either = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;
  if (either !== undefined) return schemaSample(either[0]!);
  switch (schema.type) {
    case 'object':
      return objectSample(schema);
    case 'array':
      return [schemaSample(schema.items as Schema)];
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema.minimum ?? 1));
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string':
      return textSample(schema);
    default:
      return {};
  }
}

function objectSample({ properties = {} }: { readonly properties?: unknown }): object {
  const fields = Object.entries(properties as Readonly<Record<string, Schema>>);
  return Object.fromEntries(fields.map(([name, field]) => [name, schemaSample(field)]));
}

function textSample({ format, pattern, minLength = 0 }: Schema): string {
  if (typeof format === 'string') return FORMATS[format] ?? 'text';
  if (typeof pattern !== 'string') return 'text'.padEnd(Number(minLength), 't');
  const fitting = PATTERNED.find((text) => new RegExp(pattern, 'u').test(text));
  if (fitting === undefined) throw new TypeError(`no sample fits ${pattern}: give it an example`);
  return fitting;
}
