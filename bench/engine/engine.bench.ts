/**
 * The speed of the engine's two oldest studies. Settled `bars` and `footprint` over simulated
 * trades, beside a bare loop that only sums the four columns and DuckDB's GROUP BY on one thread,
 * in one run. Then the same studies incrementally, with the flush step of streams.
 */

import { bars } from '@tapeloom/core/studies/bars';
import { FLUSH_STEP_NS } from '@tapeloom/core/studies/flush-step';
import { footprint } from '@tapeloom/core/studies/footprint';
import { bareLoop } from '../peers/bare-loop.ts';
import { DuckDbPeer } from '../peers/duckdb-peer.ts';
import { measured } from '../shared/measure.ts';
import type { Bench } from '../shared/report.ts';
import { simulatedTape } from '../shared/sim-tape.ts';
import { incrementalPass, settledPass } from '../studies/study-pass.ts';

const TRADES = 4_000_000;
const ROUNDS = 5;
const LIVE_TRADES = 500_000;
const LIVE_ROUNDS = 3;

export const run: Bench = async () => {
  const tape = simulatedTape(TRADES);
  const live = simulatedTape(LIVE_TRADES);
  using duckDb = await DuckDbPeer.load(tape);
  const settled = await measured(
    ROUNDS,
    new Map<string, () => unknown>([
      ['bare loop over four columns', () => bareLoop(tape)],
      ['DuckDB GROUP BY, bars', () => duckDb.query('bars')],
      ['DuckDB GROUP BY, footprint', () => duckDb.query('footprint')],
      ['settled bars', () => settledPass(bars, tape)],
      ['settled footprint', () => settledPass(footprint, tape)],
    ]),
  );
  const incremental = await measured(
    LIVE_ROUNDS,
    new Map([
      ['incremental bars, encoded', () => incrementalPass(bars, live, FLUSH_STEP_NS)],
      ['incremental footprint, encoded', () => incrementalPass(footprint, live, FLUSH_STEP_NS)],
    ]),
  );
  const rates = new Map([
    ...[...settled].map(([name, { cpuMs }]) => [name, (TRADES / cpuMs) * 1_000] as const),
    ...[...incremental].map(([name, { cpuMs }]) => [name, (LIVE_TRADES / cpuMs) * 1_000] as const),
  ]);
  const ratio = (name: string, to: string) => rates.get(name)! / rates.get(to)!;
  const barsToDuckDb = ratio('settled bars', 'DuckDB GROUP BY, bars');
  const footprintToDuckDb = ratio('settled footprint', 'DuckDB GROUP BY, footprint');
  return {
    title: `The engine's studies over ${TRADES.toLocaleString('en')} simulated trades`,
    columns: ['what', 'million trades/s', 'of the bare loop'],
    rows: [...rates].map(([name, rate]) => [
      name,
      (rate / 1e6).toFixed(2),
      `${(100 * ratio(name, 'bare loop over four columns')).toFixed(1)} %`,
    ]),
    notes: [
      'Rates are per second of processor time, the median of ' +
        `${ROUNDS} rounds (incremental: ${LIVE_ROUNDS}, over ${LIVE_TRADES.toLocaleString('en')} trades, a flush ` +
        'every 20 ms of tape time, every version encoded as JSON).',
      `Settled bars are ${barsToDuckDb.toFixed(2)} × DuckDB, footprint ${footprintToDuckDb.toFixed(2)} ×; ` +
        'DuckDB computes no extremes of the running delta, point of control, value area or imbalances.',
      `Target: settled bars at least 1.2 × DuckDB: ${barsToDuckDb >= 1.2 ? 'met' : 'missed'}.`,
    ],
    json: {
      trades: TRADES,
      tradesPerSecond: Object.fromEntries(
        [...rates].map(([name, rate]) => [name, Math.round(rate)]),
      ),
      barsToDuckDb,
      footprintToDuckDb,
    },
  };
};
