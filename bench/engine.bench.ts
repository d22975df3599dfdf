/**
 * How fast studies are: settled `bars` and `footprint` (time, 60 s) over millions of trades, beside a
 * bare loop that only sums the four columns and beside DuckDB's GROUP BY on one thread, in one run;
 * and the same studies incremental, with a flush every 20 ms of tape time.
 */

import { performance } from 'node:perf_hooks';
import { GCProfiler } from 'node:v8';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Session, SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { parseParams } from '@tapeloom/core/studies/params';
import { PublishedObjects } from '@tapeloom/core/studies/published-objects';
import { FLUSH_STEP_NS, type RunOutput, StudyRun } from '@tapeloom/core/studies/run';
import { allocateBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS, epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { Bench } from './report.ts';

const TRADES = 4_000_000;
const BATCH_ROWS = 65_536;
const ROUNDS = 5;
/** Incremental runs are slow enough to be steady. */
const INCREMENTAL_ROUNDS = 2;
const DAY = utcDay(20260105);

export const run: Bench = async () => {
  const batches = tape();
  const db = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await db.connect();
  await load(connection, batches);

  const [bare, duckBars, duckFootprint, bars, footprint] = await measure(ROUNDS, [
    () => sumColumns(batches),
    () => query(connection, BARS_SQL),
    () => query(connection, FOOTPRINT_SQL),
    () => runStudy(batches, 'bars', 0),
    () => runStudy(batches, 'footprint', 0),
  ]);
  const live = (id: string) => () => runStudy(batches, id, FLUSH_STEP_NS);
  const [barsLive, footprintLive] = await measure(INCREMENTAL_ROUNDS, [
    live('bars'),
    live('footprint'),
  ]);
  const flushes = live('bars')().flushes;
  connection.closeSync();
  const row = (name: string, measured: Measured, duck: Measured | null) => [
    name,
    Math.round(measured.tradesPerSecond / 1e5) / 10,
    ratio(measured, bare),
    duck === null ? '' : ratio(measured, duck),
    measured.collections,
  ];
  const barsToDuckDb = ratio(bars, duckBars);
  return {
    title: `Studies over ${TRADES.toLocaleString('en')} trades of one day`,
    columns: ['what', 'million trades/s', 'of the bare loop', 'of DuckDB', 'GC runs'],
    rows: [
      row('bare loop over four columns', bare, null),
      row('DuckDB GROUP BY, bars', duckBars, null),
      row('DuckDB GROUP BY, footprint', duckFootprint, null),
      row('settled bars', bars, duckBars),
      row('settled footprint', footprint, duckFootprint),
      row('incremental bars, encoded', barsLive, null),
      row('incremental footprint, encoded', footprintLive, null),
    ],
    notes: [
      `Each number is the best of ${ROUNDS} rounds (incremental: ${INCREMENTAL_ROUNDS}); GC runs are those of that round.`,
      'DuckDB computes open, high, low, close, volumes and count (footprint: volumes by bar and price), ' +
        'but no extremes of the running delta, point of control, value area or imbalances.',
      `Incremental runs make ${flushes.toLocaleString('en')} flushes, one per 20 ms of tape time with ` +
        `trades, and encode every version as JSON: ${flushUs(barsLive, flushes)} µs a flush for bars, ` +
        `${flushUs(footprintLive, flushes)} µs for footprint.`,
      `Target: settled bars at least 1.2 times DuckDB: ${barsToDuckDb >= 1.2 ? 'met' : 'missed'}.`,
    ],
    json: {
      bench: 'engine',
      trades: TRADES,
      bareTradesPerSecond: Math.round(bare.tradesPerSecond),
      barsTradesPerSecond: Math.round(bars.tradesPerSecond),
      footprintTradesPerSecond: Math.round(footprint.tradesPerSecond),
      barsLiveTradesPerSecond: Math.round(barsLive.tradesPerSecond),
      footprintLiveTradesPerSecond: Math.round(footprintLive.tradesPerSecond),
      flushes,
      barsToBare: ratio(bars, bare),
      footprintToBare: ratio(footprint, bare),
      barsToDuckDb,
      footprintToDuckDb: ratio(footprint, duckFootprint),
    },
  };
};

/** Of several ways to write these, the fastest: signed sums instead of CASE, first and last unordered. */
const BARS_SQL = `SELECT ts // 60000000000 AS bar, first(price), max(price), min(price), last(price),
  sum(size), sum(size * side), sum(size * side * side), count(*)
  FROM trades GROUP BY bar ORDER BY bar`;

const FOOTPRINT_SQL = `SELECT ts // 60000000000 AS bar, price,
  sum(size), sum(size * side), sum(size * side * side)
  FROM trades GROUP BY bar, price ORDER BY bar, price`;

interface Measured {
  readonly tradesPerSecond: number;
  readonly collections: number;
}

function flushUs(measured: Measured, flushes: number): number {
  return Math.round((TRADES / measured.tradesPerSecond / flushes) * 1e7) / 10;
}

function ratio(a: Measured, b: Measured): number {
  return Math.round((100 * a.tradesPerSecond) / b.tradesPerSecond) / 100;
}

/** The best round of each; the rounds alternate, so that a busy moment of the machine hits all alike. */
async function measure<const Works extends readonly (() => unknown)[]>(
  rounds: number,
  works: Works,
): Promise<{ [Index in keyof Works]: Measured }> {
  const best = works.map(() => ({ ms: Number.POSITIVE_INFINITY, collections: 0 }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, work] of works.entries()) {
      const profiler = new GCProfiler();
      profiler.start();
      const start = performance.now();
      await work();
      const ms = performance.now() - start;
      const collections = profiler.stop().statistics.length;
      if (ms < best[index]!.ms) best[index] = { ms, collections };
    }
  }
  const measured = best.map(({ ms, collections }) => {
    return { tradesPerSecond: (TRADES / ms) * 1_000, collections };
  });
  return measured as { [Index in keyof Works]: Measured };
}

/** A plain walk with bursts of one timestamp: what matters here is the number of rows, bars and prices. */
function tape(): TradeBatch[] {
  let state = 0x2545f491;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const batches: TradeBatch[] = [];
  let ns = 0;
  let price = 27_000;
  for (let done = 0; done < TRADES; done += BATCH_ROWS) {
    const count = Math.min(BATCH_ROWS, TRADES - done);
    const batch = allocateBatch(DAY, (done + 1) as Rank, count);
    for (let row = 0; row < count; row += 1) {
      if (random() < 0.4) ns += Math.floor((2 * random() * DAY_NS) / TRADES / 0.4);
      if (random() < 0.1) price += random() < 0.5 ? 1 : -1;
      batch.ts[row] = Math.min(ns, DAY_NS - 1);
      batch.price[row] = price;
      batch.size[row] = 1 + Math.floor(random() ** 4 * 40);
      batch.side[row] = random() < 0.01 ? 0 : random() < 0.5 ? 1 : -1;
    }
    batch.count = count;
    batches.push(batch);
  }
  return batches;
}

function sumColumns(batches: readonly TradeBatch[]): number {
  let [times, prices, sizes, sides] = [0, 0, 0, 0];
  for (const { ts, price, size, side, count } of batches) {
    for (let row = 0; row < count; row += 1) {
      times += ts[row]!;
      prices += price[row]!;
      sizes += size[row]!;
      sides += side[row]!;
    }
  }
  return times + prices + sizes + sides;
}

function runStudy(batches: readonly TradeBatch[], id: string, stepNs: number) {
  const indicator = indicatorNamed(id)!;
  const parsed = parseParams(indicator, { session: 'utc' });
  if (!('params' in parsed)) throw new Error('the default parameters are refused');
  const published = new PublishedObjects();
  let [versions, flushes] = [0, 0];
  const output: RunOutput = {
    upsert: (version) => {
      versions += 1;
      if (stepNs !== 0) published.upsert(version);
    },
    remove: () => {},
    openSession: () => published.openSession(),
    flushed: () => {
      flushes += 1;
    },
  };
  const start = { at: epochNs(DAY, 0), rank: 0 as Rank };
  const options = stepNs === 0 ? { output } : { output, stepNs };
  const study = new StudyRun(indicator.create(parsed.params), utcSessions, start, options);
  for (const batch of batches) study.apply(batch);
  study.advance(epochNs(DAY, DAY_NS));
  return { versions, flushes };
}

const session: Session = { date: DAY, open: epochNs(DAY, 0), close: epochNs(DAY, DAY_NS) };
const utcSessions: SessionTable = {
  atOrAfter: (instant: EpochNs) => (instant < session.close ? session : null),
  atOrBefore: (instant: EpochNs) => (instant >= session.open ? session : null),
};

async function load(connection: DuckDBConnection, batches: readonly TradeBatch[]): Promise<void> {
  await connection.run(
    'CREATE TABLE trades (ts BIGINT, price INTEGER, size INTEGER, side TINYINT)',
  );
  const appender = await connection.createAppender('trades');
  for (const batch of batches) {
    for (let row = 0; row < batch.count; row += 1) {
      appender.appendBigInt(BigInt(batch.ts[row]!));
      appender.appendInteger(batch.price[row]!);
      appender.appendInteger(batch.size[row]!);
      appender.appendTinyInt(batch.side[row]!);
      appender.endRow();
    }
  }
  appender.closeSync();
}

async function query(connection: DuckDBConnection, sql: string): Promise<number> {
  const reader = await connection.runAndReadAll(sql);
  return reader.currentRowCount;
}
