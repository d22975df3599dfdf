import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIST_DEFINITION } from '../../testing/list-definition.ts';
import {
  type AllowedValues,
  allowedInSentence,
  allowedInShort,
  valueText,
} from './parameter-words.ts';

test('what a parameter takes is put into words, for a sentence and for a table', () => {
  const integer = { type: 'integer', minimum: 1, maximum: 86_400 } as const;
  const cases: readonly (readonly [AllowedValues, string, string])[] = [
    [{ type: 'boolean' }, 'true or false', 'true, false'],
    [{ type: 'string', values: ['time', 'tick'] }, 'one of "time", "tick"', 'time, tick'],
    [integer, 'a whole number from 1 to 86400', '1 to 86,400'],
    [
      { ...integer, unit: 'seconds', values: ['session'] },
      '"session" or a whole number from 1 to 86400 (seconds)',
      'session, or 1 to 86,400 seconds',
    ],
    [
      { type: 'number', minimum: 1, maximum: 1_000, multipleOf: 0.01 },
      'a number from 1 to 1000, a multiple of 0.01',
      '1 to 1,000 in steps of 0.01',
    ],
    [{ type: 'integer', minimum: 5 }, 'a whole number of 5 or more', '5 or more'],
    [{ type: 'number', maximum: 5 }, 'a number of 5 or less', '5 or less'],
    [{ type: 'number' }, 'a number', 'any number'],
  ];
  for (const [allowed, sentence, short] of cases) {
    assert.equal(allowedInSentence(allowed), sentence);
    assert.equal(allowedInShort(allowed), short);
  }
  const marked = allowedInShort({ ...integer, values: ['session'] }, (word) => `<${word}>`);
  assert.equal(marked, '<session>, or 1 to 86,400');
  assert.equal(
    allowedInShort({ type: 'boolean' }, (word) => `<${word}>`),
    '<true>, <false>',
  );
});

test('of a list, how many numbers it has comes before what each may be', () => {
  const [, shares, offsets] = LIST_DEFINITION.parameters;
  assert.equal(
    allowedInSentence(shares!),
    'a list of 1 to 4 different whole numbers from 1 to 100 (percent)',
  );
  assert.equal(allowedInShort(shares!), '1 to 4 different whole numbers, each 1 to 100 percent');
  assert.equal(allowedInShort(offsets!), 'up to 3 different whole numbers, each -5 to 5');
  const two = { type: 'integers', minimum: 0, maximum: 9, minItems: 2, maxItems: 2 } as const;
  assert.equal(allowedInSentence(two), 'a list of 2 different whole numbers from 0 to 9');
});

test('a value stands in a text as people write it', () => {
  assert.deepEqual([60, 2.5, 'session', true, [50, 70], [5], []].map(valueText), [
    '60',
    '2.5',
    'session',
    'true',
    '50, 70',
    '5',
    'none',
  ]);
});
