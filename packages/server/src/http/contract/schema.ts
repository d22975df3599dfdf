/**
 * JSON Schema with TypeBox's types, made without TypeBox: loading its 370 modules would slow down every start, and
 * routes need only these makers. The result is plain JSON Schema; `schema.test.ts` compares it with TypeBox's own.
 */

import type * as TypeBox from 'typebox';

const OPTIONAL = Symbol('optional');

type Schema = Readonly<Record<string | symbol, unknown>>;

const plain = (type: string) => (options?: Schema) => ({ type, ...options });

const makers = {
  String: plain('string'),
  Integer: plain('integer'),
  Number: plain('number'),
  Boolean: plain('boolean'),
  Null: plain('null'),
  Unknown: (options?: Schema) => ({ ...options }),
  Unsafe: (schema: Schema) => schema,
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Enum: (values: readonly unknown[], options?: Schema) => ({ enum: [...values], ...options }),
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf: [...anyOf], ...options }),
  Record: (_names: Schema, values: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...options,
  }),
  /** A symbol: JSON does not show it, and copies keep it. */
  Optional: (schema: Schema) => ({ ...schema, [OPTIONAL]: true }),
  Object: (properties: Readonly<Record<string, Schema>>, options?: Schema) => {
    const required = Object.keys(properties).filter((name) => !(OPTIONAL in properties[name]!));
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
  },
};

export const Type = makers as unknown as Pick<typeof TypeBox.Type, keyof typeof makers>;

/** An object with these properties and no others. */
export function closedObject<Properties extends TypeBox.TProperties>(
  properties: Properties,
  options?: TypeBox.TObjectOptions,
): TypeBox.TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** The same, with this name in the published documents. */
export function namedObject<Properties extends TypeBox.TProperties>(
  title: string,
  properties: Properties,
  options?: TypeBox.TObjectOptions,
): TypeBox.TObject<Properties> {
  return closedObject(properties, { title, ...options });
}
