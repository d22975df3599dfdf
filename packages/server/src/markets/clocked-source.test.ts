import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { Clock } from '../platform/clock.ts';
import type { Intake } from '../tape/write/intake.ts';
import { ClockedSource, type KnownTrades } from './clocked-source.ts';

const DAY = utcDay(20_260_310);
const STRETCH_NS = 300_000_000_000;
const STEP_NS = 20_000_000n;
const LOOKS_MAX = 1_000;

test('where a quiet stretch ends between two steps the source goes on at once, and waits for the next step', async () => {
  const stop = new AbortController();
  let now = epochNs(DAY, STRETCH_NS - 70_000_000);
  let looks = 0;
  const clock: Pick<Clock, 'now' | 'after'> = {
    now: () => now,
    after: (_ms, run) => {
      now = (now + STEP_NS) as EpochNs;
      if (now > epochNs(DAY, STRETCH_NS + 400_000_000)) stop.abort();
      setImmediate(run);
      return { [Symbol.dispose]: () => {} };
    },
  };
  const noTrades: KnownTrades = {
    enter: (_day, fromNs) => {
      looks += 1;
      assert(looks < LOOKS_MAX, 'it looks again and again without waiting');
      return fromNs < STRETCH_NS ? STRETCH_NS : 2 * STRETCH_NS;
    },
    pending: () => 0,
    take: () => [],
  };
  const promises: EpochNs[] = [];
  const intake = {
    promise: now,
    offer: async (_batches: unknown, promise: EpochNs) => void promises.push(promise),
  } as unknown as Intake;
  await new ClockedSource(noTrades, {
    ...{ intake, clock: clock as Clock, resumeDay: DAY, openDay: DAY },
  }).run(stop.signal);
  assert.equal(promises[0], epochNs(DAY, STRETCH_NS));
  assert(promises.at(-1)! > epochNs(DAY, STRETCH_NS));
});

test('in a quiet market a requested watermark comes within two steps, and requests add at most 20 commits a second', async () => {
  const quiet = await promisesOf(() => false);
  const once = await promisesOf((ms) => ms === 1_000);
  const always = await promisesOf(() => true);
  assert.ok(quiet.length <= 2 * 5 + 1, `${quiet.length} promises in two seconds`);
  assert.ok(always.length <= quiet.length + 2 * 20, `${always.length} promises in two seconds`);
  assert.ok(always.length > 2 * quiet.length);
  const next = once.find((ms) => ms >= 1_000);
  assert.ok(next! <= 1_060, `the watermark came at ${next}`);
  assert.ok(once.length <= quiet.length + 1);

  /** The watermarks of two seconds, in milliseconds; `isRequested` is queried before every step. */
  async function promisesOf(isRequested: (ms: number) => boolean): Promise<readonly number[]> {
    const start = epochNs(DAY, 0);
    const promises: number[] = [];
    const stop = new AbortController();
    let now = start;
    const clock: Pick<Clock, 'now' | 'after'> = {
      now: () => now,
      after: (_ms, run) => {
        now = (now + STEP_NS) as EpochNs;
        const ms = Number(now - start) / 1e6;
        if (isRequested(ms)) source.requestWatermark();
        if (ms >= 2_000) stop.abort();
        setImmediate(run);
        return { [Symbol.dispose]: () => {} };
      },
    };
    const trades: KnownTrades = { enter: () => STRETCH_NS, pending: () => 0, take: () => [] };
    const intake = {
      promise: start,
      offer: async (_batches: unknown, promise: EpochNs) =>
        void promises.push(Number(promise - start) / 1e6),
    } as unknown as Intake;
    const source: ClockedSource = new ClockedSource(trades, {
      ...{ intake, clock: clock as Clock, resumeDay: DAY, openDay: DAY },
    });
    await source.run(stop.signal);
    return promises;
  }
});
