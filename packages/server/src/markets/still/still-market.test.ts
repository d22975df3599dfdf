import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { utcDay } from '@tapeloom/core/utc-day';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { NO_COUNTS, NO_NOTES } from '../../../testing/tape/no-notes.ts';
import type { Intake } from '../../tape/write/intake.ts';
import { StillMarket } from './still-market.ts';

test('a requested watermark of a still market comes 50 ms later, however many request it', async () => {
  const stopping = new AbortController();
  const clock = new ManualClock(0n);
  const promises: number[] = [];
  const intake = {
    promise: null,
    offer: async (_: unknown, promise: EpochNs) => void promises.push(Number(promise) / 1e6),
  } as unknown as Intake;
  const surroundings = {
    monotonicNs: () => clock.now(),
    hoursOf: () => null,
    random: () => 0,
    onOffTick: () => assert.fail('it has no contracts'),
    onContractDown: () => assert.fail('it has no contracts'),
  };
  const disk = new SimDisk().boot();
  const options = { disk, intake, clock, ...surroundings, resumeDay: utcDay(20_261_116) };
  const source = new StillMarket().source({ ...options, openDay: null });
  const running = source.run(stopping.signal);
  const pass = async (ms: number) => {
    await turn();
    for (let passed = 0; passed < ms; passed += 10) {
      clock.advance(10);
      await turn();
    }
  };
  await turn();
  await pass(300);
  for (let reader = 0; reader < 5; reader += 1) source.requestWatermark();
  await pass(1_000);
  for (let at = 0; at < 10; at += 1) {
    source.requestWatermark();
    await pass(20);
  }
  stopping.abort();
  await running;
  assert.deepEqual(promises, [0, 350, 1_350, 1_410, 1_470]);
});

test('a still market lists nothing, and promises the time once a second, never back', async () => {
  const market = new StillMarket();
  assert.deepEqual(market.listing().contracts, []);
  const promises: (EpochNs | null)[] = [];
  const stopping = new AbortController();
  const times = [5n, 4n, 9n] as EpochNs[];
  const waits: number[] = [];
  const intake: Intake = {
    offer: async (batches, promise) => {
      assert.deepEqual(batches, []);
      promises.push(promise);
      return NO_COUNTS;
    },
    ...NO_NOTES,
    lastId: () => -1,
    get promise() {
      return promises.at(-1) ?? null;
    },
  };
  const clock = {
    now: () => times[0]!,
    after: (ms: number, run: () => void) => {
      waits.push(ms);
      if (times.length === 1) stopping.abort();
      else times.shift();
      queueMicrotask(run);
      return { [Symbol.dispose]: () => {} };
    },
    every: () => assert.fail('it waits by itself'),
  };
  const disk = new SimDisk().boot();
  const surroundings = {
    monotonicNs: () => clock.now(),
    hoursOf: () => null,
    random: () => 0,
    onOffTick: () => assert.fail('it has no contracts'),
    onContractDown: () => assert.fail('it has no contracts'),
  };
  const day = { resumeDay: utcDay(20_261_116), openDay: null };
  const options = { disk, intake, clock, ...surroundings, ...day };
  await market.source(options).run(stopping.signal);
  assert.deepEqual(promises, [5n, 9n]);
  assert.deepEqual(waits, [1_000, 1_000, 1_000]);
});
