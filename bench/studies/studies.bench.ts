/**
 * The speed of every indicator with default parameters, over twenty million simulated trades in
 * memory, on one thread, side by side in one run. Settled: beside a bare loop over the columns,
 * DuckDB's SQL and tardis-dev. Incremental: with a flush every 10 ms of tape time. Also
 * allocations, and the memory of a running `footprint`.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { bareLoop } from '../peers/bare-loop.ts';
import { DuckDbPeer, PEER_SQL } from '../peers/duckdb-peer.ts';
import { barsByCompute, barsByLoop, tardisTrades } from '../peers/tardis-peer.ts';
import { measured } from '../shared/measure.ts';
import type { Bench } from '../shared/report.ts';
import { type SimTape, simulatedTape } from '../shared/sim-tape.ts';
import type { FootprintMemory } from './footprint-memory.ts';
import { CEILING, duckDbName, studiesReport } from './studies-report.ts';
import { incrementalPass, settledPass } from './study-pass.ts';

const TRADES = 20_000_000;
/** The start of the same tape: more than a session, so that thresholds that look back are set. */
const PART_TRADES = 600_000;
const ROUNDS = 5;
const PART_ROUNDS = 3;
const STEP_NS = 10_000_000;

type NamedWork = readonly [string, () => unknown];

export const run: Bench = async () => {
  const memory = await footprintMemory();
  const tape = simulatedTape(TRADES);
  const part = simulatedTape(PART_TRADES);
  using duckDb = await DuckDbPeer.load(tape);
  const objects = await warmUp(tape, duckDb);
  const whole = await measured(
    ROUNDS,
    new Map<string, () => unknown>([
      [CEILING, () => bareLoop(tape)],
      ...INDICATORS.map((one): NamedWork => [one.id, () => settledPass(one, tape)]),
      ...[...PEER_SQL.keys()].map((id): NamedWork => [duckDbName(id), () => duckDb.query(id)]),
    ]),
  );
  const trades = tardisTrades(part);
  const onPart = await measured(
    PART_ROUNDS,
    new Map<string, () => unknown>([
      ...INDICATORS.map((one): NamedWork => [one.id, () => incrementalPass(one, part, STEP_NS)]),
      ['compute', () => barsByCompute(trades)],
      ['loop', () => barsByLoop(trades)],
    ]),
  );
  return studiesReport({
    whole,
    onPart,
    objects,
    memory,
    trades: TRADES,
    partTrades: PART_TRADES,
    rounds: ROUNDS,
    partRounds: PART_ROUNDS,
  });
};

/**
 * Lets V8 compile all measured code. Checks that SQL finds as many rows as there are objects or,
 * for objects with levels, levels. Returns the number of objects of each indicator.
 */
async function warmUp(tape: SimTape, duckDb: DuckDbPeer): Promise<ReadonlyMap<string, number>> {
  const objects = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) bareLoop(tape);
  for (const indicator of INDICATORS) {
    const found = settledPass(indicator, tape);
    objects.set(indicator.id, found.objects);
    if (!PEER_SQL.has(indicator.id)) continue;
    const rows = await duckDb.query(indicator.id);
    if (rows !== (found.levels || found.objects)) {
      throw new Error(`${indicator.id}: not the ${rows} rows that DuckDB finds`);
    }
  }
  return objects;
}

async function footprintMemory(): Promise<FootprintMemory> {
  const child = fork(fileURLToPath(new URL('./footprint-memory.ts', import.meta.url)), {
    // V8 must not discard and recompile code: it would count as the study's memory.
    execArgv: ['--no-flush-bytecode'],
  });
  const [memory] = await once(child, 'message');
  return memory as FootprintMemory;
}
