import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IndicatorObject } from '@tapeloom/client/stream';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import type { GivenParams } from '@tapeloom/core/studies/indicator';
import fc from 'fast-check';
import { randomTape, randomTapeWithGaps } from '../../../core/testing/twins/random-tape.ts';
import type { TwinSession, TwinTape } from '../../../core/testing/twins/twin-tape.ts';
import { type Step, stepsOf } from '../../testing/study-steps.ts';
import type { BarChoice } from '../spec/chart-spec.ts';
import { BarSeries } from './bar-series.ts';
import { compareObjectIds } from './object-order.ts';
import type { ObjectSeries } from './object-series.ts';
import { spansOf } from './session-spans.ts';
import type { SessionSpan } from './sessions.ts';
import { canSum, SessionSums, type Summed } from './sums.ts';

const RUNS = 60;

const barChoice: fc.Arbitrary<BarChoice> = fc.record({
  ...{ kind: fc.constantFrom('time', 'tick', 'volume', 'range', 'delta', 'renko') },
  ...{ size: fc.constantFrom(1, 2, 3, 8, 20, 60, 3_600) },
  session: fc.constantFrom('full', 'rth', 'utc'),
}) as fc.Arbitrary<BarChoice>;

const profileParams = fc.record({
  group: fc.constantFrom(1, 1, 2, 5),
  valueArea: fc.constantFrom(1, 50, 70, 100),
  pocTie: fc.constantFrom('centre', 'lowest', 'highest'),
});

const unfinishedParams = fc.record({
  minVolume: fc.constantFrom(1, 2, 5),
  lookback: fc.constantFrom(1, 2),
});

function daysOf(sessions: readonly TwinSession[]): SessionSpan[] {
  return sessions.map(({ open, close, regular }) => ({
    date: 0,
    openNs: open,
    closeNs: close,
    regular: regular === undefined ? null : { openNs: regular.open, closeNs: regular.close },
  }));
}

/** The same trades in the sessions of a kind. Missing hours are known of whole trading days only. */
function tapeOf(tape: TwinTape, { session }: BarChoice): TwinTape {
  if (session === 'full') return tape;
  const spans = spansOf(session, daysOf(tape.sessions));
  return {
    ...tape,
    sessions: spans.map(({ openNs, closeNs }) => ({ open: openNs, close: closeNs })),
  };
}

function runOf<I extends string>(id: I, params: GivenParams, tape: TwinTape): Step<I>[] {
  return stepsOf<I>(indicatorNamed(id)!, params, tape);
}

/** What a client has kept up to a step. */
class Kept<I extends string> {
  readonly objects = new Map<string, IndicatorObject<I>>();
  readonly removed = new Map<string, bigint>();

  take({ upserts, removed }: Step<I>): void {
    for (const object of upserts) this.objects.set(object.id, object);
    for (const { id, ns } of removed) this.removed.set(id, ns);
  }

  /** All there ever were, without the times of removal. */
  get list() {
    return [...this.objects.values()].sort((a, b) => compareObjectIds(a.id, b.id));
  }
}

function listOf<I extends string>(series: ObjectSeries<I>) {
  return series.all
    .map(({ removedNs: _, ...object }) => object)
    .sort((a, b) => compareObjectIds(a.id, b.id));
}

function standing<I extends string>(series: ObjectSeries<I>): string[] {
  return series.all.filter(({ removedNs }) => removedNs === null).map(({ id }) => id);
}

function barParamsOf({ kind, size }: BarChoice) {
  return { bar: kind, size };
}

describe('sums of the page equal the objects of the service', () => {
  it('delta and VWAP, after each trade, for all kinds of bars and sessions', () => {
    const property = fc.property(randomTape, barChoice, (whole, bar) => {
      const tape = tapeOf(whole, bar);
      const sums = new SessionSums({ bar });
      const bars = new BarSeries();
      const footprints = runOf('footprint', barParamsOf(bar), tape);
      const [deltas, vwaps] = [
        runOf('delta', barParamsOf(bar), tape),
        runOf('vwap', barParamsOf(bar), tape),
      ];
      const [delta, vwap] = [new Kept<'delta'>(), new Kept<'vwap'>()];
      const days = daysOf(whole.sessions);
      footprints.forEach(({ upserts, atNs }, at) => {
        for (const object of upserts) bars.put(object);
        sums.update(bars, days, { fromNs: 0n, tapeNs: atNs });
        delta.take(deltas[at]!);
        vwap.take(vwaps[at]!);
        assert.deepEqual(listOf(sums.delta), delta.list);
        assert.deepEqual(listOf(sums.vwap), vwap.list);
      });
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it('the profile of each session, after each trade', () => {
    const property = fc.property(randomTape, barChoice, profileParams, (whole, bar, profile) => {
      const tape = tapeOf(whole, bar);
      const sums = new SessionSums({ bar, profile });
      const bars = new BarSeries();
      const expected = runOf('volume-profile', profile, tape);
      const kept = new Kept<'volume-profile'>();
      const days = daysOf(whole.sessions);
      runOf('footprint', barParamsOf(bar), tape).forEach(({ upserts, atNs }, at) => {
        for (const object of upserts) bars.put(object);
        sums.update(bars, days, { fromNs: 0n, tapeNs: atNs });
        kept.take(expected[at]!);
        assert.deepEqual(listOf(sums.profile), kept.list);
      });
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it('profiles of periods that the time bars divide, and of rows that the footprint has', () => {
    const choice = fc.record({
      size: fc.constantFrom(1, 60),
      periods: fc.constantFrom(1, 7, 60),
      levelsGroup: fc.constantFrom(2, 3),
      rows: fc.constantFrom(1, 2, 4),
    });
    const property = fc.property(
      randomTape,
      choice,
      (tape, { size, periods, levelsGroup, rows }) => {
        const bar: BarChoice = { kind: 'time', size, session: 'full' };
        const profile = { period: size * periods, group: levelsGroup * rows };
        const sums = new SessionSums({ bar, levelsGroup, profile });
        const bars = new BarSeries(levelsGroup);
        const kept = new Kept<'volume-profile'>();
        const expected = runOf('volume-profile', profile, tape);
        const days = daysOf(tape.sessions);
        const given = { size, group: levelsGroup };
        runOf('footprint', given, tape).forEach(({ upserts, atNs }, at) => {
          for (const object of upserts) bars.put(object);
          sums.update(bars, days, { fromNs: 0n, tapeNs: atNs });
          kept.take(expected[at]!);
          assert.deepEqual(listOf(sums.profile), kept.list);
        });
        assert.equal(sums.vwap.size, 0);
      },
    );
    fc.assert(property, { numRuns: RUNS });
  });

  it('unfinished auctions over sessions and gaps, and those that still stand', () => {
    const property = fc.property(
      randomTapeWithGaps,
      barChoice,
      unfinishedParams,
      (whole, bar, unfinished) => {
        const sessions = whole.sessions.map(({ missingDay: _, ...session }) => session);
        const tape = tapeOf({ ...whole, sessions }, bar);
        const sums = new SessionSums({ bar, unfinished });
        const bars = new BarSeries();
        const kept = new Kept<'unfinished-auctions'>();
        const params = { ...barParamsOf(bar), ...unfinished };
        const expected = runOf('unfinished-auctions', params, tape);
        for (const { missingFrom, close } of tape.sessions) {
          if (missingFrom === undefined) continue;
          bars.putGap({ kind: 'gap', fromNs: missingFrom, endNs: close, why: 'partial' });
        }
        const days = daysOf(sessions);
        runOf('footprint', barParamsOf(bar), tape).forEach(({ upserts, atNs }, at) => {
          for (const object of upserts) bars.put(object);
          sums.update(bars, days, { fromNs: 0n, tapeNs: atNs });
          kept.take(expected[at]!);
          assert.deepEqual(listOf(sums.unfinished), kept.list);
          const stands = kept.list.map(({ id }) => id).filter((id) => !kept.removed.has(id));
          assert.deepEqual(standing(sums.unfinished).sort(compareObjectIds), stands);
        });
      },
    );
    fc.assert(property, { numRuns: RUNS });
  });

  it('an auction ends in the bar whose trade reached it', () => {
    const property = fc.property(randomTape, barChoice, (whole, bar) => {
      const tape = tapeOf(whole, bar);
      const sums = new SessionSums({ bar });
      const bars = new BarSeries();
      const kept = new Kept<'unfinished-auctions'>();
      for (const step of runOf('unfinished-auctions', barParamsOf(bar), tape)) kept.take(step);
      for (const { upserts } of runOf('footprint', barParamsOf(bar), tape)) bars.putAll(upserts);
      sums.update(bars, daysOf(whole.sessions), { fromNs: 0n, tapeNs: tape.until });
      for (const { id, removedNs } of sums.unfinished.all) {
        const removed = kept.removed.get(id) ?? null;
        assert.equal(removedNs === null, removed === null);
        if (removed === null) continue;
        const isIn = (ns: bigint) =>
          bars.columns.some(({ fromNs, endNs }) => fromNs === removedNs && ns <= endNs);
        assert.ok(removedNs === removed || (removedNs! <= removed && isIn(removed)));
      }
    });
    fc.assert(property, { numRuns: RUNS });
  });
});

describe('sums of pages of the past', () => {
  const pages = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 });

  it('pages that are loaded from the newest to the oldest give the same as all at once', () => {
    const property = fc.property(randomTape, barChoice, pages, (whole, bar, sizes) => {
      const tape = tapeOf(whole, bar);
      const days = daysOf(whole.sessions);
      const kept = new Kept<'footprint'>();
      for (const step of runOf('footprint', barParamsOf(bar), tape)) kept.take(step);
      const all = new BarSeries();
      all.putAll(kept.list);
      const [grown, bars] = [new SessionSums({ bar }), new BarSeries()];
      const rest = all.columns.flatMap((it) =>
        it.kind === 'bar' ? [kept.objects.get(it.id)!] : [],
      );
      for (let turn = 0; rest.length > 0; turn += 1) {
        bars.putAll(rest.splice(-sizes[turn % sizes.length]!));
        const extent = { fromNs: rest.length === 0 ? 0n : null, tapeNs: tape.until };
        grown.update(bars, days, extent);
        const fresh = new SessionSums({ bar });
        fresh.update(bars, days, extent);
        assert.deepEqual(grown.delta.all, fresh.delta.all);
        assert.deepEqual(grown.vwap.all, fresh.vwap.all);
        assert.deepEqual(grown.profile.all, fresh.profile.all);
        assert.deepEqual(grown.unfinished.all, fresh.unfinished.all);
      }
      if (bar.kind === 'time') return;
      const [deltas, profiles] = [new Kept<'delta'>(), new Kept<'volume-profile'>()];
      for (const step of runOf('delta', barParamsOf(bar), tape)) deltas.take(step);
      for (const step of runOf('volume-profile', {}, tape)) profiles.take(step);
      assert.deepEqual(listOf(grown.delta), deltas.list);
      assert.deepEqual(listOf(grown.profile), profiles.list);
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it('a session whose begin is not loaded has no sums, and gets them with its first bars', () => {
    const bar: BarChoice = { kind: 'time', size: 60, session: 'full' };
    const span: SessionSpan = {
      date: 20260105,
      openNs: 0n,
      closeNs: 3_600n * SECOND,
      regular: null,
    };
    const bars = new BarSeries();
    const sums = new SessionSums({ bar });
    bars.put(madeBar('20260105.9', 120n * SECOND, 7));
    sums.update(bars, [span]);
    assert.equal(sums.delta.size, 0);
    bars.put(madeBar('20260105.1', 0n, 3));
    sums.update(bars, [span], { fromNs: 0n, tapeNs: null });
    assert.deepEqual(
      sums.delta.all.map(({ data }) => [data.open, data.close]),
      [
        [0, 3],
        [3, 10],
      ],
    );
  });

  it('what becomes untrue is taken back: other bars of the past, and no bars', () => {
    const bar: BarChoice = { kind: 'time', size: 60, session: 'full' };
    const span: SessionSpan = {
      date: 20260105,
      openNs: 0n,
      closeNs: 3_600n * SECOND,
      regular: null,
    };
    const extent = { fromNs: 0n, tapeNs: null };
    const bars = new BarSeries();
    const sums = new SessionSums({ bar });
    bars.putAll([madeBar('20260105.1', 0n, 3), madeBar('20260105.9', 60n * SECOND, 7)]);
    sums.update(bars, [span], extent);
    bars.put(madeBar('20260105.1', 0n, 2));
    sums.update(bars, [span], extent);
    assert.deepEqual(
      sums.delta.all.map(({ data }) => data.close),
      [2, 9],
    );
    assert.deepEqual(sums.profile.all[0]!.data.levels, [[100, 0, 9]]);
    bars.clear();
    sums.update(bars, [span], extent);
    assert.deepEqual(
      [sums.delta.size, sums.vwap.size, sums.profile.size, sums.unfinished.size],
      [0, 0, 0, 0],
    );
  });
});

describe('what can be summed', () => {
  const bar: BarChoice = { kind: 'time', size: 300, session: 'full' };
  const cases: readonly [string, GivenParams, number | null, boolean][] = [
    ['vwap', {}, 1, true],
    ['vwap', { bar: 'time', size: 300, session: 'full', depth: 5 }, 1, true],
    ['vwap', { size: 60 }, 1, false],
    ['vwap', { session: 'rth' }, 1, false],
    ['vwap', {}, 2, false],
    ['delta', {}, null, true],
    ['volume-profile', {}, 1, true],
    ['volume-profile', {}, null, false],
    ['volume-profile', { group: 4 }, 2, true],
    ['volume-profile', { group: 3 }, 2, false],
    ['volume-profile', { pocTie: 'first' }, 1, false],
    ['volume-profile', { period: 1_800 }, 1, true],
    ['volume-profile', { period: 400 }, 1, false],
    ['unfinished-auctions', { minVolume: 5, lookback: 3 }, 1, true],
    ['unfinished-auctions', { unknown: 1 }, 1, false],
    ['tape-speed', {}, 1, false],
    ['constructor', {}, 1, false],
  ];
  for (const [indicator, params, levelsGroup, can] of cases) {
    it(`${indicator} ${JSON.stringify(params)} of rows of ${levelsGroup}: ${can}`, () => {
      assert.equal(canSum(indicator, params, bar, levelsGroup), can);
    });
  }

  it('defaults are those of the indicators', () => {
    const defaults = (id: Summed) =>
      Object.fromEntries(indicatorNamed(id)!.parameters.map((it) => [it.name, it.default]));
    const { depth: _, session: __, ...profile } = defaults('volume-profile');
    assert.deepEqual(profile, { period: 'session', group: 1, valueArea: 70, pocTie: 'centre' });
    const { minVolume, lookback } = defaults('unfinished-auctions');
    assert.deepEqual({ minVolume, lookback }, { minVolume: 1, lookback: 1 });
  });
});

const SECOND = 1_000_000_000n;

/** A bar of bought lots at one price. */
function madeBar(id: string, ts: bigint, lots: number): IndicatorObject<'footprint'> {
  const prices = { open: 100, high: 100, low: 100, close: 100, poc: 100, vah: 100, val: 100 };
  const sums = { volume: lots, bid: 0, ask: lots, unknown: 0, trades: lots, delta: lots };
  const data = {
    ...{ ...prices, ...sums, deltaMin: 0, deltaMax: lots, end: String(ts + SECOND) },
    ...{ levels: [[100, 0, lots]] as const, imbalances: [] },
  };
  return { id, final: true, ts, data };
}
