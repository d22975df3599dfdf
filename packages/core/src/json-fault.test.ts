import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonBreak, jsonFault } from './json-fault.ts';

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test('the place is where a reader would point, and nothing of the text is said', () => {
  for (const [text, fault] of [
    ['{"name":"x",}', 'it breaks at line 1, column 13'],
    ['{"a":1 "b":2}', 'it breaks at line 1, column 8'],
    ['{\n  "a": 1,\n  b: 2\n}', 'it breaks at line 3, column 3'],
    ["{'a':1}", 'it breaks at line 1, column 2'],
    ['{"ä😀": nope}', 'it breaks at line 1, column 8'],
    ['[1, 2', 'it ends too early, at line 1, column 6'],
    ['{"a":"never closed', 'it ends too early, at line 1, column 19'],
    ['{}{}', 'it breaks at line 1, column 3'],
    ['"a\nb"', 'it breaks at line 1, column 3'],
    ['"\\x"', 'it breaks at line 1, column 2'],
    ['[01]', 'it breaks at line 1, column 3'],
    ['[TRUE]', 'it breaks at line 1, column 2'],
    ['\ufeff{}', 'it breaks at line 1, column 1'],
    ['', 'it ends too early, at line 1, column 1'],
  ] as const) {
    assert.equal(isJson(text), false, text);
    assert.equal(jsonFault(text), fault, text);
  }
});

test('JSON is read to its end, and a damaged text never beyond where it is damaged', () => {
  const characters = fc.constantFrom(...'{}[]",:\\0123456789.eE+-truefalsn \n\t\u0001'.split(''));
  const damaged = fc.tuple(
    fc.json(),
    fc.nat(40),
    fc.nat(2),
    fc.string({ unit: characters, maxLength: 2 }),
  );
  fc.assert(
    fc.property(damaged, ([text, at, cut, added]) => {
      assert.equal(jsonBreak(text), text.length, text);
      const broken = text.slice(0, at) + added + text.slice(at + cut);
      if (isJson(broken)) return;
      // A cut number or word is reported at its beginning; none is longer than this.
      assert.ok(jsonBreak(broken) >= Math.min(at, text.length) - 25, broken);
    }),
    { numRuns: 3000 },
  );
});

test('a text that stops in the middle of a list, an object or a string ends too early', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      for (const start of ['[', '{"a":', '[[', '[1,', '{"a":1,"b":']) {
        const open = `${start}${text}`;
        assert.equal(jsonBreak(open), open.length, open);
      }
    }),
  );
});

test('any depth is walked without a stack', () => {
  assert.equal(jsonBreak('['.repeat(100_000)), 100_000);
  assert.equal(jsonBreak('{"a":'.repeat(20_000)), 100_000);
});
