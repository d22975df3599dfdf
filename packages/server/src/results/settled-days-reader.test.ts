import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { daysOf, pagesOf } from '../../testing/history/settled-world.ts';
import {
  readerOver,
  requestOf,
  resultsOf,
  type Topic,
} from '../../testing/results/settled-reading.ts';
import { BY_ID, CONTRACT, DAY, HOUR_NS } from '../../testing/stream/engine-run.ts';
import { MemoryTape, type MemoryTrade } from '../../testing/tape/memory-tape.ts';
import { DayLogs } from './day-logs.ts';

const BARS: Topic = ['bars', {}];

test('what is kept of a range can be had before anything is computed, and the rest follows', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const at = (hours: number) => epochNs(DAY, hours * HOUR_NS);
  tape.commit([{ at: at(11), price: 1, size: 1, side: 1 }], at(23));
  tape.commit([{ at: at(35), price: 1, size: 1, side: 1 }], at(47));
  const reader = readerOver(tape, null, BY_ID, new DayLogs());
  await using cold = await reader.read(requestOf(BARS, at(47)));
  assert.equal(await cold.kept!(), null);
  const all = daysOf(await pagesOf(cold));
  await using warm = await reader.read(requestOf(BARS, at(47)));
  const kept = await warm.kept!();
  assert.deepEqual(daysOf([kept!, ...(await pagesOf(warm))]), all);
  const other = readerOver(tape, null, BY_ID, new DayLogs());
  await using before = await other.read(requestOf(BARS, at(24)));
  await pagesOf(before);
  await using partly = await other.read(requestOf(BARS, at(47)));
  const first = await partly.kept!();
  assert.deepEqual(
    first!.parts.map(({ day }) => day),
    [DAY],
  );
  assert.deepEqual(daysOf([first!, ...(await pagesOf(partly))]), all);
});

test('a read waits for nobody else: one result at a time, nothing is read ahead', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const reads: number[] = [];
  const counted = new Proxy(tape, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (name !== 'read') return typeof value === 'function' ? value.bind(target) : value;
      return (...args: Parameters<MemoryTape['read']>) => {
        reads.push(args[2]!.day);
        return target.read(...args);
      };
    },
  });
  const at = (hours: number) => epochNs(DAY, hours * HOUR_NS);
  tape.commit([{ at: at(11), price: 1, size: 1, side: 1 }], at(23));
  tape.commit([{ at: at(35), price: 1, size: 1, side: 1 }], at(47));
  await using read = await readerOver(counted).read(requestOf(BARS, at(47)));
  assert.deepEqual(reads, []);
  await read.next();
  const first = reads.length;
  await new Promise(setImmediate);
  assert.equal(reads.length, first);
  const second = read.next();
  await assert.rejects(read.next(), /one result at a time/);
  assert.equal((await second)?.parts.at(-1)?.day, addDays(DAY, 1));
  assert.equal(await read.next(), null);
});

test('a study without its look-back says so, and one that has it does not [DET-19]', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const at = (hours: number) => epochNs(DAY, hours * HOUR_NS);
  const trade = (hours: number): MemoryTrade => ({ at: at(hours), price: 9, size: 3, side: 1 });
  tape.commit([trade(10.5), trade(11)], at(13));
  tape.commit([trade(23), trade(25)], at(30));
  tape.commit([trade(34.5)], at(37));
  const auto: Topic = ['large-trades', { minSize: 0 }];
  const isWarm = async (topic: Topic, until: EpochNs, more = {}) =>
    (await resultsOf(readerOver(tape), requestOf(topic, until, more))).map((one) => one.isWarm);
  assert.deepEqual(await isWarm(auto, at(37)), [false, true]);
  assert.deepEqual(await isWarm(auto, at(37), { from: epochNs(addDays(DAY, 1), 0) }), [true]);
  assert.deepEqual(await isWarm(auto, at(9)), [true], 'no session, nothing is lacking');
  assert.deepEqual(await isWarm(['large-trades', { minSize: 1 }], at(37)), [true, true]);
});
