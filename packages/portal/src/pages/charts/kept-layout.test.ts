import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragmentOf, keptFragment } from './kept-layout.ts';

test('a shared layout waits for its reader as long as a sign-in link works', () => {
  const kept = keptFragment('#layout=abc-_1', 1_000);
  assert.equal(fragmentOf(kept, 1_000), '#layout=abc-_1');
  assert.equal(fragmentOf(kept, 1_000 + 15 * 60_000), '#layout=abc-_1');
  assert.equal(fragmentOf(kept, 1_001 + 15 * 60_000), '');
  assert.equal(fragmentOf(kept, 999), '');
});

test('what stands in the storage is not trusted', () => {
  for (const text of [null, '', 'x', '1000', '1000 <img src=x>', '1000 #a b', 'NaN #layout=a']) {
    assert.equal(fragmentOf(text, 1_000), '', String(text));
  }
});
