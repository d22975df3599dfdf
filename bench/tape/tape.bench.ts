/**
 * The speed of the tape beside a bare equivalent in the same run: appending with real fsync beside
 * a loop that only writes and syncs the same bytes; acknowledgement at 5,000 trades per second;
 * recovery of a log; size of sealed days; reading a sealed day to typed arrays beside DuckDB's
 * single-thread scan of the same columns from zstd Parquet. All with simulated trades on the
 * machine's own disk.
 */

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS } from '@tapeloom/core/units';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { createSimUniverse, SIM_DATASET } from '@tapeloom/server/markets/sim/sim-universe';
import { TradeColumns } from '@tapeloom/server/markets/sim/trades/trade-columns';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { NO_LIVE_DAYS, TapeReader } from '@tapeloom/server/tape/read/tape-reader';
import type { IntakeBatch } from '@tapeloom/server/tape/write/intake';
import { RECORD_HEADER_BYTES, readRecordHeader } from '@tapeloom/server/tape/write/log/log-record';
import { openTape } from '@tapeloom/server/tape/write/open-tape';
import { sealDay } from '@tapeloom/server/tape/write/seal/seal';
import type { Bench } from '../shared/report.ts';

const DAY = utcDay(20_260_310);
const LOG_TRADES = 1_000_000;
/** Trades per offer: small batches are limited by the disk, large ones by the processor. */
const OFFER_ROWS = [256, 1_024, 4_096] as const;
const OFFERS_UNDER_WAY = 8;
const ROUNDS = 9;
const LIVE_TRADES_PER_SECOND = 5_000;
const LIVE_STEP_MS = 20;
const LIVE_OFFERS = 300;
const READ_ROUNDS = 15;

interface SimDay {
  readonly symbol: string;
  readonly batch: TradeBatch;
}

export const run: Bench = async () => {
  const root = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
  try {
    const days = simulate();
    const appends = [];
    for (const rows of OFFER_ROWS) appends.push(await measureAppend(root, days, rows));
    const live = await measureLive(root, days);
    const recoveryMs = await measureRecovery(root);
    const sealed = await measureSealed(root, days);
    const reading = await measureReading(root, days[0]!);
    return report({ appends, live, recoveryMs, sealed, reading });
  } finally {
    rmSync(root, { recursive: true });
  }
};

interface Results {
  readonly appends: readonly Awaited<ReturnType<typeof measureAppend>>[];
  readonly live: Awaited<ReturnType<typeof measureLive>>;
  readonly recoveryMs: number;
  readonly sealed: Awaited<ReturnType<typeof measureSealed>>;
  readonly reading: Awaited<ReturnType<typeof measureReading>>;
}

function report({ appends, live, recoveryMs, sealed, reading }: Results) {
  const met = (isMet: boolean) => (isMet ? 'met' : 'missed');
  const perSecond = (ms: number) => LOG_TRADES / (ms / 1_000);
  const shares = appends.map(({ bareMs, ourMs }) => bareMs / ourMs);
  const toDuck = reading.duckMs / reading.ourMs;
  const rows: readonly (readonly [string, number, string])[] = [
    ...appends.flatMap(({ offerRows, ourMs, bareMs }) => [
      [`append, ${offerRows} trades an offer`, perSecond(ourMs), 'trades/s'] as const,
      ['bare write + fdatasync, same bytes', perSecond(bareMs), 'trades/s'] as const,
    ]),
    ['acknowledgement p50 at 5,000 trades/s', live.p50Ms, 'ms'],
    ['acknowledgement p99 at 5,000 trades/s', live.p99Ms, 'ms'],
    ['bare write + fdatasync p50, same pace', live.bareP50Ms, 'ms'],
    ['bare write + fdatasync p99, same pace', live.bareP99Ms, 'ms'],
    ['recovery of 1,000,000 trades', recoveryMs, 'ms'],
    ['sealed day, ES', sealed.bytesPerTradeEs, 'bytes/trade'],
    ['sealed days, all contracts', sealed.bytesPerTradeAll, 'bytes/trade'],
    ['sealing, one thread', sealed.tradesPerSecond, 'trades/s'],
    ['read a sealed day to typed arrays', reading.trades / (reading.ourMs / 1_000), 'trades/s'],
    [
      'DuckDB scan of the same columns, 1 thread',
      reading.trades / (reading.duckMs / 1_000),
      'trades/s',
    ],
  ];
  return {
    title: 'The tape',
    columns: ['what', 'value', 'unit'],
    rows,
    notes: [
      `Append: ${LOG_TRADES.toLocaleString('en')} trades, ${OFFERS_UNDER_WAY} offers under way, in ` +
        `${appends.map(({ commits }) => commits).join(', ')} commits; best of ${ROUNDS} rounds that alternate with ` +
        `the bare loop. Share of the bare loop: ${shares.map(percent).join(', ')}; ` +
        `target 70 %: ${shares.map((share) => met(share >= 0.7)).join(', ')}.`,
      `Acknowledgement p99 under 20 ms: ${met(live.p99Ms < 20)}. Recovery under 1 s: ${met(recoveryMs < 1_000)}. ` +
        `At most 6 bytes a trade: ${met(sealed.bytesPerTradeAll <= 6)}.`,
      `Reading: ${percent(toDuck)} of DuckDB's speed (it scans and sums ts, price, size and side from zstd Parquet ` +
        `it wrote itself, best of ${READ_ROUNDS} like ours), target 100 %: ${met(toDuck >= 1)}.`,
    ],
    json: {
      appendTradesPerSecond: appends.map(({ ourMs }) => Math.round(perSecond(ourMs))),
      appendShareOfBare: shares,
      ackP50Ms: live.p50Ms,
      ackP99Ms: live.p99Ms,
      recoveryMs,
      sealedBytesPerTrade: sealed.bytesPerTradeAll,
      readTradesPerSecond: Math.round(reading.trades / (reading.ourMs / 1_000)),
      readShareOfDuckDb: toDuck,
    },
  };
}

/** Contracts of one simulated day, ES first, until there are enough trades for the log. */
function simulate(): readonly SimDay[] {
  const universe = createSimUniverse({ seed: 7, printsScale: 1 }, DAY);
  const contracts = universe.streamedOn(DAY).toSorted((a) => (a.root === 'ES' ? -1 : 0));
  const days = contracts.map(({ symbol }) => {
    const columns = new TradeColumns();
    universe.market.appendDay(symbol, DAY, columns);
    const { count, ts, price, size, side } = columns;
    return { symbol, batch: { day: DAY, firstRank: 1 as Rank, count, ts, price, size, side } };
  });
  return days.filter(({ batch }) => batch.count > 0);
}

/** The day's first `trades` trades in offers of one size, contract after contract. */
function offersOf(
  days: readonly SimDay[],
  trades: number,
  offerRows: number,
): readonly IntakeBatch[] {
  const offers: IntakeBatch[] = [];
  let left = trades;
  for (const { symbol, batch } of days) {
    for (let from = 0; from < batch.count && left > 0; from += offerRows) {
      const to = Math.min(from + offerRows, batch.count, from + left);
      left -= to - from;
      offers.push({
        symbol,
        day: DAY,
        count: to - from,
        id: Float64Array.from({ length: to - from }, (_, row) => from + row),
        ts: batch.ts.slice(from, to),
        price: Float64Array.from(batch.price.subarray(from, to)),
        size: Float64Array.from(batch.size.subarray(from, to)),
        side: batch.side.slice(from, to),
      });
    }
  }
  if (left > 0) throw new Error(`the simulated day has ${left} trades too few`);
  return offers;
}

function openIn(tapeRoot: string, days: readonly SimDay[]) {
  return openTape({
    disk: new NodeDisk(),
    tapeRoot,
    dataset: SIM_DATASET,
    listed: () => days.map(({ symbol }) => symbol),
    now: () => epochNs(DAY, DAY_NS - 1),
    onFailure: (error) => {
      throw error;
    },
  });
}

async function measureAppend(root: string, days: readonly SimDay[], offerRows: number) {
  const offers = offersOf(days, LOG_TRADES, offerRows);
  const ours: number[] = [];
  const bares: number[] = [];
  let commits = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const tapeRoot = join(root, 'append');
    rmSync(tapeRoot, { recursive: true, force: true });
    await using tape = await openIn(tapeRoot, days);
    await tape.intake.offer([], epochNs(DAY, 1));
    ours.push(await timed(() => appendAll(tape.intake, offers)));
    commits = tape.counters.commits;
    const log = readFileSync(join(tapeRoot, SIM_DATASET, 'log', `${DAY}.log`));
    bares.push(await timed(() => writeBare(join(root, 'bare'), recordsOf(log))));
  }
  return { offerRows, ourMs: Math.min(...ours), bareMs: Math.min(...bares), commits };
}

async function appendAll(
  intake: { offer(batches: readonly IntakeBatch[], promise: EpochNs | null): Promise<unknown> },
  offers: readonly IntakeBatch[],
): Promise<void> {
  const underWay: Promise<unknown>[] = [];
  for (const offer of offers) {
    if (underWay.length === OFFERS_UNDER_WAY) await underWay.shift();
    underWay.push(intake.offer([offer], null));
  }
  await Promise.all(underWay);
}

/** The log's records after the first two, which precede the measurement. */
function recordsOf(log: Uint8Array): readonly Uint8Array[] {
  const records: Uint8Array[] = [];
  for (let at = 0; at < log.length; ) {
    const end = at + RECORD_HEADER_BYTES + readRecordHeader(log, at)!.payloadBytes;
    records.push(log.subarray(at, end));
    at = end;
  }
  return records.slice(2);
}

async function writeBare(path: string, records: readonly Uint8Array[]): Promise<void> {
  await using file = await open(path, 'w');
  for (const record of records) {
    await file.write(record);
    await file.datasync();
  }
}

/** Sends offers at a steady pace, as the live source does. */
async function measureLive(root: string, days: readonly SimDay[]) {
  const rows = (LIVE_TRADES_PER_SECOND * LIVE_STEP_MS) / 1_000;
  const { symbol, batch } = days[0]!;
  await using tape = await openIn(join(root, 'live'), days);
  await using bare = await open(join(root, 'live-bare'), 'w');
  const ackMs: number[] = [];
  const bareMs: number[] = [];
  const bytes = new Uint8Array(rows * 17 + 96);
  for (let step = 0; step < LIVE_OFFERS; step++) {
    const from = step * rows;
    const offer: IntakeBatch = {
      symbol,
      day: DAY,
      count: rows,
      id: Float64Array.from({ length: rows }, (_, row) => from + row),
      ts: batch.ts.slice(from, from + rows),
      price: Float64Array.from(batch.price.subarray(from, from + rows)),
      size: Float64Array.from(batch.size.subarray(from, from + rows)),
      side: batch.side.slice(from, from + rows),
    };
    const promise = epochNs(DAY, batch.ts[from + rows - 1]!);
    ackMs.push(await timed(() => tape.intake.offer([offer], promise)));
    await wait(LIVE_STEP_MS / 2);
    bareMs.push(
      await timed(async () => {
        await bare.write(bytes);
        await bare.datasync();
      }),
    );
    await wait(LIVE_STEP_MS / 2);
  }
  const quantile = (values: number[], share: number) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;
  return {
    p50Ms: quantile(ackMs, 0.5),
    p99Ms: quantile(ackMs, 0.99),
    bareP50Ms: quantile(bareMs, 0.5),
    bareP99Ms: quantile(bareMs, 0.99),
  };
}

/** Opens the log of the last append round, as a start after a crash does. */
async function measureRecovery(root: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    let tape: Awaited<ReturnType<typeof openIn>> | null = null;
    times.push(
      await timed(async () => {
        tape = await openIn(join(root, 'append'), []);
      }),
    );
    const { report: found, ...opened } = tape!;
    if (found.logs[0]?.trades !== LOG_TRADES) throw new Error('the log has lost trades');
    await opened[Symbol.asyncDispose]();
  }
  return median(times);
}

async function measureSealed(root: string, days: readonly SimDay[]) {
  const tapeRoot = join(root, 'sealed');
  const disk = new NodeDisk();
  const sizes: number[] = [];
  const ms = await timed(async () => {
    for (const { symbol, batch } of days) {
      await sealDay(disk, tapeRoot, { dataset: SIM_DATASET, symbol, batch });
    }
  });
  for (const { symbol } of days) {
    const path = join(tapeRoot, SIM_DATASET, 'days', symbol, String(DAY));
    sizes.push(statSync(`${path}.arrow`).size + statSync(`${path}.json`).size);
  }
  const trades = days.reduce((sum, { batch }) => sum + batch.count, 0);
  return {
    bytesPerTradeEs: sizes[0]! / days[0]!.batch.count,
    bytesPerTradeAll: sizes.reduce((sum, size) => sum + size, 0) / trades,
    tradesPerSecond: trades / (ms / 1_000),
  };
}

async function measureReading(root: string, { symbol, batch }: SimDay) {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const parquet = join(root, 'day.parquet');
  await writeParquet(connection, parquet, batch);
  const disk = new NodeDisk();
  const tapeRoot = join(root, 'sealed');
  let ourMs = Number.POSITIVE_INFINITY;
  let duckMs = Number.POSITIVE_INFINITY;
  const sql = `SELECT sum(ts), sum(price), sum(size), sum(side) FROM '${parquet}'`;
  for (let round = 0; round < READ_ROUNDS; round++) {
    ourMs = Math.min(ourMs, await timed(() => readDay(disk, tapeRoot, symbol, batch.count)));
    duckMs = Math.min(duckMs, await timed(() => connection.run(sql)));
  }
  connection.closeSync();
  return { trades: batch.count, ourMs, duckMs };
}

async function readDay(disk: NodeDisk, tapeRoot: string, symbol: string, trades: number) {
  const tape = new TapeReader(disk, tapeRoot, SIM_DATASET, NO_LIVE_DAYS);
  let rows = 0;
  for await (const { count } of tape.read(symbol, { day: DAY, rank: 0 as Rank })) rows += count;
  if (rows !== trades) throw new Error('the sealed day has lost trades');
}

async function writeParquet(connection: DuckDBConnection, path: string, batch: TradeBatch) {
  await connection.run('CREATE TABLE day (ts BIGINT, price INTEGER, size INTEGER, side TINYINT)');
  const appender = await connection.createAppender('day');
  for (let row = 0; row < batch.count; row++) {
    appender.appendBigInt(epochNs(batch.day, batch.ts[row]!));
    appender.appendInteger(batch.price[row]!);
    appender.appendInteger(batch.size[row]!);
    appender.appendTinyInt(batch.side[row]!);
    appender.endRow();
  }
  appender.closeSync();
  await connection.run(`COPY day TO '${path}' (FORMAT parquet, COMPRESSION zstd)`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
