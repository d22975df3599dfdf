/** Settled days of a sealed tape: cached, computed again after a change, and over damaged files. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank } from '@tapeloom/core/numbers';
import { allocateBatch } from '@tapeloom/core/trade-batch';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { entriesOf } from '../../testing/history/settled-world.ts';
import { refusedAs } from '../../testing/refused-as.ts';
import {
  cacheOn,
  DATASET,
  readerOver,
  requestOf,
  resultsOf,
  type Topic,
} from '../../testing/results/settled-reading.ts';
import { BY_ID, CONTRACT, DAY, HOUR_NS } from '../../testing/stream/engine-run.ts';
import { type Disk, readFileWhole, replaceFile } from '../platform/disk/disk.ts';
import type { DayDamage } from '../runs/sound-tape.ts';
import { NO_LIVE_DAYS, TapeReader } from '../tape/read/tape-reader.ts';
import { sealDay } from '../tape/write/seal/seal.ts';
import type { SettledDaysReader } from './settled-days-reader.ts';

const TAPE_ROOT = '/data/tape';
const DAY_FILE = `${TAPE_ROOT}/${DATASET}/days/${CONTRACT}/${addDays(DAY, 1)}`;
const BARS: Topic = ['bars', {}];
const END = epochNs(addDays(DAY, 2), 0);

/** Writes and seals two days of trades on a simulated disk. */
async function sealedTape(disk: SimDisk): Promise<void> {
  for (const day of [DAY, addDays(DAY, 1)]) {
    const batch = allocateBatch(day, 1 as Rank, 3_000);
    for (let row = 0; row < 3_000; row += 1) {
      batch.ts[row] = (10 * HOUR_NS * (row + 1)) / 2_000;
      batch.price[row] = 100 + (row % 7);
      batch.size[row] = 1 + (row % 5);
      batch.side[row] = row % 2 === 0 ? 1 : -1;
    }
    batch.count = 3_000;
    const request = { dataset: DATASET, symbol: CONTRACT, batch };
    await sealDay(disk.boot(), TAPE_ROOT, request);
  }
}

function sealedReader(
  disk: SimDisk,
  hasCache = true,
  onDamage?: (damage: DayDamage) => void,
): SettledDaysReader {
  const booted = disk.boot();
  const tape = new TapeReader(booted, TAPE_ROOT, DATASET, NO_LIVE_DAYS);
  return readerOver(tape, hasCache ? cacheOn(booted) : null, BY_ID, undefined, onDamage);
}

test('a new version of an indicator has its days computed anew, and leaves those of the others kept', async () => {
  const disk = new SimDisk();
  await sealedTape(disk);
  const machine = disk.boot();
  const cache = cacheOn(machine);
  const { results } = cache;
  const { counters } = results;
  const tape = new TapeReader(machine, TAPE_ROOT, DATASET, NO_LIVE_DAYS);
  const keptOf = async (topic: Topic, indicators = BY_ID) => {
    const { hits, kept } = counters;
    await resultsOf(readerOver(tape, cache, indicators), requestOf(topic, END));
    await results.settled();
    return { hits: counters.hits - hits, kept: counters.kept - kept };
  };
  const delta: Topic = ['delta', {}];
  for (const topic of [BARS, delta]) {
    assert.deepEqual(await keptOf(topic), { hits: 0, kept: 2 });
    assert.deepEqual(await keptOf(topic), { hits: 2, kept: 0 });
  }
  const bars = BY_ID.get('bars')!;
  const raised = new Map(BY_ID).set('bars', { ...bars, version: bars.version + 1 });
  assert.deepEqual(await keptOf(delta, raised), { hits: 2, kept: 0 });
  assert.deepEqual(await keptOf(BARS, raised), { hits: 0, kept: 2 });
  assert.deepEqual(await keptOf(BARS, raised), { hits: 2, kept: 0 });
});

test('a damaged sealed day is named, and missing from then on; the days before it are there', async () => {
  for (const damage of ['flip', 'gone', 'cut'] as const) {
    const disk = new SimDisk();
    await sealedTape(disk);
    const found: string[] = [];
    if (damage === 'flip') disk.flip(`${DAY_FILE}.arrow`, 2_000, 3);
    else if (damage === 'gone') await disk.boot().remove(`${DAY_FILE}.arrow`);
    else await cut(disk.boot(), `${DAY_FILE}.arrow`, 100);
    const reader = sealedReader(disk, false, ({ day }) => found.push(`${day}`));
    const day = addDays(DAY, 1);
    if (damage === 'flip') {
      await using read = await reader.read(requestOf(BARS, END));
      assert.equal((await read.next())!.parts[0]?.day, DAY);
      await assert.rejects(read.next(), refusedAs('day-damaged', { contract: CONTRACT, day }));
    }
    const { missingDays, days } = await reader.coverage(CONTRACT, epochNs(DAY, 0), END);
    assert.deepEqual(missingDays, [addDays(DAY, 1)]);
    assert.deepEqual(days, [{ day: DAY, before: 0, trades: 3_000 }]);
    await assert.rejects(reader.read(requestOf(BARS, END)), refusedAs('days-missing'));
    assert.equal((await resultsOf(reader, requestOf(BARS, epochNs(addDays(DAY, 1), 0)))).length, 1);
    assert.deepEqual(found, [`${day}`], `it is reported once (${damage})`);
  }
});

async function cut(disk: Disk, path: string, bytes: number): Promise<void> {
  const whole = (await readFileWhole(disk, path))!;
  await replaceFile(disk, path, whole.subarray(0, whole.length - bytes));
}

test('a damaged index of one day is reported, and leaves the other days as they are', async () => {
  const disk = new SimDisk();
  await sealedTape(disk);
  disk.flip(`${DAY_FILE}.json`, 40, 0);
  const found: string[] = [];
  const reader = sealedReader(disk, false, ({ day }) => found.push(`${day}`));
  const { missingDays } = await reader.coverage(CONTRACT, epochNs(DAY, 0), END);
  assert.deepEqual(missingDays, [addDays(DAY, 1)]);
  assert.deepEqual(found, [`${addDays(DAY, 1)}`], 'it is reported once');
  const [result] = await resultsOf(reader, requestOf(BARS, epochNs(addDays(DAY, 1), 0)));
  assert.equal(result?.trades, 3_000);
});

test('a damaged day in a look-back is missing there too: its session makes nothing', async () => {
  const disk = new SimDisk();
  await sealedTape(disk);
  disk.flip(`${TAPE_ROOT}/${DATASET}/days/${CONTRACT}/${DAY}.json`, 40, 0);
  const from = epochNs(addDays(DAY, 1), 2 * HOUR_NS);
  const topic: Topic = ['naked-levels', { lookback: 3 }];
  const levels = { ...requestOf(topic, END), from };
  const reader = sealedReader(disk);
  const lines = entriesOf(await resultsOf(reader, levels));
  const told = lines.map(({ t, id }) => `${t} ${id.slice(0, 8)}`);
  assert.deepEqual(told, Array(3).fill(`upsert ${addDays(DAY, 1)}`));
  const coverage = await reader.coverage(CONTRACT, from, END, { ...levels, hasSnapshot: false });
  assert.deepEqual([coverage.missingDays, coverage.lookBackFrom], [[], from]);
});

test('a day that was sealed anew with other trades is computed anew [DET-18]', async () => {
  const disk = new SimDisk();
  await sealedTape(disk);
  const first = sealedReader(disk);
  const before = await resultsOf(first, requestOf(BARS, END));
  for (const suffix of ['.json', '.arrow']) await disk.boot().remove(DAY_FILE + suffix);
  const batch = allocateBatch(addDays(DAY, 1), 1 as Rank, 1);
  Object.assign(batch, { count: 1 });
  batch.ts[0] = 11 * HOUR_NS;
  batch.price[0] = 500;
  batch.size[0] = 1;
  await sealDay(disk.boot(), TAPE_ROOT, { dataset: DATASET, symbol: CONTRACT, batch });
  const after = await resultsOf(sealedReader(disk), requestOf(BARS, END));
  assert.deepEqual(after[0], before[0]);
  assert.equal(after[1]!.trades, 1);
  assert.deepEqual(after, await resultsOf(sealedReader(disk, false), requestOf(BARS, END)));
});

test('a read that is disposed of ends at once, whoever waits, and lets go of its file', async () => {
  const disk = new SimDisk();
  await sealedTape(disk);
  const reader = sealedReader(disk, false);
  const read = await reader.read(requestOf(BARS, END));
  const waiting = read.next();
  const refused = assert.rejects(waiting, refusedAs('closed'));
  await read[Symbol.asyncDispose]();
  await refused;
  await assert.rejects(read.next(), refusedAs('closed'));
  await read[Symbol.asyncDispose]();
});
