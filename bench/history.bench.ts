/**
 * How long settled results of one day take, footprint with bars of a minute: cold, from the sealed file to
 * the last byte of its lines; and from the cache; beside DuckDB on one thread that reads the same trades
 * from zstd Parquet, groups them by minute and price, and hands over the rows.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { parseParams } from '@tapeloom/core/studies/params';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { ResultCache } from '@tapeloom/server/history/result-cache';
import { type CacheUse, SettledDaysReader } from '@tapeloom/server/history/settled-days-reader';
import { NodeDisk } from '@tapeloom/server/platform/node-disk';
import { SIM_DATASET } from '@tapeloom/server/sources/sim-universe';
import { SealedDays } from '@tapeloom/server/tape/sealed-days';
import { NO_LIVE_DAYS, TapeReader } from '@tapeloom/server/tape/tape-reader';
import { ParquetPeer, type SealedTape, SYMBOL, sealTape } from './history-days.ts';
import type { Bench } from './report.ts';

const SIZES = [500_000, 5_000_000] as const;
const ROUNDS = 25;
/** Trades read before anything is measured, so that all code is compiled. */
const WARM_UP_TRADES = 10_000_000;
const COLD_MAX = 1;
const WARM_MAX = 0.1;

interface Row {
  readonly trades: number;
  readonly lines: number;
  readonly bytes: number;
  readonly kept: number;
  readonly cold: Times;
  readonly warm: Times;
  readonly duck: Times;
}

/** The least of all rounds, because others may use the machine. */
interface Times {
  readonly ms: number;
  /** Processor time of all threads. */
  readonly cpuMs: number;
}

export const run: Bench = async () => {
  const root = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
  try {
    const rows: Row[] = [];
    for (const trades of SIZES) rows.push(await measureDay(root, trades));
    return report(rows);
  } finally {
    rmSync(root, { recursive: true });
  }
};

async function measureDay(root: string, trades: number): Promise<Row> {
  const tape = await sealTape(root, 2, trades);
  using duckDb = await ParquetPeer.write(join(root, `${trades}.parquet`), tape.lastDay);
  const disk = new NodeDisk();
  const results = new ResultCache({
    disk,
    root: join(root, `cache-${trades}`),
    bytesMax: 2 ** 31,
    now: () => Date.now(),
    writer: 'bench',
  });
  const sealed = new SealedDays(disk, tape.tapeRoot, SIM_DATASET);
  const digest = async (contract: string, day: Parameters<SealedDays['sidecar']>[1]) =>
    (await sealed.sidecar(contract, day)).digest;
  const cold = readerOf(tape, disk, null);
  const warm = readerOf(tape, disk, { results, digest, dataset: SIM_DATASET, fingerprint: 'f' });
  let found = await readLastDay(warm, tape);
  await results.settled();
  for (let read = 0; read < WARM_UP_TRADES; read += tape.lastDay.count) {
    await readLastDay(cold, tape);
    found = await readLastDay(warm, tape);
  }
  const works = [
    () => readLastDay(cold, tape),
    () => readLastDay(warm, tape),
    () => duckDb.footprint(),
  ];
  const [coldTimes, warmTimes, duckTimes] = await leastTimes(works);
  const kept = results.counters.keptBytes;
  const times = { cold: coldTimes!, warm: warmTimes!, duck: duckTimes! };
  return { trades: tape.lastDay.count, ...found, kept, ...times };
}

/** The works take turns, so that a busy moment of the machine hits all alike. */
async function leastTimes(works: readonly (() => Promise<unknown>)[]): Promise<readonly Times[]> {
  const least = works.map(() => ({
    ms: Number.POSITIVE_INFINITY,
    cpuMs: Number.POSITIVE_INFINITY,
  }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, work] of works.entries()) {
      const [start, before] = [performance.now(), process.cpuUsage()];
      await work();
      const { user, system } = process.cpuUsage(before);
      least[at]!.ms = Math.min(least[at]!.ms, performance.now() - start);
      least[at]!.cpuMs = Math.min(least[at]!.cpuMs, (user + system) / 1_000);
    }
  }
  return least;
}

function readerOf(tape: SealedTape, disk: NodeDisk, cache: CacheUse | null): SettledDaysReader {
  return new SettledDaysReader({
    tape: new TapeReader(disk, tape.tapeRoot, SIM_DATASET, NO_LIVE_DAYS),
    indicators: new Map(INDICATORS.map((one) => [one.id, one])),
    sessionsOf: (_contract, kind) => tape.sessions(kind),
    yieldTurn: () => turn(),
    cache,
  });
}

async function readLastDay(reader: SettledDaysReader, tape: SealedTape) {
  const indicator = INDICATORS.find(({ id }) => id === 'footprint')!;
  const parsed = parseParams(indicator, {});
  if (!('params' in parsed)) throw new Error('the default parameters are refused');
  const { depth: _view, ...params } = parsed.params;
  const firstDay = tape.days.at(-1)!.day;
  await using read = await reader.read({
    account: 'bench',
    contract: SYMBOL,
    indicator: indicator.id,
    params,
    firstDay,
    until: epochNs(addDays(firstDay, 1), 0),
    hasTail: false,
    form: 'lines',
  });
  let [lines, bytes] = [0, 0];
  for (let result = await read.next(); result !== null; result = await read.next()) {
    lines += result.settled.ends.length;
    bytes += result.settled.bytes.length;
  }
  return { lines, bytes };
}

function report(rows: readonly Row[]) {
  const both = ({ ms, cpuMs }: Times) => `${ms.toFixed(1)} / ${cpuMs.toFixed(1)}`;
  const times = (value: number) => `${value.toFixed(2)} ×`;
  return {
    title: 'Settled results of one day, footprint of a minute, in this thread',
    columns: [
      'trades',
      'lines',
      'bytes',
      'kept',
      'cold ms',
      'warm ms',
      'DuckDB ms',
      'cold',
      'warm',
    ],
    rows: rows.map(({ trades, lines, bytes, kept, cold, warm, duck }) => [
      trades,
      lines,
      bytes,
      kept,
      both(cold),
      both(warm),
      both(duck),
      times(cold.ms / duck.ms),
      times(warm.ms / duck.ms),
    ]),
    notes: [
      `Times are the least of ${ROUNDS} rounds, by the clock / of the processor in all threads.`,
      'Days are decompressed in a thread beside the one that computes.',
      ...rows.map(({ trades, cold, warm, duck }) => {
        const isMet = cold.ms <= COLD_MAX * duck.ms && warm.ms <= WARM_MAX * duck.ms;
        const targets = `cold at most ${COLD_MAX} ×, warm at most ${WARM_MAX} × DuckDB`;
        return `Target, ${trades} trades: ${targets}: ${isMet ? 'met' : 'missed'}.`;
      }),
    ],
    json: { days: rows },
  };
}
