/** The published golden vectors, against the studies and against the twins. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type AbsorptionParams, absorptionTwin } from '../../testing/twins/absorption-twin.ts';
import { type BarParams, barData, barTwin } from '../../testing/twins/bar-twin.ts';
import { type ClusterParams, clusterTwin } from '../../testing/twins/cluster-twin.ts';
import { deltaTwin } from '../../testing/twins/delta-twin.ts';
import { type FootprintParams, footprintTwin } from '../../testing/twins/footprint-twin.ts';
import { type ImbalancesParams, imbalancesTwin } from '../../testing/twins/imbalances-twin.ts';
import { type NakedLevelsParams, nakedLevelsTwin } from '../../testing/twins/naked-levels-twin.ts';
import {
  type SessionLevelsParams,
  sessionLevelsTwin,
} from '../../testing/twins/session-levels-twin.ts';
import { drive, everyUpdate } from '../../testing/twins/study-driver.ts';
import { type SweepParams, sweepTwin } from '../../testing/twins/sweep-twin.ts';
import { type TapeSpeedParams, tapeSpeedTwin } from '../../testing/twins/tape-speed-twin.ts';
import { type TpoParams, tpoTwin } from '../../testing/twins/tpo-twin.ts';
import {
  rankTrades,
  type TwinObject,
  type TwinTape,
  type TwinUpdate,
} from '../../testing/twins/twin-tape.ts';
import {
  type UnfinishedAuctionsParams,
  unfinishedAuctionsTwin,
} from '../../testing/twins/unfinished-auctions-twin.ts';
import {
  type VolumeProfileParams,
  volumeProfileTwin,
} from '../../testing/twins/volume-profile-twin.ts';
import { vwapTwin } from '../../testing/twins/vwap-twin.ts';
import { BarStudy } from './bar-study.ts';
import { BarSums } from './bar-sums.ts';
import { indicatorNamed } from './catalogue.ts';
import { barCutter } from './cutters/bar-kinds.ts';
import { parseParams } from './params.ts';

/** A line without `t` is an upsert. */
type LogLine = { readonly t?: 'remove'; readonly cursor: string } & TwinObject;

interface VectorCase {
  readonly case: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly barsPerTradeMax?: number;
  readonly sessions: readonly (readonly [
    open: string,
    close: string,
    regular?: readonly [open: string, close: string],
  ])[];
  readonly tape: readonly (readonly [string, number, number, number])[];
  readonly until: string;
  readonly log: readonly LogLine[];
}

type Twin = (tape: TwinTape, params: never, barsPerTradeMax?: number) => TwinUpdate[];

const TWINS: Readonly<Record<string, Twin>> = {
  bars: (tape, params: BarParams, max) => barTwin(tape, params, barData, max),
  footprint: (tape, params: FootprintParams) => footprintTwin(tape, params),
  delta: (tape, params: BarParams) => deltaTwin(tape, params),
  imbalances: (tape, params: ImbalancesParams) => imbalancesTwin(tape, params),
  'unfinished-auctions': (tape, params: UnfinishedAuctionsParams) =>
    unfinishedAuctionsTwin(tape, params),
  vwap: (tape, params: BarParams) => vwapTwin(tape, params),
  'large-trades': (tape, params: ClusterParams) => clusterTwin(tape, params),
  'volume-profile': (tape, params: VolumeProfileParams) => volumeProfileTwin(tape, params),
  absorption: (tape, params: AbsorptionParams) => absorptionTwin(tape, params),
  sweeps: (tape, params: SweepParams) => sweepTwin(tape, params),
  tpo: (tape, params: TpoParams) => tpoTwin(tape, params),
  'naked-levels': (tape, params: NakedLevelsParams) => nakedLevelsTwin(tape, params),
  'session-levels': (tape, params: SessionLevelsParams) => sessionLevelsTwin(tape, params),
  'tape-speed': (tape, params: TapeSpeedParams) => tapeSpeedTwin(tape, params),
};

for (const [id, twin] of Object.entries(TWINS)) {
  const indicator = indicatorNamed(id)!;
  const name = `${id}.v${indicator.version}.jsonl`;
  const file = new URL(`../../../../contract/vectors/${name}`, import.meta.url);
  const cases = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as VectorCase);

  describe(`golden vectors of ${id}`, () => {
    for (const vector of cases) {
      const { barsPerTradeMax } = vector;
      const parsed = parseParams(indicator, vector.params);
      assert.ok('params' in parsed);
      const { params } = parsed;
      const tape = tapeOf(vector);
      const create = () =>
        barsPerTradeMax === undefined
          ? indicator.create(params)
          : new BarStudy(new BarSums(), (bar) => barCutter(params, bar, barsPerTradeMax));

      it(`${vector.case}: every update, trade by trade [DET-01] [DET-06] [OBJ-01] [OBJ-02] [OBJ-04]`, () => {
        assert.deepEqual(everyUpdate(create(), tape).map(lineOf), vector.log);
      });

      it(`${vector.case}: the settled part in one piece [DET-16] [OBJ-03]`, () => {
        assert.deepEqual(
          drive(create(), tape, 'whole').recorder.messages.map(lineOf),
          vector.log.filter((update) => update.final),
        );
      });

      it(`${vector.case}: the twin agrees`, () => {
        const log = twin(tape, params as never, barsPerTradeMax).map(
          ({ day, rank, k, t, object }) => lineOf({ t, cursor: `${day}.${rank}.${k}`, ...object }),
        );
        assert.deepEqual(log, vector.log);
      });
    }
  });
}

function lineOf({
  t,
  ...update
}: { t: 'upsert' | 'remove'; cursor: string } & TwinObject): LogLine {
  return t === 'remove' ? { t, ...update } : update;
}

function tapeOf(vector: VectorCase): TwinTape {
  return {
    trades: rankTrades(
      vector.tape.map(([ns, price, size, side]) => ({ ns: BigInt(ns), price, size, side })),
    ),
    sessions: vector.sessions.map(([open, close, regular]) => ({
      ...spanOf([open, close]),
      ...(regular === undefined ? {} : { regular: spanOf(regular) }),
    })),
    until: BigInt(vector.until),
  };
}

function spanOf([open, close]: readonly [open: string, close: string]) {
  return { open: BigInt(open), close: BigInt(close) };
}
