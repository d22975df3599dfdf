/** Every indicator with random parameters, beside its twin with the same ones. */

import fc from 'fast-check';
import { absorption } from '../../src/studies/absorption.ts';
import { BarStudy } from '../../src/studies/bar-study.ts';
import { BarSums } from '../../src/studies/bar-sums.ts';
import { barCutter } from '../../src/studies/cutters/bar-kinds.ts';
import { delta } from '../../src/studies/delta.ts';
import { footprint } from '../../src/studies/footprint.ts';
import { imbalances } from '../../src/studies/imbalances.ts';
import type { Params } from '../../src/studies/indicator.ts';
import { largeTrades } from '../../src/studies/large-trades.ts';
import { nakedLevels } from '../../src/studies/naked-levels.ts';
import { sessionLevels } from '../../src/studies/session-levels.ts';
import type { Study } from '../../src/studies/study.ts';
import { sweeps } from '../../src/studies/sweeps.ts';
import { tapeSpeed } from '../../src/studies/tape-speed.ts';
import { tpo } from '../../src/studies/tpo.ts';
import { unfinishedAuctions } from '../../src/studies/unfinished-auctions.ts';
import { volumeProfile } from '../../src/studies/volume-profile.ts';
import { vwap } from '../../src/studies/vwap.ts';
import { type AbsorptionParams, absorptionTwin } from './absorption-twin.ts';
import { type BarParams, barData, barTwin } from './bar-twin.ts';
import { type ClusterParams, clusterTwin } from './cluster-twin.ts';
import { deltaTwin } from './delta-twin.ts';
import { type FootprintParams, footprintTwin } from './footprint-twin.ts';
import { type ImbalancesParams, imbalancesTwin } from './imbalances-twin.ts';
import { type NakedLevelsParams, nakedLevelsTwin } from './naked-levels-twin.ts';
import { sessionLevelsTwin } from './session-levels-twin.ts';
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

export interface Subject {
  readonly create: () => Study;
  readonly twin: (tape: TwinTape) => TwinUpdate[];
  /** Sessions a fresh run must start before the one it is asked for. */
  readonly lookBackSessions: number;
  /** Objects stay until they are removed. */
  readonly outlivesSession?: true;
}

const barParams = fc.oneof(
  fc.record({ bar: fc.constant('time'), size: fc.constantFrom(1, 60, 3_600, 100_000) }),
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

const CAP = 4;

const barSubject: fc.Arbitrary<Subject> = barParams.map((params) => ({
  create: () => new BarStudy(new BarSums(), (bar) => barCutter(params, bar, CAP)),
  twin: (tape) => barTwin(tape, params as BarParams, barData, CAP),
  lookBackSessions: 0,
}));

const footprintSubject: fc.Arbitrary<Subject> = fc
  .tuple(
    barParams,
    fc.record({
      ...profileParams,
      ratio: fc.constantFrom(1, 1.1, 1.15, 2.5, 3),
      minVolume: fc.constantFrom(1, 5),
      zero: fc.constantFrom('ignore', 'count'),
    }),
  )
  .map(([bar, rest]) => ({ ...bar, ...rest }))
  .map((params) => ({
    create: () => footprint.create(params as unknown as Params),
    twin: (tape) => footprintTwin(tape, params as FootprintParams),
    lookBackSessions: 0,
  }));

const clusterSubject: fc.Arbitrary<Subject> = fc
  .record({
    gapMs: fc.constantFrom(0, 1, 3, 20, 10_000),
    minSize: fc.constantFrom(0, 0, 1, 5, 12),
    perSession: fc.constantFrom(1, 2, 5),
  })
  .map((params) => ({
    create: () => largeTrades.create(params as unknown as Params),
    twin: (tape) => clusterTwin(tape, params as ClusterParams),
    lookBackSessions: params.minSize === 0 ? 10 : 0,
  }));

const absorptionSubject: fc.Arbitrary<Subject> = fc
  .record({
    windowMs: fc.constantFrom(1, 3, 20, 7_000, 60_000),
    holdMs: fc.constantFrom(1, 3, 20, 1_000, 60_000),
    slip: fc.constantFrom(0, 1, 3),
    minSize: fc.constantFrom(0, 0, 1, 5, 12),
    perSession: fc.constantFrom(1, 2, 5),
  })
  .map((params) => ({
    create: () => absorption.create(params as unknown as Params),
    twin: (tape) => absorptionTwin(tape, params as AbsorptionParams),
    lookBackSessions: params.minSize === 0 ? 10 : 0,
  }));

const sweepSubject: fc.Arbitrary<Subject> = fc
  .record({
    gapMs: fc.constantFrom(0, 1, 3, 20, 10_000),
    levels: fc.constantFrom(2, 2, 3, 5),
    minSize: fc.constantFrom(0, 0, 1, 5, 12),
  })
  .map((params) => ({
    create: () => sweeps.create(params as unknown as Params),
    twin: (tape) => sweepTwin(tape, params as SweepParams),
    lookBackSessions: 0,
  }));

const volumeProfileSubject: fc.Arbitrary<Subject> = fc
  .record({ period: fc.constantFrom('session', 'session', 1, 60, 3_600, 86_400), ...profileParams })
  .map((params) => ({
    create: () => volumeProfile.create(params as unknown as Params),
    twin: (tape) => volumeProfileTwin(tape, params as VolumeProfileParams),
    lookBackSessions: 0,
  }));

const tapeSpeedSubject: fc.Arbitrary<Subject> = fc
  .record({
    windowSeconds: fc.constantFrom(1, 2, 7, 15, 3_600),
    pace: fc.constantFrom(1, 1.15, 1.5, 3),
  })
  .map((params) => ({
    create: () => tapeSpeed.create(params),
    twin: (tape) => tapeSpeedTwin(tape, params as TapeSpeedParams),
    lookBackSessions: 0,
  }));

const deltaSubject: fc.Arbitrary<Subject> = barParams.map((params) => ({
  create: () => delta.create(params),
  twin: (tape) => deltaTwin(tape, params),
  lookBackSessions: 0,
}));

const vwapSubject: fc.Arbitrary<Subject> = barParams.map((params) => ({
  create: () => vwap.create(params),
  twin: (tape) => vwapTwin(tape, params),
  lookBackSessions: 0,
}));

const tpoSubject: fc.Arbitrary<Subject> = fc
  .record({
    bracketMinutes: fc.constantFrom(1, 10, 30, 1_440),
    initialBalanceMinutes: fc.constantFrom(1, 60, 600),
    ...profileParams,
  })
  .map((params) => ({
    create: () => tpo.create(params as unknown as Params),
    twin: (tape) => tpoTwin(tape, params as TpoParams),
    lookBackSessions: 0,
  }));

const nakedLevelsSubject: fc.Arbitrary<Subject> = fc
  .record({ lookback: fc.constantFrom(1, 2, 10), ...profileParams })
  .map((params) => ({
    create: () => nakedLevels.create(params as unknown as Params),
    twin: (tape) => nakedLevelsTwin(tape, params as NakedLevelsParams),
    lookBackSessions: params.lookback,
    outlivesSession: true,
  }));

const imbalancesSubject: fc.Arbitrary<Subject> = fc
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
  .map(([bar, rest]): ImbalancesParams => ({ ...bar, ...rest }))
  .map((params) => ({
    create: () => imbalances.create(params as unknown as Params),
    twin: (tape) => imbalancesTwin(tape, params),
    lookBackSessions: params.lookback,
    outlivesSession: true,
  }));

const unfinishedAuctionsSubject: fc.Arbitrary<Subject> = fc
  .tuple(
    barParams,
    fc.record({ minVolume: fc.constantFrom(1, 1, 1, 3), lookback: fc.constantFrom(1, 2, 5) }),
  )
  .map(([bar, rest]): UnfinishedAuctionsParams => ({ ...bar, ...rest }))
  .map((params) => ({
    create: () => unfinishedAuctions.create(params as unknown as Params),
    twin: (tape) => unfinishedAuctionsTwin(tape, params),
    lookBackSessions: params.lookback,
    outlivesSession: true,
  }));

const sessionLevelsSubject: fc.Arbitrary<Subject> = fc
  .record({
    session: fc.constantFrom('full', 'rth', 'rth', 'utc'),
    initialBalanceMinutes: fc.constantFrom(1, 60, 1_440),
  })
  .map((params) => ({
    create: () => sessionLevels.create(params),
    twin: (tape) => sessionLevelsTwin(tape, params),
    lookBackSessions: 10,
  }));

/** In the order of the catalogue. */
export const SUBJECTS: Readonly<Record<string, fc.Arbitrary<Subject>>> = {
  bars: barSubject,
  footprint: footprintSubject,
  'large-trades': clusterSubject,
  delta: deltaSubject,
  'volume-profile': volumeProfileSubject,
  vwap: vwapSubject,
  imbalances: imbalancesSubject,
  absorption: absorptionSubject,
  sweeps: sweepSubject,
  tpo: tpoSubject,
  'naked-levels': nakedLevelsSubject,
  'unfinished-auctions': unfinishedAuctionsSubject,
  'tape-speed': tapeSpeedSubject,
  'session-levels': sessionLevelsSubject,
};
