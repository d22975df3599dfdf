/** A day received live, with cuts that pages bridge, is the day of the venue's archive. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UtcDay } from '@tapeloom/core/numbers';
import { utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { DBN_SCHEMAS, DbnWriter } from '../../testing/feeds/dbn-writer.ts';
import { zipOf } from '../../testing/feeds/zip-text.ts';
import {
  addText,
  DATASET,
  NOW,
  type Row,
  rowsOn,
  statuses,
  TAPE_ROOT,
} from '../../testing/imports.ts';
import type { SimTrade } from '../../testing/live/dialect.ts';
import { BinanceDialect } from '../../testing/live/dialects/binance-dialect.ts';
import { databentoDialect } from '../../testing/live/dialects/databento-dialect.ts';
import { FeedRun } from '../../testing/live/feed-run.ts';
import type { TapeTrade } from '../../testing/live/memory-intake.ts';
import { liveDays, sealLiveDays } from '../../testing/live-days.ts';
import type { ListedDataset } from '../markets/instruments/instruments-file.ts';
import { readInstruments } from '../markets/instruments/read-instruments.ts';
import { onGrid } from '../markets/live/on-grid.ts';
import type { Disk } from '../platform/disk/disk.ts';
import { DatasetImport } from './dataset-import.ts';
import type { SealedLiveDays } from './live-days.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const DAY = utcDay(20_260_106);
const DAY_BEGIN_MS = Date.UTC(2026, 0, 6);
const STEP_MS = 2_000;
const TRADES_PER_STEP = 0.2;
const CUT_MS = 4 * MINUTE_MS;
/** What the archive's writer calls a contract's fills. */
const FILLS = 3;
const PERPETUAL = { extends: 'crypto-perpetual' };

/** The whole day and a little on both sides, with two cuts in it, which pages or a repeated stream bridge. */
function receivedDay(run: FeedRun): void {
  for (const untilMs of [DAY_BEGIN_MS + 7 * 60 * MINUTE_MS, DAY_BEGIN_MS + 19 * 60 * MINUTE_MS]) {
    run.run(untilMs - run.nowMs);
    run.set({ isDown: true });
    run.venue.cut(run.nowMs);
    run.run(CUT_MS);
    run.heal();
  }
  run.run(DAY_BEGIN_MS + DAY_MS + 5 * MINUTE_MS - run.nowMs);
  assert.deepEqual(
    run.intake.allGaps.filter(({ reason }) => reason !== 'start'),
    [],
  );
  assert.ok(run.feed.status(run.now).reconnects >= 2);
}

const isOfDay = ({ ms }: SimTrade) => ms >= DAY_BEGIN_MS && ms < DAY_BEGIN_MS + DAY_MS;
const archived = (run: FeedRun, venueSymbol: string) =>
  run.venue.trades.get(venueSymbol)!.filter(isOfDay);

/** As Binance writes it, which the local server has not sent. */
function binanceArchive(venueSymbol: string, rows: readonly SimTrade[]): readonly [string, Buffer] {
  const name = `${venueSymbol}-aggTrades-2026-01-06`;
  const lines = rows.map(({ id, ms, price, size, isBuy }) =>
    [id, price, size, id * FILLS, id * FILLS + FILLS - 1, ms, !isBuy].join(','),
  );
  const header =
    'agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker';
  const bytes = Buffer.from(`${[header, ...lines].join('\n')}\n`);
  return [`${name}.zip`, zipOf([{ name: `${name}.csv`, bytes }])];
}

/** As Databento writes the trades of a day, by the time of the exchange. */
function databentoArchive(
  venueSymbol: string,
  rows: readonly SimTrade[],
): readonly [string, Uint8Array] {
  const begin = BigInt(DAY_BEGIN_MS) * 1_000_000n;
  const intervals = [{ fromDay: 20_260_101, toDay: 20_270_101, output: '1' }];
  const writer = new DbnWriter({
    version: 3,
    schema: DBN_SCHEMAS.trades,
    start: begin,
    end: begin + BigInt(DAY_MS) * 1_000_000n,
    symbols: [venueSymbol],
    mappings: [{ name: venueSymbol, intervals }],
  });
  for (const { ms, price, size, isBuy } of rows) {
    writer.trade({
      instrumentId: 1,
      event: BigInt(ms) * 1_000_000n,
      price: BigInt(onGrid(price, 1)),
      size: Number(size),
      side: isBuy ? 'B' : 'A',
    });
  }
  return ['glbx-mdp3-20260106.trades.dbn', writer.bytes];
}

function rowsOf(live: readonly TapeTrade[]): readonly Row[] {
  return live.map(({ ts, price, size, side }) => ({ ts, price, size, side: side as Row['side'] }));
}

function liveOf(run: FeedRun, symbol: string): readonly TapeTrade[] {
  const begin = BigInt(DAY_BEGIN_MS) * 1_000_000n;
  const end = begin + BigInt(DAY_MS) * 1_000_000n;
  return run.intake.trades.get(symbol)!.filter(({ ts }) => ts >= begin && ts < end);
}

async function importedInto(
  disk: Disk,
  dataset: ListedDataset,
  [path, content]: readonly [string, Uint8Array],
  live?: SealedLiveDays,
) {
  const into = await DatasetImport.begin({
    disk,
    tapeRoot: TAPE_ROOT,
    stagingDirectory: `${TAPE_ROOT}/${dataset.name}/staging`,
    dataset,
    now: NOW,
    isDryRun: false,
    ...(live !== undefined && { live }),
  });
  return await addText(into, path, content);
}

/** The archive alone gives the same rows, and beside the live day it has nothing to say. */
async function assertSame(
  dataset: ListedDataset,
  symbol: string,
  rows: readonly Row[],
  archive: readonly [string, Uint8Array],
): Promise<void> {
  const alone = new SimDisk().boot();
  assert.deepEqual(statuses(await importedInto(alone, dataset, archive)), [
    `${symbol} ${DAY} added`,
  ]);
  assert.deepEqual(await rowsOn(alone, symbol, DAY as UtcDay), rows);
  const beside = new SimDisk().boot();
  await sealLiveDays(beside, [{ symbol, day: DAY, rows }], utcDay(20_260_107));
  const again = await importedInto(beside, dataset, archive, await liveDays(beside));
  assert.deepEqual(statuses(again), [`${symbol} ${DAY} same`]);
}

function datasetOf(live: object, products: object): ListedDataset {
  const file = { datasets: { [DATASET.name]: { live, products } } };
  return readInstruments(JSON.stringify(file)).datasets[0]!;
}

test('a day of Binance received live with two cuts equals its archive in id, price, size, side and time', async () => {
  const dialect = new BinanceDialect('binance-usdm');
  const run = new FeedRun({
    ...{ seed: 11, dialect, stepMs: STEP_MS, tradesPerStep: TRADES_PER_STEP },
    startMs: DAY_BEGIN_MS - 5 * MINUTE_MS,
  });
  receivedDay(run);
  const dataset = datasetOf(
    { feed: 'binance-usdm' },
    {
      BTCUSDT: { ...PERPETUAL, name: 'Bitcoin', tick: '0.1', lot: '0.001' },
      '1000SHIBUSDT': { ...PERPETUAL, name: 'Shiba', tick: '0.000001', lot: '1' },
    },
  );
  for (const symbol of ['BTCUSDT', '1000SHIBUSDT']) {
    const rows = archived(run, symbol);
    const live = liveOf(run, symbol);
    assert.ok(rows.length > 4_000, `${rows.length}`);
    assert.deepEqual(
      live.map(({ id }) => id),
      rows.map(({ id }) => id),
    );
    await assertSame(dataset, symbol, rowsOf(live), binanceArchive(symbol, rows));
  }
});

test('a day of Databento received live with two cuts equals its file in price, size, side, time and order', async () => {
  const run = new FeedRun({
    ...{ seed: 12, dialect: databentoDialect({ pieceBytes: null }), stepMs: STEP_MS },
    ...{ tradesPerStep: TRADES_PER_STEP, startMs: DAY_BEGIN_MS - 5 * MINUTE_MS },
  });
  receivedDay(run);
  const contracts = [{ symbol: 'ESZ6', expiry: '2026-12-18T14:30:00Z' }];
  const live = { feed: 'databento', keyFile: 'key' };
  const dataset = datasetOf(live, {
    ES: { extends: 'ES', calendar: 'round-the-clock', contracts },
  });
  const rows = archived(run, 'ESZ6');
  const tape = liveOf(run, 'ESZ6');
  assert.ok(rows.length > 4_000, `${rows.length}`);
  const ids = tape.map(({ id }) => id);
  assert.deepEqual(
    ids,
    ids.map((_, row) => ids[0]! + row),
  );
  await assertSame(dataset, 'ESZ6', rowsOf(tape), databentoArchive('ESZ6', rows));
});
