import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareCursors } from './cursors.ts';

test('cursors compare number by number, beyond what a double holds', () => {
  const ascending = [
    'no cursor',
    '20261112.0.0',
    '20261112.9.1',
    '20261112.10.0',
    '20261112.10.2',
    '20261112.10.10',
    '20261112.9007199254740992.1',
    '20261112.9007199254740993.0',
    '20261113.0.0',
  ];
  for (const [left, a] of ascending.entries()) {
    for (const [right, b] of ascending.entries()) {
      assert.equal(Math.sign(compareCursors(a, b)), Math.sign(left - right), `${a} ${b}`);
    }
  }
});
