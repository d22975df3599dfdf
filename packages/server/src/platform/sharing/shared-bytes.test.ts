import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import { type HeldBytes, SharedBytes } from './shared-bytes.ts';

test('who has his share waits until bytes have left; who has none still finds some [SEC-37]', async () => {
  const budget = new SharedBytes({ eachMax: 10, allMax: 30, keptForNew: 10 });
  const [a, b] = [await budget.take('a', 4), await budget.take('b', 4)];
  // The size was larger than expected.
  a.resize(12);
  b.resize(8);
  assert.equal(budget.takeNow('a', 1), null);
  let got: HeldBytes | null = null;
  const waits = budget.take('a', 1).then((held) => {
    got = held;
  });
  const newcomer = await budget.take('c', 5);
  assert.equal(budget.takeNow('b', 1), null, 'the last ten are for who has none');
  await settle();
  assert.equal(got, null);
  a.resize(9);
  newcomer[Symbol.dispose]();
  await waits;
  assert.equal(budget.bytes, 9 + 1 + 8);
  for (const held of [a, b, newcomer, got!]) held[Symbol.dispose]();
  assert.deepEqual([budget.bytes, budget.waitingCount], [0, 0]);
});

test('of those that wait the one with the fewest bytes is next, and who gives up is forgotten', async () => {
  const budget = new SharedBytes({ eachMax: 100, allMax: 10 });
  const all = await budget.take('a', 10);
  const order: string[] = [];
  const leaving = new AbortController();
  const gone = budget.take('d', 10, leaving.signal);
  const asked = ['a', 'b', 'c'].map(async (holder) => {
    const held = await budget.take(holder, 10);
    order.push(holder);
    held[Symbol.dispose]();
  });
  leaving.abort(new Error('gone'));
  await assert.rejects(gone, /gone/);
  all.resize(9);
  await Promise.all(asked);
  assert.deepEqual(order, ['b', 'c', 'a']);
  all[Symbol.dispose]();
  assert.equal(budget.bytes, 0);
});
