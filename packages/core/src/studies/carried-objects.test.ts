import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Rank } from '../numbers.ts';
import { allocateBatch } from '../trade-batch.ts';
import { utcDay } from '../utc-day.ts';
import { CarriedObjects } from './carried-objects.ts';

const DAY = utcDay(20260105);

function trades(...prices: readonly number[]) {
  const batch = allocateBatch(DAY, 1 as Rank, prices.length);
  batch.price.set(prices);
  batch.count = prices.length;
  return batch;
}

/** Carried objects in an open session, and the log of their updates. */
function carrying(lookBackSessions: number, countMax?: number) {
  const log: string[] = [];
  const output = {
    upsert: ({ id }: { id: string }, rank: number, k: number) => log.push(`+${id} ${rank}.${k}`),
    remove: (id: string, final: boolean, ts: string, rank: number, k: number) => {
      assert.ok(final);
      assert.match(ts, /^\d+$/);
      log.push(`-${id} ${rank}.${k}`);
    },
  };
  const carried = new CarriedObjects(lookBackSessions, countMax);
  carried.openSession(output);
  const add = (id: string, side: 1 | -1, price: number, rank = 1) =>
    carried.add({ id, final: true, ts: '5', data: {} }, { side, price }, rank, '7');
  const taken = () => log.splice(0);
  return { carried, output, add, taken };
}

describe('CarriedObjects', () => {
  it('go when their price trades: higher before lower, nearest first, then oldest [DET-09]', () => {
    const { carried, add, taken } = carrying(1);
    add('a', 1, 10);
    add('b', 1, 12);
    add('c', 1, 10);
    add('d', -1, 11);
    add('e', -1, 4);
    taken();
    carried.enter();
    carried.trade(trades(9, 5), 0, 1);
    assert.deepEqual(taken(), ['-d 1.1']);
    carried.trade(trades(9, 12), 1, 2);
    assert.deepEqual(taken(), ['-a 2.1', '-c 2.2', '-b 2.3']);
    assert.equal(carried.updatesOf(2), 3);
    assert.equal(carried.updatesOf(3), 0);
    carried.trade(trades(4), 0, 1);
    assert.deepEqual(taken(), ['-e 1.1']);
  });

  it('go at the close of the last session of their look-back, oldest first [DET-24]', () => {
    const { carried, output, add, taken } = carrying(2);
    add('a', 1, 10);
    add('b', -1, 0);
    carried.expire(1, '9', true);
    carried.openSession(output);
    add('c', 1, 9);
    carried.expire(1, '9', true);
    taken();
    carried.openSession(output);
    carried.resume({ day: DAY, rank: 7 as Rank, k: 3 });
    carried.expire(7, '9', true);
    assert.deepEqual(taken(), ['-a 7.4', '-b 7.5']);
    carried.openSession(output);
    carried.expire(8, '9', true);
    assert.deepEqual(taken(), ['-c 8.1']);
  });

  it('all go at the close of a session that is not whole, oldest first [DET-16]', () => {
    const { carried, output, add, taken } = carrying(3);
    add('a', 1, 10);
    carried.expire(1, '9', true);
    carried.openSession(output);
    add('b', -1, 0);
    taken();
    carried.resume({ day: DAY, rank: 7 as Rank, k: 3 });
    carried.expire(7, '9', false);
    assert.deepEqual(taken(), ['-a 7.4', '-b 7.5']);
    carried.trade(trades(12, -1), 0, 2);
    assert.deepEqual(taken(), []);
  });

  it('are never more than the limit: the oldest makes room by an update before the birth', () => {
    const { add, taken } = carrying(1, 2);
    add('a', 1, 10);
    add('b', -1, 0);
    add('c', 1, 10);
    assert.deepEqual(taken(), ['+a 1.1', '+b 1.2', '-a 1.3', '+c 1.4']);
  });

  it('of the last sessions are the same whatever was carried before, at the limit too [DET-18]', () => {
    const step = fc.record({
      side: fc.constantFrom(1 as const, -1 as const),
      price: fc.integer({ min: 0, max: 9 }),
      does: fc.constantFrom('add', 'add', 'add', 'trade', 'close'),
    });
    const property = fc.property(
      fc.array(step, { maxLength: 60, size: 'max' }),
      fc.nat(),
      fc.constantFrom(1, 2),
      (steps, choice, lookBack) => {
        const play = (from: number) => {
          const { carried, output, add, taken } = carrying(lookBack, 3);
          const logs = steps.map(({ side, price, does }, index) => {
            if (index < from) return [];
            carried.enter();
            if (does === 'add') add(String(index), side, price);
            else if (does === 'trade') carried.trade(trades(price), 0, 1);
            else {
              carried.expire(1, '9', true);
              carried.openSession(output);
            }
            return taken().map((line) => line.split(' ')[0]);
          });
          return logs;
        };
        const closes = steps.flatMap(({ does }, index) => (does === 'close' ? [index + 1] : []));
        const at = choice % (closes.length + 1);
        const from = closes[at] ?? 0;
        const sameFrom = closes[at + lookBack];
        if (sameFrom === undefined) return;
        assert.deepEqual(play(from).slice(sameFrom), play(0).slice(sameFrom));
      },
    );
    fc.assert(property, { numRuns: 500 });
  });
});
