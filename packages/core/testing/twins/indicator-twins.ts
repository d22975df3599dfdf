/**
 * Every indicator with its naive twin, and random parameters for both. This is the only list: golden vectors, property
 * tests and `npm run vectors` use it, and `npm test -- tests/every-indicator` names an indicator missing from it.
 */

import fc from 'fast-check';
import { BarStudy } from '../../src/studies/bar-study.ts';
import { BarSums } from '../../src/studies/bar-sums.ts';
import { barCutter } from '../../src/studies/cutters/bar-kinds.ts';
import type { Indicator, Params } from '../../src/studies/indicator.ts';
import type { Study } from '../../src/studies/study.ts';
import { type AbsorptionParams, absorptionTwin } from './absorption-twin.ts';
import { type BarParams, barData, barTwin } from './bar-twin.ts';
import { deltaTwin } from './delta-twin.ts';
import { type FootprintParams, footprintTwin } from './footprint-twin.ts';
import { type ImbalancesParams, imbalancesTwin } from './imbalances-twin.ts';
import { type LargeTradesParams, largeTradesTwin } from './large-trades-twin.ts';
import { type NakedLevelsParams, nakedLevelsTwin } from './naked-levels-twin.ts';
import { type SessionLevelsParams, sessionLevelsTwin } from './session-levels-twin.ts';
import { type SweepParams, sweepTwin } from './sweep-twin.ts';
import { type TapeSpeedParams, tapeSpeedTwin } from './tape-speed-twin.ts';
import { type TpoParams, tpoTwin } from './tpo-twin.ts';
import type { TwinTape, TwinUpdate } from './twin-tape.ts';
import {
  type UnfinishedAuctionsParams,
  unfinishedAuctionsTwin,
} from './unfinished-auctions-twin.ts';
import { type VolumeProfileParams, volumeProfileTwin } from './volume-profile-twin.ts';
import { vwapTwin } from './vwap-twin.ts';

interface TwinOf<P> {
  readonly params: fc.Arbitrary<P>;
  readonly twin: (tape: TwinTape, params: P, barsPerTradeMax?: number) => TwinUpdate[];
  /** Sessions that a fresh run must start before the requested one; absent: none. */
  readonly lookBackSessions?: (params: P) => number;
  /** Objects stay until they are removed. */
  readonly outlivesSession?: true;
  /** Replaces the limit of bars per trade in the property tests: random tapes do not reach the real one. */
  readonly barsPerTradeMax?: number;
}

export type IndicatorTwin = TwinOf<Params>;

const barParams: fc.Arbitrary<BarParams> = fc.oneof(
  fc.record({
    bar: fc.constant('time'),
    size: fc.constantFrom(1, 60, 3_600, 100_000),
  }),
  fc.record({
    bar: fc.constantFrom('tick', 'volume', 'range', 'delta', 'renko'),
    size: fc.constantFrom(1, 2, 3, 5, 8, 20),
  }),
);

const profileParams = {
  group: fc.constantFrom(1, 1, 2, 5),
  valueArea: fc.constantFrom(1, 50, 70, 100),
  pocTie: fc.constantFrom('centre', 'lowest', 'highest', 'first'),
};

/** By id, in the order of the catalogue. */
export const TWINS: Readonly<Record<string, IndicatorTwin>> = {
  bars: of<BarParams>({
    params: barParams,
    twin: (tape, params, max) => barTwin(tape, params, barData, max),
    barsPerTradeMax: 4,
  }),
  footprint: of<FootprintParams>({
    params: fc
      .tuple(
        barParams,
        fc.record({
          ...profileParams,
          ratio: fc.constantFrom(1, 1.1, 1.15, 2.5, 3),
          minVolume: fc.constantFrom(1, 5),
          zero: fc.constantFrom('ignore', 'count'),
        }),
      )
      .map(([bar, rest]) => ({ ...bar, ...rest })),
    twin: footprintTwin,
  }),
  'large-trades': of<LargeTradesParams>({
    params: fc.record({
      gapMs: fc.constantFrom(0, 1, 3, 20, 10_000),
      minSize: fc.constantFrom(0, 0, 1, 5, 12),
      perSession: fc.constantFrom(1, 2, 5),
    }),
    twin: largeTradesTwin,
    lookBackSessions: ({ minSize }) => (minSize === 0 ? 10 : 0),
  }),
  delta: of<BarParams>({ params: barParams, twin: deltaTwin }),
  'volume-profile': of<VolumeProfileParams>({
    params: fc.record({
      period: fc.constantFrom<'session' | number>('session', 'session', 1, 60, 3_600, 86_400),
      ...profileParams,
    }),
    twin: volumeProfileTwin,
  }),
  vwap: of<BarParams>({ params: barParams, twin: vwapTwin }),
  imbalances: of<ImbalancesParams>({
    params: fc
      .tuple(
        barParams,
        fc.record({
          group: fc.constantFrom(1, 1, 2),
          ratio: fc.constantFrom(1, 1.15, 3),
          minVolume: fc.constantFrom(1, 5),
          zero: fc.constantFrom('ignore', 'count', 'count'),
          stack: fc.constantFrom(1, 1, 2, 3),
          lookback: fc.constantFrom(1, 2, 5),
        }),
      )
      .map(([bar, rest]) => ({ ...bar, ...rest })),
    twin: imbalancesTwin,
    lookBackSessions: ({ lookback }) => lookback,
    outlivesSession: true,
  }),
  absorption: of<AbsorptionParams>({
    params: fc.record({
      windowMs: fc.constantFrom(1, 3, 20, 7_000, 60_000),
      holdMs: fc.constantFrom(1, 3, 20, 1_000, 60_000),
      slip: fc.constantFrom(0, 1, 3),
      minSize: fc.constantFrom(0, 0, 1, 5, 12),
      perSession: fc.constantFrom(1, 2, 5),
    }),
    twin: absorptionTwin,
    lookBackSessions: ({ minSize }) => (minSize === 0 ? 10 : 0),
  }),
  sweeps: of<SweepParams>({
    params: fc.record({
      gapMs: fc.constantFrom(0, 1, 3, 20, 10_000),
      levels: fc.constantFrom(2, 2, 3, 5),
      minSize: fc.constantFrom(0, 0, 1, 5, 12),
    }),
    twin: sweepTwin,
  }),
  tpo: of<TpoParams>({
    params: fc.record({
      bracketMinutes: fc.constantFrom(1, 10, 30, 1_440),
      initialBalanceMinutes: fc.constantFrom(1, 60, 600),
      ...profileParams,
    }),
    twin: tpoTwin,
  }),
  'naked-levels': of<NakedLevelsParams>({
    params: fc.record({ lookback: fc.constantFrom(1, 2, 10), ...profileParams }),
    twin: nakedLevelsTwin,
    lookBackSessions: ({ lookback }) => lookback,
    outlivesSession: true,
  }),
  'unfinished-auctions': of<UnfinishedAuctionsParams>({
    params: fc
      .tuple(
        barParams,
        fc.record({ minVolume: fc.constantFrom(1, 1, 1, 3), lookback: fc.constantFrom(1, 2, 5) }),
      )
      .map(([bar, rest]) => ({ ...bar, ...rest })),
    twin: unfinishedAuctionsTwin,
    lookBackSessions: ({ lookback }) => lookback,
    outlivesSession: true,
  }),
  'tape-speed': of<TapeSpeedParams>({
    params: fc.record({
      windowSeconds: fc.constantFrom(1, 2, 7, 15, 3_600),
      pace: fc.constantFrom(1, 1.15, 1.5, 3),
    }),
    twin: tapeSpeedTwin,
  }),
  'session-levels': of<SessionLevelsParams>({
    params: fc.record({
      session: fc.constantFrom('full', 'rth', 'rth', 'utc'),
      initialBalanceMinutes: fc.constantFrom(1, 60, 1_440),
    }),
    twin: sessionLevelsTwin,
    lookBackSessions: () => 10,
  }),
};

/** Its parameters are those that the indicator passes to its study. */
function of<P>(it: TwinOf<P>): IndicatorTwin {
  return it as unknown as IndicatorTwin;
}

/** The study of an indicator. With a limit of bars per trade it is that of `bars`, the only one that takes it. */
export function studyOf(indicator: Indicator, params: Params, barsPerTradeMax?: number): Study {
  if (barsPerTradeMax === undefined) return indicator.create(params);
  return new BarStudy(new BarSums(), (bar) => barCutter(params, bar, barsPerTradeMax));
}
