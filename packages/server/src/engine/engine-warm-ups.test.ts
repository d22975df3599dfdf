/** Topics that warm up beside others: their order, where they join, and the results of their look-back. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { epochNs } from '@tapeloom/core/utc-day';
import { CONTRACT, DAY, EngineRun, HOUR_NS, settle } from '../../testing/stream/engine-run.ts';
import { MemoryTape, type MemoryTrade } from '../../testing/tape/memory-tape.ts';

const MS_NS = 1_000_000;

const CAUGHT_UP = { lagMs: 0, partialSince: null } as const;

test('auto thresholds come from the newest earlier complete session; without one the topic stays unwarm', async () => {
  const trades = (hour: number, sizes: readonly number[]): MemoryTrade[] =>
    sizes.map((size, index) => ({
      at: epochNs(DAY, hour * HOUR_NS + index * 1_000 * MS_NS),
      price: 100,
      size,
      side: 1,
    }));
  const topic = ['large-trades', { minSize: 0, perSession: 2 }] as const;
  const tape = new MemoryTape(CONTRACT, 100);
  tape.commit(trades(10, [5, 9, 7]), epochNs(DAY, 11 * HOUR_NS));
  const early = new EngineRun(tape);
  early.open(topic);
  await settle();
  const [ready] = early.messages.filter((it) => it.t === 'ready');
  const position = `${DAY}.3.0`;
  assert.deepEqual(ready, { t: 'ready', topic: 1, position, warm: false, ...CAUGHT_UP });
  assert.deepEqual(early.snapshot().items, []);

  tape.commit(trades(22, [6, 8]), epochNs(DAY, 23 * HOUR_NS));
  await settle();
  early.pulse();
  assert.deepEqual(
    early.messages.findLast((it) => it.t === 'ready'),
    { t: 'ready', topic: 1, position: `${DAY}.5.2`, warm: true, ...CAUGHT_UP },
  );
  const late = new EngineRun(tape);
  late.open(topic);
  await settle();
  const { items } = late.snapshot();
  assert.deepEqual(items, early.snapshot().items);
  assert.deepEqual(
    items.map(({ data }) => data as { size: number; threshold: number }).map((it) => it.threshold),
    [7],
  );
});

test('objects that outlive their session are carried, by a topic opened later too, and removed [DET-18] [DET-24]', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const at = (hour: number, seconds = 0) => epochNs(DAY, hour * HOUR_NS + seconds * 1_000 * MS_NS);
  const trade = (hour: number, seconds: number, price: number, side: -1 | 1): MemoryTrade => {
    return { at: at(hour, seconds), price, size: 1, side };
  };
  const topic = ['unfinished-auctions', { bar: 'tick', size: 4 }] as const;
  const ids = (run: EngineRun) => run.snapshot().items.map((item) => item.id);
  tape.commit([], at(9));
  const long = new EngineRun(tape);
  long.open(topic);
  await settle();
  tape.commit([trade(10, 1, 100, -1), trade(10, 2, 100, 1)], at(11));
  tape.commit([trade(11, 1, 104, -1), trade(11, 2, 104, 1)], at(23));
  await settle();
  const [high, low] = [`${DAY}.1.1`, `${DAY}.1.2`];
  assert.deepEqual(ids(long), [high, low]);
  const late = new EngineRun(tape);
  late.open(topic);
  await settle();
  assert.deepEqual(late.snapshot(), long.snapshot());

  tape.commit([trade(23, 1, 99, -1)], at(24));
  await settle();
  assert.deepEqual([ids(long), ids(late)], [[high], [high]]);
  assert.deepEqual(late.published(), long.published().slice(-1));
  const later = new EngineRun(tape);
  later.open(topic);
  await settle();
  assert.deepEqual(later.snapshot(), long.snapshot());

  // The close of the second session ends the objects of the first one; the trades since are not enough for others.
  tape.commit([], at(30));
  await settle();
  assert.deepEqual([ids(long), ids(late), ids(later)], [[], [], []]);
  const [removed] = later.published();
  assert.deepEqual(long.published().at(-1), removed);
  assert.ok(removed?.t === 'remove' && removed.id === high && removed.ts === String(at(26)));
});

test('on a contract without trades a topic that looks back joins one that does not', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  tape.commit([], epochNs(DAY, 35 * HOUR_NS));
  // Turns of the event loop, so that a warm-up which never ends fails here instead of hanging.
  const run = new EngineRun(tape, { yieldTurn: () => turn() });
  run.open(['bars', {}], 1);
  await settle();
  run.open(['unfinished-auctions', {}], 2);
  await settle();
  const ready = run.messages.filter((it) => it.t === 'ready').map(({ topic }) => topic);
  assert.deepEqual(ready, [1, 2]);
  assert.equal(run.snapshot(2).cursor, run.snapshot(1).cursor);
});

test('a long warm-up lets other topics flow and joins them without a gap', async () => {
  const tape = new MemoryTape(CONTRACT, 1);
  const at = (seconds: number) => epochNs(DAY, 10 * HOUR_NS + seconds * 1_000 * MS_NS);
  const trade = (seconds: number): MemoryTrade => {
    return { at: at(seconds), price: 100 + (seconds % 5), size: 1, side: 1 };
  };
  tape.commit([], at(0));
  const run = new EngineRun(tape, { yieldTurn: () => turn() });
  run.open(['bars', { size: 30 }], 1);
  await settle();
  for (let seconds = 1; seconds <= 200; seconds += 1) tape.commit([trade(seconds)], at(seconds));
  await settle();
  run.open(['bars', { size: 30 }], 2);
  for (let seconds = 201; seconds <= 260; seconds += 1) {
    const before = run.flushes(1).length;
    tape.commit([trade(seconds)], at(seconds + 0.5));
    await turn();
    await turn();
    assert.ok(run.flushes(1).length > before, 'the first topic flows on');
  }
  while (!run.messages.some((it) => it.t === 'ready' && it.topic === 2)) await turn();
  tape.commit([trade(261)], at(262));
  await settle();
  assert.deepEqual(run.snapshot(2), run.snapshot(1));
});

test('a newcomer’s topic is ready next, whatever another account has opened before it [SEC-37]', async () => {
  const tape = new MemoryTape(CONTRACT, 10);
  const trades = Array.from({ length: 200 }, (_, index): MemoryTrade => {
    return { at: epochNs(DAY, 10 * HOUR_NS + index * MS_NS), price: 100, size: 1, side: 1 };
  });
  tape.commit(trades, epochNs(DAY, 11 * HOUR_NS));
  let ms = 0;
  const meter = { nowMs: () => (ms += 20), busyShare: () => 1 };
  const run = new EngineRun(tape, { meter, yieldTurn: () => turn() });
  const readyTopics = () => run.messages.filter((it) => it.t === 'ready').map(({ topic }) => topic);
  for (let topic = 1; topic <= 20; topic += 1) {
    run.open(['bars', { size: 60 + topic }], topic, 0, null, 'heavy');
  }
  while (readyTopics().length < 3) await turn();
  const before = readyTopics();
  run.open(['bars', {}], 99, 0, null, 'light');
  while (readyTopics().length < 21) await turn();
  assert.equal(readyTopics()[before.length], 99);
  run.engine[Symbol.dispose]();
});

test('a warm-up that nobody waits for any more is given up', async () => {
  const tape = new MemoryTape(CONTRACT, 10);
  const at = (ms: number) => epochNs(DAY, 10 * HOUR_NS + ms * MS_NS);
  const trades = Array.from({ length: 500 }, (_, ms): MemoryTrade => {
    return { at: at(ms), price: 100, size: 1, side: 1 };
  });
  tape.commit(trades, at(1_000));
  let turns = 0;
  const yieldTurn = () => {
    turns += 1;
    return turn();
  };
  const run = new EngineRun(tape, { yieldTurn });
  run.open(['bars', {}]);
  while (turns < 3) await turn();
  run.engine.execute({ t: 'close', topic: 1 });
  for (let count = 0; count < 10; count += 1) await turn();
  assert.ok(turns < 10, `${turns} turns`);
  assert.deepEqual([run.messages, run.faults], [[], []]);
});
