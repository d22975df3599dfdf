/** Damages each part of the files of days, for readers that have nothing in memory. */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { footprint } from '@tapeloom/core/studies/footprint';
import { HOUR_NS_BIG } from '@tapeloom/core/units';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import type { Subject } from '../../../core/testing/twins/study-subjects.ts';
import { rankTrades, type TwinTape } from '../../../core/testing/twins/twin-tape.ts';
import {
  type AskedDays,
  daysOf,
  noLogs,
  SettledWorld,
  textOf,
} from '../../testing/history/settled-world.ts';
import { paramsOf } from '../../testing/stream/engine-run.ts';
import { listCache } from './cache-entries.ts';
import { DayLogs } from './day-logs.ts';
import { ResultCache } from './result-cache.ts';
import { PREFIX_BYTES, readHeader, readPrefix } from './result-cache-file.ts';

const ROOT = '/cache';
/** Small enough for several blocks in a day. */
const BLOCK_RANKS = 4;
const FIRST_DAY = utcDay(20260105);
const LAST_USE = { from: 8, to: 16 } as const;

const disk = new SimDisk();
const booted = disk.boot();
let world: SettledWorld;
let plain: SettledWorld;
let results: ResultCache;
/** The file with the most blocks, its content, and another file. */
let path: string;
let whole: Uint8Array;
let other: string;

/** Three days with sessions across midnight, so that objects are forming at the end of each. */
const TAPE: TwinTape = {
  sessions: [0, 1, 2, 3].map((at) => {
    const midnight = epochNs(addDays(FIRST_DAY, at), 0);
    return { open: midnight - 2n * HOUR_NS_BIG, close: midnight + 20n * HOUR_NS_BIG };
  }),
  trades: rankTrades(
    Array.from({ length: 120 }, (_, at) => ({
      ns: epochNs(FIRST_DAY, 0) + BigInt(at) * (HOUR_NS_BIG / 2n),
      price: 100 + ((at * 7) % 11),
      size: 1 + (at % 9),
      side: (at % 3) - 1,
    })),
  ),
  until: epochNs(addDays(FIRST_DAY, 3), 0),
};
const params = paramsOf(footprint, { bar: 'tick', size: 3 });
const SUBJECT: Subject = {
  create: () => footprint.create(params),
  twin: () => [],
  lookBackSessions: 0,
};

function worldOn(on: ReturnType<SimDisk['boot']>, logs: DayLogs) {
  const options = { root: ROOT, bytesMax: 2 ** 30, now: () => 1_000, writer: 'w' };
  const kept = new ResultCache({ ...options, disk: on });
  const cache = { results: kept, datasetOf: () => 'SIM' };
  return { kept, reader: new SettledWorld(TAPE, SUBJECT, { cache, logs, pageBytes: 300 }) };
}

before(async () => {
  plain = new SettledWorld(TAPE, SUBJECT, { blockRanks: BLOCK_RANKS });
  ({ reader: world, kept: results } = worldOn(booted, noLogs(BLOCK_RANKS)));
  await world.pages();
  await results.settled();
  const kept = await Array.fromAsync(listCache(booted, ROOT));
  kept.sort((a, b) => blocksOf(b.path) - blocksOf(a.path));
  [path, other] = [kept[0]!.path, kept[1]!.path];
  whole = disk.bytes(path)!.slice();
  assert.ok(blocksOf(path) >= 3, `${blocksOf(path)} blocks`);
});

function blocksOf(file: string): number {
  return readHeader(disk.bytes(file)!).blocks.length;
}

/** The requests: everything in both forms, some lines of the middle, and an export that resumes there. */
async function asks(): Promise<readonly AskedDays[]> {
  const { day } = readHeader(whole);
  const { settled } = (await plain.read({ firstDay: day }))[0]!;
  const [after, last] = [0.4, 0.6].map((share) =>
    settled.cursor(Math.floor(settled.count * share)),
  );
  return [
    { form: 'frames' },
    { form: 'blocks', hasTail: true },
    { form: 'blocks', firstDay: day, after: after!, last: last! },
    { form: 'frames', firstDay: day, skip: Math.floor(settled.count / 2) },
  ];
}

/**
 * The caller does not notice the damage. It is counted, the file is removed, and a read of the whole day writes it
 * again.
 */
async function assertFoundOut(what: string, spoil: () => void): Promise<void> {
  for (const asked of await asks()) {
    disk.put(path, whole.slice());
    spoil();
    const { damaged } = results.counters;
    const spoilt = Buffer.from(disk.bytes(path)!);
    const told = `${what}, ${JSON.stringify(asked)}`;
    const pages = await world.pages(asked);
    const expected = await plain.pages({ ...asked, form: 'blocks' });
    assert.equal(textOf(pages), textOf(expected), told);
    if (asked.form === 'blocks') assert.deepEqual(daysOf(pages), daysOf(expected), told);
    assert.equal(results.counters.damaged, damaged + 1, told);
    await results.settled();
    const now = disk.bytes(path);
    assert.ok(now === null || !spoilt.equals(now), told);
    if (asked.last === undefined) assert.ok(Buffer.from(whole).equals(now!), told);
  }
}

test('whichever part of a day’s file is changed, readers in every form get what is right [DET-18]', async () => {
  const { headerBytes } = readPrefix(whole);
  const { blocks, tailBytes } = readHeader(whole);
  const columnsAt = PREFIX_BYTES + headerBytes;
  const framesAt = blocks.reduce((sum, { columnsBytes }) => sum + columnsBytes, columnsAt);
  const tailAt = whole.length - tailBytes;
  const parts = {
    magic: 0,
    checksum: 16,
    headerChecksum: 20,
    headerLength: 24,
    header: PREFIX_BYTES,
  };
  for (const [part, from, to] of [
    ...Object.entries(parts).map(([name, at]) => [name, at, at + 4] as const),
    ['columns', columnsAt, framesAt],
    ['frames', framesAt, tailAt],
    ['tail', tailAt, whole.length],
  ] as const) {
    for (const at of new Set([from, Math.floor((from + to) / 2), to - 1])) {
      if (at < to) await assertFoundOut(`${part} at ${at}`, () => disk.flip(path, at, at % 8));
    }
  }
});

test('a day’s file that was cut, grew or is another’s is found out by readers in every form [DET-18]', async () => {
  for (const length of [0, 1, PREFIX_BYTES, 100, whole.length >> 1, whole.length - 1]) {
    await assertFoundOut(`cut to ${length}`, () => disk.put(path, whole.slice(0, length)));
  }
  await assertFoundOut('twice', () => disk.put(path, Buffer.concat([whole, whole])));
  const others = disk.bytes(other)!.slice();
  await assertFoundOut("another's", () => disk.put(path, others));
});

test('an export that goes on days later counts the lines of a spoilt file right [DET-18]', async () => {
  const lines = (await plain.read()).map(({ settled }) => settled.count);
  const skip = lines[0]! + lines[1]! + 2;
  const expected = textOf(await plain.pages({ skip }));
  for (const at of [0, 17, 25, PREFIX_BYTES + 9, whole.length >> 1, whole.length - 1]) {
    disk.put(path, whole.slice());
    disk.flip(path, at, 1);
    assert.equal(textOf(await world.pages({ form: 'frames', skip })), expected, `flipped at ${at}`);
    await results.settled();
  }
});

test('a day that is packed while it is computed has a file like any other, unless it is too large', async () => {
  const file = { ...readHeader(whole) };
  for (const [packedBytesPerDay, isKept] of [
    [1_000_000, true],
    [600, false],
  ] as const) {
    const fresh = new SimDisk();
    const logs = new DayLogs({ blockRanks: BLOCK_RANKS, bytesPerDay: 400, packedBytesPerDay });
    const { reader, kept } = worldOn(fresh.boot(), logs);
    assert.equal(textOf(await reader.pages()), textOf(await plain.pages()));
    await kept.settled();
    assert.equal(kept.counters.skipped > 0, !isKept);
    assert.equal(fresh.files().includes(path), isKept);
    if (isKept) assert.deepEqual(readHeader(fresh.bytes(path)!), file);
  }
});

test('the time of a file’s last use may be anything [DET-18]', async () => {
  for (let at: number = LAST_USE.from; at < LAST_USE.to; at += 1) {
    disk.put(path, whole.slice());
    disk.flip(path, at, 3);
    const { damaged } = results.counters;
    assert.equal(textOf(await world.pages()), textOf(await plain.pages()));
    assert.equal(results.counters.damaged, damaged);
  }
});
