import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import type { EpochNs } from '@tapeloom/core/numbers';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { MemoryTape, type MemoryTrade } from '../../testing/tape/memory-tape.ts';
import { coverageOf, tradesBetween } from './coverage.ts';
import { DamagedDays } from './sound-tape.ts';

const CONTRACT = 'ESZ6';
/** A Thursday. */
const DAY = utcDay(20261112);
const HOUR_NS = 3_600_000_000_000;

function at(days: number, hours: number): EpochNs {
  return epochNs(addDays(DAY, days), hours * HOUR_NS);
}

/** Trading from 10 to 20 on Thursday, Friday and Monday, and from Sunday 23 to Monday 2. */
const SESSIONS = createSessionTable([
  { date: DAY, open: at(0, 10), close: at(0, 20) },
  { date: addDays(DAY, 1), open: at(1, 10), close: at(1, 20) },
  { date: addDays(DAY, 4), open: at(3, 23), close: at(4, 2) },
  { date: addDays(DAY, 5), open: at(4, 10), close: at(4, 20) },
]);

function trade(days: number, hours: number): MemoryTrade {
  return { at: at(days, hours), price: 100, size: 1, side: 1 };
}

function covered(tape: MemoryTape, damaged = new DamagedDays()) {
  return { tape, contract: CONTRACT, fullSessions: SESSIONS, damaged };
}

function week(): MemoryTape {
  const tape = new MemoryTape(CONTRACT, 100);
  tape.commit([trade(0, 10), trade(0, 11), trade(0, 19)], at(0, 23));
  tape.commit([trade(1, 10), trade(1, 12)], at(1, 23));
  tape.commit([trade(3, 23.5)], at(3, 23.9));
  tape.commit([trade(4, 1), trade(4, 11)], at(4, 12));
  return tape;
}

test('counts the trades of [from, to) day by day, the edges exactly [DET-21]', async () => {
  const coverage = await coverageOf(covered(week()), at(0, 11), at(4, 11));
  assert.deepEqual(coverage, {
    days: [
      { day: DAY, before: 1, trades: 2 },
      { day: addDays(DAY, 1), before: 0, trades: 2 },
      { day: addDays(DAY, 3), before: 0, trades: 1 },
      { day: addDays(DAY, 4), before: 0, trades: 1 },
    ],
    trades: 6,
    missingDays: [],
    gaps: [],
    missingLookBack: null,
    lookBackFrom: null,
    inputs: '',
    sealed: null,
  });
  const beyond = (at(0, 11) + 1n) as EpochNs;
  assert.equal((await coverageOf(covered(week()), at(0, 11), beyond)).trades, 1);
  assert.equal((await coverageOf(covered(week()), beyond, at(0, 23))).trades, 1);
});

test('a day is missing when the market was open in its part of the range', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  tape.commit([trade(0, 10)], at(0, 23));
  tape.commit([trade(4, 11)], at(4, 12));
  const missing = async (from: EpochNs, to: EpochNs) =>
    (await coverageOf(covered(tape), from, to)).missingDays;
  assert.deepEqual(await missing(at(0, 0), at(4, 12)), [addDays(DAY, 1), addDays(DAY, 3)]);
  const unknown = [addDays(DAY, -3), addDays(DAY, -2), addDays(DAY, -1)];
  assert.deepEqual(await missing(at(-3, 0), at(1, 0)), unknown, 'no session is known then');
  assert.deepEqual(await missing(at(-1, 23), at(0, 1)), [addDays(DAY, -1)]);
  assert.deepEqual(await missing(at(1, 20), at(3, 23)), [], 'shut all the while');
  assert.deepEqual(await missing(at(1, 19), at(3, 0)), [addDays(DAY, 1)]);
  assert.deepEqual(await missing(at(2, 0), at(3, 23.1)), [addDays(DAY, 3)]);
});

test('what the promise has not reached is not missing, and the open day is there', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  tape.commit([trade(0, 10), trade(0, 11)], at(0, 12));
  const { missingDays, days } = await coverageOf(covered(tape), at(0, 0), at(4, 12));
  assert.deepEqual(missingDays, []);
  assert.deepEqual(days, [{ day: DAY, before: 0, trades: 2 }]);
});

test('a tape without a promise has what is sealed, and lacks the rest', async () => {
  const { missingDays } = await coverageOf(
    covered(new MemoryTape(CONTRACT, 1)),
    at(0, 0),
    at(2, 0),
  );
  assert.deepEqual(missingDays, [DAY, addDays(DAY, 1)]);
});

test('a damaged day is missing', async () => {
  const damaged = new DamagedDays();
  damaged.add(CONTRACT, addDays(DAY, 1));
  damaged.add('NQZ6', DAY);
  const { missingDays, trades } = await coverageOf(covered(week(), damaged), at(0, 0), at(2, 0));
  assert.deepEqual({ missingDays, trades }, { missingDays: [addDays(DAY, 1)], trades: 3 });
});

test('a partial day is missing, though its trades are counted; its gaps are told', async () => {
  const tape = week();
  tape.partial.set(addDays(DAY, 1), [[11 * HOUR_NS, 12 * HOUR_NS]]);
  const { missingDays, trades, gaps } = await coverageOf(covered(tape), at(0, 0), at(2, 0));
  assert.deepEqual({ missingDays, trades }, { missingDays: [addDays(DAY, 1)], trades: 5 });
  assert.deepEqual(gaps, [{ from: at(1, 11), to: at(1, 12), why: 'partial' }]);
});

test('a gap of a live day is missing where it lies, on the open day as on a sealed one', async () => {
  const tape = week();
  const range = (from: EpochNs, to: EpochNs) => coverageOf(covered(tape), from, to);
  const first = { from: at(4, 12), to: null };
  tape.commit([], at(4, 13), [first]);
  const why = 'partial';
  const growing = await range(at(4, 0), at(4, 20));
  assert.deepEqual(growing.missingDays, [addDays(DAY, 4)]);
  assert.deepEqual(growing.gaps, [{ from: at(4, 12), to: at(4, 13), why }], 'up to the watermark');
  assert.deepEqual((await range(at(4, 0), at(4, 12))).missingDays, [], 'nothing before it');
  tape.commit([trade(4, 15)], at(4, 18), [{ ...first, to: at(4, 14) }]);
  for (const end of [at(4, 18), at(5, 1)]) {
    tape.commit([], end);
    const { missingDays, gaps, trades } = await range(at(4, 0), at(4, 18));
    assert.deepEqual([missingDays, trades], [[addDays(DAY, 4)], 3]);
    assert.deepEqual(gaps, [{ from: at(4, 12), to: at(4, 14), why }]);
    assert.deepEqual((await range(at(4, 15), at(4, 18))).missingDays, []);
  }
});

test('a study needs its session without a gap, and its look-back ends at one', async () => {
  const tape = week();
  const asked = (id: string, params: Record<string, unknown>, from: EpochNs, to: EpochNs) => {
    const indicator = indicatorNamed(id)!;
    const study = { contract: CONTRACT, indicator, params: params as never, sessions: SESSIONS };
    return coverageOf(covered(tape), from, to, { ...study, from, hasSnapshot: false });
  };
  const bars = (from: EpochNs, to: EpochNs) => asked('bars', {}, from, to);
  const before = await bars(at(4, 11), at(4, 12));
  assert.deepEqual(before.missingDays, []);
  tape.commit([], at(4, 19), [{ from: at(4, 14), to: at(4, 15) }]);
  assert.deepEqual(await bars(at(4, 11), at(4, 12)), before, 'the gap lies behind all it reads');
  assert.deepEqual((await bars(at(4, 16), at(4, 18))).missingDays, [addDays(DAY, 4)]);
  // Sealed: the gap is part of what identifies the day.
  tape.commit([], at(5, 1));
  const withGap = await bars(at(4, 11), at(4, 18));
  tape.repaired.add(addDays(DAY, 4));
  const repaired = await bars(at(4, 11), at(4, 18));
  assert.deepEqual([withGap.missingDays, repaired.missingDays], [[addDays(DAY, 4)], []]);
  assert.notEqual(withGap.sealed, repaired.sealed);
  assert.notEqual(withGap.inputs, repaired.inputs);
});

test('gaps are of open hours; those of one reason are one, with a closed market in between', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  tape.commit([trade(0, 10)], at(0, 23));
  tape.commit([trade(4, 11)], at(4, 12));
  const gaps = async (from: EpochNs, to: EpochNs, damaged?: DamagedDays) =>
    (await coverageOf(covered(tape, damaged), from, to)).gaps;
  const why = 'missing';
  assert.deepEqual(await gaps(at(0, 0), at(4, 12)), [{ from: at(1, 10), to: at(4, 0), why }]);
  assert.deepEqual(await gaps(at(1, 11), at(3, 0)), [{ from: at(1, 11), to: at(1, 20), why }]);
  assert.deepEqual(await gaps(at(1, 20), at(3, 23)), []);
  const damaged = new DamagedDays();
  tape.commit([], at(4, 23));
  damaged.add(CONTRACT, addDays(DAY, 4));
  assert.deepEqual(await gaps(at(0, 0), at(4, 12), damaged), [
    { from: at(1, 10), to: at(4, 0), why },
    { from: at(4, 0), to: at(4, 12), why: 'damaged' },
  ]);
  // The market's hours before the first known session are unknown.
  assert.deepEqual(await gaps(at(-3, 5), at(0, 12)), [{ from: at(-3, 5), to: at(0, 0), why }]);
});

test('pages that meet at any cursor cost together what the whole costs [DET-21]', async () => {
  const times = fc.array(fc.integer({ min: 0, max: 80 }), { maxLength: 60 });
  const property = fc.asyncProperty(
    times,
    fc.nat(),
    fc.integer({ min: 0, max: 100 }),
    async (hours, picked, toHours) => {
      const tape = new MemoryTape(CONTRACT, 7);
      const sorted = hours.toSorted((a, b) => a - b);
      for (const day of [0, 1, 2, 3]) {
        const mine = sorted.filter((hour) => Math.floor(hour / 24) === day);
        tape.commit(
          mine.map((hour) => trade(0, hour)),
          at(day, 23.99),
        );
      }
      const to = at(0, toHours);
      const whole = await coverageOf(covered(tape), at(0, 0), to);
      assert.equal(whole.trades, sorted.filter((hour) => hour < toHours).length);
      if (sorted.length === 0) return;
      const hour = sorted[picked % sorted.length]!;
      const day = Math.floor(hour / 24);
      const rank = 1 + sorted.filter((it) => Math.floor(it / 24) === day).indexOf(hour);
      const cursor = `${addDays(DAY, day)}.${rank}.${picked % 3}`;
      const before = sorted.filter((it) => Math.floor(it / 24) < day).length + rank;
      const left = Math.max(0, whole.trades - before);
      assert.equal(tradesBetween(whole, cursor, null), left);
      assert.equal(tradesBetween(whole, null, cursor), whole.trades - left);
      // A range that begins in the middle of its first day counts ranks all the same.
      const later = await coverageOf(covered(tape), at(0, hour), to);
      assert.equal(tradesBetween(later, cursor, null), left);
    },
  );
  await fc.assert(property, { numRuns: 200 });
});

test('a day before the first known session is missing, whatever the tape has: nothing could come of it', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  for (const day of [-2, -1, 0, 1]) tape.commit([trade(day, 10)], at(day, 23));
  const found = async (from: EpochNs, to: EpochNs) => {
    const { missingDays, trades } = await coverageOf(covered(tape), from, to);
    return { missingDays, trades };
  };
  const before = [addDays(DAY, -2), addDays(DAY, -1)];
  assert.deepEqual(await found(at(-2, 0), at(1, 0)), { missingDays: before, trades: 1 });
});

test('a study needs the days from the open of the session that contains its start [ERR-20]', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  tape.commit([trade(1, 10)], at(1, 23));
  tape.commit([trade(4, 1), trade(4, 11)], at(4, 12));
  const indicator: Indicator = {
    ...indicatorNamed('fair-value-gaps')!,
    objectsOutliveSession: true,
    lookBackSessionsMax: () => 2,
  };
  const study = {
    contract: CONTRACT,
    indicator,
    params: {},
    sessions: SESSIONS,
    from: at(4, 0),
    hasSnapshot: false,
  };
  const missing = async (from: EpochNs, hasSnapshot = false, damaged = new DamagedDays()) => {
    const needs = { ...study, hasSnapshot };
    const coverage = await coverageOf(covered(tape, damaged), from, at(4, 12), needs);
    return [coverage.missingDays.map((day) => day - DAY), coverage.trades, coverage.lookBackFrom];
  };
  assert.deepEqual(await missing(at(4, 0)), [[3], 2, at(1, 10)]);
  assert.deepEqual(await missing(at(4, 2)), [[], 1, at(4, 2)], 'it is shut from there on');
  assert.deepEqual(
    await missing(at(4, 2), true),
    [[3], 1, at(4, 2)],
    'a snapshot shows that session',
  );
  assert.deepEqual(await missing(at(4, 10)), [[], 1, at(4, 10)]);
  tape.commit([], at(4, 12));
  const damaged = new DamagedDays();
  damaged.add(CONTRACT, addDays(DAY, 4));
  assert.deepEqual((await missing(at(4, 2), false, damaged))[0], [4]);
});
