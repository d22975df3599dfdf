import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import type { Intake } from '../../tape/write/intake.ts';
import { StillMarket } from './still-market.ts';

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
    },
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
  const options = { disk, intake, clock, resumeDay: utcDay(20_261_116), openDay: null };
  await market.source(options).run(stopping.signal);
  assert.deepEqual(promises, [5n, 9n]);
  assert.deepEqual(waits, [1_000, 1_000, 1_000]);
});
