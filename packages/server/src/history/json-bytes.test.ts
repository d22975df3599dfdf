import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonBytes } from './json-bytes.ts';

function written(value: unknown, capacity = 1): string {
  using json = new JsonBytes(capacity);
  json.value(value);
  const { length } = json;
  const bytes = json.take();
  assert.equal(bytes.length, length);
  assert.equal(json.length, 0);
  return Buffer.from(bytes).toString();
}

test('writes every value as JSON.stringify does', () => {
  const property = fc.property(
    fc.jsonValue({ depthSize: 'large', maxDepth: 5, noUnicodeString: false }),
    fc.integer({ min: 1, max: 200 }),
    (value, capacity) => assert.equal(written(value, capacity), JSON.stringify(value)),
  );
  fc.assert(property, { numRuns: 1_000 });
});

test('writes every number and text as JSON.stringify does', () => {
  const numbers = fc.oneof(fc.integer(), fc.double(), fc.maxSafeInteger(), fc.nat({ max: 2_000 }));
  const texts = fc.string({ unit: 'binary', maxLength: 200, size: 'max' });
  const property = fc.property(fc.array(numbers), texts, (list, text) => {
    assert.equal(written(list), JSON.stringify(list));
    assert.equal(written(text), JSON.stringify(text));
    assert.equal(written({ [text]: 1 }), JSON.stringify({ [text]: 1 }));
  });
  fc.assert(property, { numRuns: 1_000 });
  const edges = [0, -0, -1, 9, 10, 99, 100, -(2 ** 31), 2 ** 31 - 1, 2 ** 31, 1e9, 1e21, 0.1];
  for (const edge of [...edges, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.equal(written(edge), JSON.stringify(edge));
    assert.equal(written([-edge]), JSON.stringify([-edge]));
  }
  for (const text of ['\u007f', '\u0080', '"', '\\', '\n', '\u{d800}', '€', 'x'.repeat(65)]) {
    assert.equal(written(text), JSON.stringify(text));
  }
});

test('members that are undefined are left out; what JSON does not have is refused', () => {
  assert.equal(written({ a: undefined, b: 1, c: undefined }), '{"b":1}');
  for (const value of [undefined, 1n, () => 1]) assert.throws(() => written(value), TypeError);
});
