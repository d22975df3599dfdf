import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { MemoryTape, type MemoryTrade } from '../../testing/tape/memory-tape.ts';
import { TapeWalk } from './tape-walk.ts';

const CONTRACT = 'ESZ6';
const DAY = utcDay(20261112);
const START = { day: DAY, rank: 0 as Rank };

function at(ns: number) {
  return epochNs(DAY, ns);
}

function trade(ns: number): MemoryTrade {
  return { at: at(ns), price: 100, size: 1, side: 1 };
}

test('every trade is taken once, in order, in whatever portions, also those that come later', async () => {
  const tape = new MemoryTape(CONTRACT, 3);
  tape.commit([1, 2, 3, 4, 5].map(trade), at(6));
  await using walk = new TapeWalk(tape, CONTRACT, START);
  const taken: string[] = [];
  const takeAll = async (portion: number) => {
    for (let next = await walk.look(); next !== null; next = await walk.look()) {
      const { day, firstRank, count, ts } = walk.take(Math.min(portion, next.count));
      for (let row = 0; row < count; row += 1) taken.push(`${day}.${firstRank + row} ${ts[row]}`);
    }
  };
  await takeAll(2);
  assert.equal(walk.readTo, at(6));
  tape.commit([trade(7)], at(8));
  tape.commit([{ ...trade(0), at: epochNs(addDays(DAY, 1), 9) }], epochNs(addDays(DAY, 1), 10));
  await takeAll(1);
  const today = [1, 2, 3, 4, 5].map((rank) => `20261112.${rank} ${rank}`);
  assert.deepEqual(taken, [...today, '20261112.6 7', '20261113.1 9']);
});

test('what a read was promised is what it was promised when it began', async () => {
  const tape = new MemoryTape(CONTRACT, 3);
  tape.commit([trade(1)], at(6));
  const { read } = tape;
  // A commit arrives between the end of the read and the caller's wait for it.
  tape.read = async function* (...args) {
    yield* read.apply(tape, args);
    tape.commit([trade(7)], at(8));
  };
  await using walk = new TapeWalk(tape, CONTRACT, START);
  await walk.look();
  walk.take(1);
  assert.equal(await walk.look(), null);
  assert.equal(walk.readTo, at(6));
});

test('disposal closes the read that is open', async () => {
  const tape = new MemoryTape(CONTRACT, 1);
  tape.commit([trade(1), trade(2)], at(6));
  let isClosed = false;
  const { read } = tape;
  tape.read = async function* (...args) {
    try {
      yield* read.apply(tape, args);
    } finally {
      isClosed = true;
    }
  };
  const walk = new TapeWalk(tape, CONTRACT, START);
  await walk.look();
  await walk[Symbol.asyncDispose]();
  assert.ok(isClosed);
});
