/**
 * The time for one day of history, footprint with bars of a minute, from the request to the last
 * byte of JSON over the loopback. Cold: the service reads the sealed day and computes it. Warm: the
 * result is cached. Beside it, DuckDB on one thread reads the same trades from zstd Parquet, groups
 * them by minute and price, and returns the rows inside the client's process.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ParquetPeer } from '../peers/parquet-peer.ts';
import { loadAverage, median } from '../shared/machine-load.ts';
import type { Bench } from '../shared/report.ts';
import { HistoryProcess, newFootprint } from './history-process.ts';
import { makeTape, newestDays } from './history-tape.ts';

/** Trades of a day, and the maximum time of its page as a share of DuckDB's time. */
const DAYS = [
  { trades: 500_000, coldMax: 0.7, warmMax: 0.08 },
  { trades: 5_000_000, coldMax: 0.5, warmMax: 0.02 },
] as const;
const ROUNDS = 25;
/** Warm pages per round; the other measurements take much longer. */
const WARM_PER_ROUND = 4;
/** Trades read before anything is measured, so that all code is compiled. */
const WARM_UP_TRADES = 10_000_000;
/** A result is cached a moment after the response. */
const KEPT_LOOK_MS = 20;

/** The least and the median of all rounds, because other programs may use the machine. */
interface Times {
  readonly leastMs: number;
  readonly medianMs: number;
}

interface Row {
  readonly wish: (typeof DAYS)[number];
  readonly trades: number;
  readonly bytes: number;
  readonly cold: Times;
  readonly warm: Times;
  readonly duck: Times;
}

export const run: Bench = async () => {
  const root = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
  try {
    const rows: Row[] = [];
    for (const wish of DAYS) {
      console.error(`measuring: a day of ${wish.trades} trades`);
      rows.push({ wish, ...(await measureDay(join(root, String(wish.trades)), wish.trades)) });
    }
    return report(rows);
  } finally {
    rmSync(root, { recursive: true });
  }
};

async function measureDay(directory: string, tradesPerDay: number): Promise<Omit<Row, 'wish'>> {
  const data = join(directory, 'data');
  const tape = await makeTape(data, { root: 'ES', days: 1, tradesPerDay });
  using duckDb = await ParquetPeer.write(join(directory, 'day.parquet'), tape.lastDay);
  await using process = await HistoryProcess.start(data, 1);
  const { from, to, trades } = newestDays(tape, 1);
  const day = { instrument: tape.symbol, from: String(from), to: String(to) };
  const page = { ...day, indicator: 'footprint', limit: '5400' };
  const ask = async (params = '{}') => await process.ask(0, '/v1/history', { ...page, params });
  for (let read = 0; read < WARM_UP_TRADES; read += trades) {
    await cold();
    await ask();
    await duckDb.footprint();
  }
  const [colds, warms, ducks]: number[][] = [[], [], []];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    // The measurements take turns, so that a busy moment of the machine hits all alike.
    colds!.push(await cold());
    for (let warm = 0; warm < WARM_PER_ROUND; warm += 1) {
      const answered = await ask();
      bytes = answered.bytes;
      warms!.push(answered.ms);
    }
    const startMs = performance.now();
    await duckDb.footprint();
    ducks!.push(performance.now() - startMs);
  }
  return { trades, bytes, cold: times(colds!), warm: times(warms!), duck: times(ducks!) };

  /** Returns when the result is cached. */
  async function cold(): Promise<number> {
    process.clearCache();
    const { ms } = await ask(newFootprint());
    while (!process.isKept) await pause(KEPT_LOOK_MS);
    return ms;
  }
}

function times(all: readonly number[]): Times {
  return { leastMs: Math.min(...all), medianMs: median(all) };
}

function report(rows: readonly Row[]) {
  const both = ({ leastMs, medianMs }: Times) => `${leastMs.toFixed(1)} / ${medianMs.toFixed(1)}`;
  const share = (one: Times, other: Times) => `${(one.leastMs / other.leastMs).toFixed(2)} ×`;
  return {
    title: 'One day of history over HTTP, footprint of a minute, beside DuckDB',
    columns: ['trades', 'bytes of JSON', 'cold ms', 'warm ms', 'DuckDB ms', 'cold', 'warm'],
    rows: rows.map(({ trades, bytes, cold, warm, duck }) => [
      trades,
      bytes,
      both(cold),
      both(warm),
      both(duck),
      share(cold, duck),
      share(warm, duck),
    ]),
    notes: [
      `Times are the least / the median of ${ROUNDS} rounds by the clock; shares are of the least.`,
      'Cold and warm: from the request to the last byte, by a client in a process of its own.',
      'DuckDB: one thread, zstd Parquet, GROUP BY minute and price, its rows fetched as column chunks.',
      `Load of the machine: ${loadAverage()}.`,
      ...rows.map(({ wish, trades, cold, warm, duck }) => {
        const isCold = cold.leastMs <= wish.coldMax * duck.leastMs;
        const isWarm = warm.leastMs <= wish.warmMax * duck.leastMs;
        const word = (isMet: boolean) => (isMet ? 'met' : 'missed');
        return (
          `Targets, ${trades.toLocaleString('en-US')} trades: cold at most ${wish.coldMax} × DuckDB: ` +
          `${word(isCold)}; warm at most ${wish.warmMax} ×: ${word(isWarm)}.`
        );
      }),
    ],
    json: { days: rows },
  };
}
