import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayNumber, dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { NO_COUNTS, NO_NOTES } from '../../../testing/tape/no-notes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Intake, IntakeBatch, OfferCounts } from '../../tape/write/intake.ts';
import { SimSource } from './sim-source.ts';
import { createSimUniverse } from './sim-universe.ts';
import { firstIdOf, SLICE_NS, SLICES_PER_DAY } from './trades/slice.ts';
import { TradeColumns } from './trades/trade-columns.ts';

const MONDAY = utcDay(20260914);
const universe = createSimUniverse({ seed: 5, printsScale: 0.002 }, MONDAY);

/** A clock that the test moves; it wakes waiters in the order of their instants. */
class StepClock implements Clock {
  #now: EpochNs;
  readonly #timers: { due: EpochNs; run: () => void }[] = [];

  constructor(start: EpochNs) {
    this.#now = start;
  }

  now(): EpochNs {
    return this.#now;
  }

  after(ms: number, run: () => void): Disposable {
    const timer = { due: (this.#now + BigInt(Math.round(ms * 1e6))) as EpochNs, run };
    this.#timers.push(timer);
    return { [Symbol.dispose]: () => this.#drop(timer) };
  }

  every(): Disposable {
    throw new Error('the source sets no repeating timer');
  }

  get waiting(): number {
    return this.#timers.length;
  }

  /** Sets the time, forwards or back, and wakes all waiters (an early wake is allowed). */
  set(instant: EpochNs): void {
    this.#now = instant;
    for (const timer of [...this.#timers]) {
      this.#drop(timer);
      timer.run();
    }
  }

  #drop(timer: { due: EpochNs; run: () => void }): void {
    const index = this.#timers.indexOf(timer);
    if (index >= 0) this.#timers.splice(index, 1);
  }
}

/** An intake that stores everything and checks that the source keeps to its watermarks. */
class KeepingIntake implements Intake {
  promise: EpochNs | null = null;
  readonly trades = new Map<string, { ids: number[]; times: bigint[] }>();
  readonly offers: { count: number; promise: EpochNs }[] = [];
  /** Offers from this one on fail, as if the process were about to crash. */
  failAfter = Number.POSITIVE_INFINITY;
  /** True: the failing offer's trades are stored, but not its watermark. */
  isTorn = false;

  readonly position = NO_NOTES.position;
  readonly batch = NO_NOTES.batch;
  readonly gaps = NO_NOTES.gaps;

  async offer(batches: readonly IntakeBatch[], promise: EpochNs | null): Promise<OfferCounts> {
    assert.ok(promise !== null);
    const dies = this.offers.length >= this.failAfter;
    if (!dies || this.isTorn) for (const batch of batches) this.#keep(batch, promise);
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (dies) throw new Error('killed');
    assert.ok(this.promise === null || promise > this.promise, 'promises grow');
    this.promise = promise;
    this.offers.push({ count: batches.length, promise });
    return NO_COUNTS;
  }

  lastId(symbol: string): number {
    return this.trades.get(symbol)?.ids.at(-1) ?? -1;
  }

  #keep(batch: IntakeBatch, promise: EpochNs): void {
    const kept = this.trades.get(batch.symbol) ?? { ids: [], times: [] };
    this.trades.set(batch.symbol, kept);
    for (let i = 0; i < batch.count; i += 1) {
      const at = epochNs(batch.day, batch.ts[i]!);
      assert.ok(batch.id[i]! > (kept.ids.at(-1) ?? -1), 'no trade comes twice or out of order');
      assert.ok(at < promise && at >= (this.promise ?? 0n), 'trades lie between the promises');
      kept.ids.push(batch.id[i]!);
      kept.times.push(at);
    }
  }
}

function source(intake: Intake, clock: Clock, resumeDay: UtcDay, market = universe): SimSource {
  const openDay = intake.promise === null ? null : dayOf(intake.promise);
  return new SimSource({ universe: market, intake, clock, resumeDay, openDay });
}

/** Lets the source do everything possible without the clock moving, until it waits or has ended. */
async function settle(clock: StepClock, running: Promise<void>): Promise<void> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  running.then(end, end);
  while (clock.waiting === 0 && !hasEnded) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Feed numbers of every streamed contract with source time in [from, to), straight from the market. */
function expectedIds(from: EpochNs, to: EpochNs, skip: (day: UtcDay) => boolean = () => false) {
  const ids = new Map<string, number[]>();
  const columns = new TradeColumns();
  for (let day = dayOf(from); epochNs(day, 0) < to; day = addDays(day, 1)) {
    if (skip(day)) continue;
    for (const { symbol } of universe.streamedOn(day)) {
      const found = ids.get(symbol) ?? [];
      for (let slice = 0; slice < SLICES_PER_DAY; slice += 1) {
        if (epochNs(day, (slice + 1) * SLICE_NS) <= from || epochNs(day, slice * SLICE_NS) >= to)
          continue;
        columns.clear();
        universe.market.appendSlice(symbol, day, slice, columns);
        const first = firstIdOf(dayNumber(day), slice);
        for (let i = 0; i < columns.count; i += 1) {
          const at = epochNs(day, columns.ts[i]!);
          if (at >= from && at < to) found.push(first + i);
        }
      }
      if (found.length > 0) ids.set(symbol, found);
    }
  }
  return ids;
}

function keptIds(intake: KeepingIntake): Map<string, number[]> {
  return new Map([...intake.trades].map(([symbol, { ids }]) => [symbol, ids]));
}

function assertSameFeeds(kept: Map<string, number[]>, expected: Map<string, number[]>): void {
  assert.deepEqual([...kept.keys()].sort(), [...expected.keys()].sort());
  for (const [symbol, ids] of expected) assert.deepEqual(kept.get(symbol), ids, symbol);
}

test('catches up from midnight to now, then follows the clock without losing or repeating a trade', async () => {
  const start = epochNs(MONDAY, 13.2 * 3600e9);
  const clock = new StepClock(start);
  const intake = new KeepingIntake();
  const stop = new AbortController();
  const live = source(intake, clock, MONDAY);
  assert.equal(live.state, 'catching-up');
  const running = live.run(stop.signal);
  await settle(clock, running);
  assert.equal(live.state, 'live');
  assert.equal(intake.promise, start);
  for (let ms = 20; ms <= 60_000; ms += 20) {
    clock.set((start + BigInt(ms) * 1_000_000n) as EpochNs);
    await settle(clock, running);
    assert.ok(live.lagMs <= 200);
  }
  stop.abort();
  await running;
  assert.equal(clock.waiting, 0);
  assertSameFeeds(keptIds(intake), expectedIds(epochNs(MONDAY, 0), intake.promise!));
});

test('random clock steps, jumps both ways, kills and restarts give the feed as made in one go [SEC-35]', async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 400 }) },
    { weight: 2, arbitrary: fc.integer({ min: 1_000, max: 3_600_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: -3_600_000, max: -1 }) },
  );
  const life = fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 12 }),
    offersBeforeKill: fc.option(fc.integer({ min: 0, max: 12 })),
    isTorn: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 4 }), async (lives) => {
      const from = epochNs(MONDAY, 22.5 * 3600e9);
      const intake = new KeepingIntake();
      intake.promise = from;
      let now = epochNs(MONDAY, 23.4 * 3600e9);
      let latest = now;
      for (const { steps, offersBeforeKill, isTorn } of lives) {
        intake.failAfter = intake.offers.length + (offersBeforeKill ?? Number.POSITIVE_INFINITY);
        intake.isTorn = isTorn;
        const clock = new StepClock(now);
        const stop = new AbortController();
        const running = source(intake, clock, MONDAY)
          .run(stop.signal)
          .catch((error: Error) => assert.equal(error.message, 'killed'));
        for (const ms of steps) {
          now = (now + BigInt(ms) * 1_000_000n) as EpochNs;
          if (now > latest) latest = now;
          await settle(clock, running);
          clock.set(now);
        }
        await settle(clock, running);
        stop.abort();
        await running;
      }
      intake.failAfter = Number.POSITIVE_INFINITY;
      const clock = new StepClock(latest);
      const stop = new AbortController();
      const running = source(intake, clock, MONDAY).run(stop.signal);
      await settle(clock, running);
      stop.abort();
      await running;
      assertSameFeeds(keptIds(intake), expectedIds(from, intake.promise!));
    }),
    { numRuns: 40 },
  );
});

test('a quiet market is promised every 200 ms, and at once after trades', async () => {
  // Saturday: only the round-the-clock contracts trade, at this scale a few times a minute.
  const thin = createSimUniverse({ seed: 5, printsScale: 0.1 }, MONDAY);
  const saturday = utcDay(20260919);
  const start = epochNs(saturday, 10 * 3600e9);
  const clock = new StepClock(start);
  const intake = new KeepingIntake();
  const stop = new AbortController();
  const running = source(intake, clock, saturday, thin).run(stop.signal);
  await settle(clock, running);
  const before = intake.offers.length;
  for (let ms = 20; ms <= 120_000; ms += 20) {
    clock.set((start + BigInt(ms) * 1_000_000n) as EpochNs);
    await settle(clock, running);
  }
  stop.abort();
  await running;
  const live = intake.offers.slice(before);
  assert.ok(live.some(({ count }) => count > 0));
  for (let i = 1; i < live.length; i += 1) {
    const gapMs = Number(live[i]!.promise - live[i - 1]!.promise) / 1e6;
    const followsTrades = live[i - 1]!.count > 0;
    if (followsTrades) assert.equal(gapMs, 20);
    else assert.ok(gapMs === 200 || live[i]!.count > 0, `${gapMs} ms without a trade`);
    assert.ok(gapMs <= 200);
  }
});

test('after days without service the open day is finished and the filled days are passed over', async () => {
  const friday = utcDay(20260918);
  const intake = new KeepingIntake();
  intake.promise = epochNs(MONDAY, 20 * 3600e9);
  const clock = new StepClock(epochNs(friday, 3600e9));
  const stop = new AbortController();
  const running = source(intake, clock, friday).run(stop.signal);
  await settle(clock, running);
  stop.abort();
  await running;
  const skips = (day: UtcDay) => day > MONDAY && day < friday;
  assertSameFeeds(
    keptIds(intake),
    expectedIds(epochNs(MONDAY, 20 * 3600e9), epochNs(friday, 3600e9), skips),
  );
  assert.ok(intake.offers.some(({ promise }) => promise === epochNs(friday, 0)));
  assert.ok(intake.offers.every(({ promise }) => !skips(dayOf(promise))));
});

test('a tape whose last log has ended goes on at the day to resume', async () => {
  const friday = utcDay(20260918);
  const intake = new KeepingIntake();
  intake.promise = epochNs(addDays(MONDAY, 1), 0);
  const clock = new StepClock(epochNs(friday, 3600e9));
  const stop = new AbortController();
  const running = new SimSource({ universe, intake, clock, resumeDay: friday, openDay: null }).run(
    stop.signal,
  );
  await settle(clock, running);
  stop.abort();
  await running;
  assertSameFeeds(keptIds(intake), expectedIds(epochNs(friday, 0), epochNs(friday, 3600e9)));
});

test('a contract that becomes streamed starts at midnight, an expired one ends', async () => {
  // ESU6 expires on Friday 2026-09-18; from the 19th on ESZ6 and ESH7 are streamed.
  const friday = utcDay(20260918);
  const clock = new StepClock(epochNs(addDays(friday, 3), 15 * 3600e9));
  const intake = new KeepingIntake();
  const stop = new AbortController();
  const running = source(intake, clock, friday).run(stop.signal);
  await settle(clock, running);
  stop.abort();
  await running;
  const days = (symbol: string) =>
    new Set(intake.trades.get(symbol)?.times.map((at) => dayOf(at as EpochNs)) ?? []);
  assert.deepEqual([...days('ESU6')], [friday]);
  assert.equal(days('ESH7').has(friday), false);
  assert.equal(days('ESH7').has(addDays(friday, 3)), true);
});

test('stops at once when aborted, also while it catches up', async () => {
  const clock = new StepClock(epochNs(addDays(MONDAY, 2), 0));
  const intake = new KeepingIntake();
  const stop = new AbortController();
  const running = source(intake, clock, MONDAY).run(stop.signal);
  await new Promise<void>((resolve) => setImmediate(resolve));
  stop.abort();
  await running;
  assert.ok(intake.promise === null || intake.promise < clock.now());
});

test('an intake that fails ends the source with its error', async () => {
  const intake = new KeepingIntake();
  intake.failAfter = 3;
  const clock = new StepClock(epochNs(MONDAY, 15 * 3600e9));
  const running = source(intake, clock, MONDAY).run(new AbortController().signal);
  await assert.rejects(running, /killed/);
  assert.equal(intake.offers.length, 3);
});

test('a busy stretch is cut into several offers', async () => {
  const busy = createSimUniverse({ seed: 5, printsScale: 8 }, MONDAY);
  const clock = new StepClock(epochNs(MONDAY, 13.5 * 3600e9 + SLICE_NS));
  const intake = new KeepingIntake();
  intake.promise = epochNs(MONDAY, 13.5 * 3600e9);
  const stop = new AbortController();
  const running = source(intake, clock, MONDAY, busy).run(stop.signal);
  await settle(clock, running);
  stop.abort();
  await running;
  assert.ok(intake.offers.length > 2);
  const total = [...intake.trades.values()].reduce((sum, { ids }) => sum + ids.length, 0);
  assert.ok(total > 120_000);
});
