import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PagesAhead } from './pages-ahead.ts';

test('few pages are made ahead, the others when one is written or given up', () => {
  const pages = new PagesAhead();
  const holders = Array.from({ length: 7 }, () => ({}));
  const made: number[] = [];
  for (const [index, holder] of holders.entries()) pages.take(holder, () => made.push(index));
  assert.deepEqual(made, [0, 1, 2, 3]);
  pages.free(holders[5]!);
  assert.deepEqual(made, [0, 1, 2, 3]);
  pages.free(holders[1]!);
  pages.free(holders[0]!);
  assert.deepEqual(made, [0, 1, 2, 3, 4, 6]);
  for (const holder of holders) pages.free(holder);
  pages.take(holders[0]!, () => made.push(0));
  assert.equal(made.at(-1), 0);
});
