import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type as TypeBox } from 'typebox';
import { Type } from './schema.ts';

/** Each maker with and without options, and within each other. */
function samples(type: typeof Type) {
  const options = { description: 'What it is.' };
  const part = type.Object(
    { name: type.String({ minLength: 1 }), note: type.Optional(type.Null()) },
    { additionalProperties: false },
  );
  return [
    ...[type.String(), type.Integer(), type.Number(), type.Boolean(), type.Null(), type.Unknown()],
    ...[type.String(options), type.Integer({ ...options, minimum: 1 }), type.Unknown(options)],
    ...[type.Literal('month'), type.Literal(true, options), type.Literal(3)],
    ...[type.Enum(['a', 'b']), type.Enum(['a'], options), type.Array(part, options)],
    type.Union([type.String(), type.Null()], options),
    type.Record(type.String(), type.Unknown(), options),
    type.Unsafe<string>({ type: 'string' }),
    type.Object({}),
    type.Object({ ...part.properties, all: type.Optional(type.Array(part)) }, options),
    type.Optional(type.Integer(options)),
  ];
}

test('schemas are the same JSON as those of TypeBox, whose types they have', () => {
  assert.equal(JSON.stringify(samples(Type)), JSON.stringify(samples(TypeBox as typeof Type)));
});
