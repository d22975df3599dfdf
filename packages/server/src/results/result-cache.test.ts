/** The cache on a disk that fails, loses and changes data: it returns a correct result or none. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { addDays, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { type Block, emptyBlock } from '../blocks/block.ts';
import { BlockWriter } from '../blocks/block-writer.ts';
import type { ResultInputs } from '../runs/settled-inputs.ts';
import { cacheStatistics, clearCache, listCache, removeUnfinished } from './cache-entries.ts';
import type { WholeDay } from './day-log.ts';
import { compressFrame } from './frames.ts';
import { LoggedBlock } from './logged-block.ts';
import { ResultCache } from './result-cache.ts';
import type { ResultKey } from './result-cache-file.ts';

const ROOT = '/data/cache';
const DAY = utcDay(20261112);
const KEY: ResultKey = {
  dataset: 'SIM',
  contract: 'ESZ6',
  day: DAY,
  indicator: 'bars',
  params: { bar: 'time', size: 60 },
  fingerprint: 'f1',
};
const INPUTS: ResultInputs = { days: [[DAY, 'abc']], sessions: 's' };

/** `count` updates that identify this result, a hundred in each block. */
function resultOf(name: string, count: number, day = DAY): WholeDay {
  const blocks: LoggedBlock[] = [];
  for (let first = 0; first < count; first += 100) {
    const rows = Array.from({ length: Math.min(100, count - first) }, (_, row) => first + row);
    blocks.push(LoggedBlock.of(blockOf(name, rows, day)));
  }
  return { trades: count * 3, isWarm: true, blocks, tail: blockOf(`${name} tail`, [0], day) };
}

function blockOf(name: string, rows: readonly number[], day: UtcDay): Block {
  using writer = new BlockWriter(256, 4);
  for (const row of rows) {
    const mark = { day, rank: (row + 1) as Rank, k: 1 };
    writer.add('upsert', true, mark, `"id":"${name} ${row}"`, row * 1_000_000_007);
  }
  return writer.take(day);
}

function cacheOn(
  disk: SimDisk,
  { bytesMax = 2 ** 30, writer = 'w', clock = { ms: 1_000_000 } } = {},
): ResultCache {
  return new ResultCache({ disk: disk.boot(), root: ROOT, bytesMax, now: () => clock.ms, writer });
}

/** The whole content of a result. */
function said({ trades, isWarm, blocks, tail }: WholeDay) {
  const facts = blocks.map(({ count, textBytes, firstNs, lastNs }) => {
    return { count, textBytes, firstNs, lastNs };
  });
  const memory = blocks.map(({ block }) => Buffer.from(block.memory).toString('hex'));
  return { trades, isWarm, facts, memory, tail: Buffer.from(tail.memory).toString('hex') };
}

test('finds what was kept, exactly; nothing for another key or other inputs', async () => {
  const cache = cacheOn(new SimDisk());
  assert.equal(await cache.find(KEY, INPUTS), null);
  for (const [at, count] of [0, 1, 1_000].entries()) {
    const day = utcDay(DAY + at);
    const result = resultOf('a', count, day);
    cache.keep({ ...KEY, day }, INPUTS, result);
    await cache.settled();
    const found = await cache.find({ ...KEY, day }, INPUTS);
    for (const [number, block] of found!.blocks.entries()) {
      const { frame } = await block.pack();
      const { text } = result.blocks[number]!.block;
      assert.deepEqual(new Uint8Array(frame), await compressFrame(text));
    }
    assert.deepEqual(said(found!), said(resultOf('a', count, day)));
  }
  for (const other of [
    { dataset: 'CME' },
    { contract: 'NQZ6' },
    { day: utcDay(20261110) },
    { indicator: 'delta' },
    { params: { bar: 'time', size: 61 } },
    { fingerprint: 'f2' },
  ]) {
    assert.equal(await cache.find({ ...KEY, ...other }, INPUTS), null);
  }
  const { hits, misses, damaged, stale } = cache.counters;
  assert.deepEqual({ hits, misses, damaged, stale }, { hits: 3, misses: 7, damaged: 0, stale: 0 });
  assert.equal(await cache.find(KEY, { ...INPUTS, days: [[DAY, 'abd']] }), null);
  assert.equal(cache.counters.stale, 1);
  assert.equal(await cache.find(KEY, INPUTS), null, 'what was computed from other trades is gone');
});

test('any changed bit, any cut and any other file is found out, removed and counted', async () => {
  const disk = new SimDisk();
  const cache = cacheOn(disk);
  const keep = async () => {
    cache.keep(KEY, INPUTS, resultOf('a', 40));
    await cache.settled();
    return disk.files()[0]!;
  };
  const path = await keep();
  const size = disk.bytes(path)!.length;
  let damaged = 0;
  for (let position = 0; position < size; position += 1) {
    disk.flip(path, position, position % 8);
    const found = await cache.find(KEY, INPUTS);
    // The time of the last use is not part of the result.
    if (position >= 8 && position < 16) {
      assert.deepEqual(said(found!), said(resultOf('a', 40)));
    } else {
      assert.equal(found, null);
      damaged += 1;
      assert.deepEqual(disk.files(), []);
    }
    await keep();
  }
  assert.equal(cache.counters.damaged, damaged);
  const whole = disk.bytes(path)!;
  for (let length = 0; length < size; length += 7) {
    disk.put(path, whole.slice(0, length));
    assert.equal(await cache.find(KEY, INPUTS), null);
  }
  disk.put(path, Buffer.concat([whole, whole]));
  assert.equal(await cache.find(KEY, INPUTS), null);
  const other = { ...KEY, contract: 'NQZ6' };
  cache.keep(other, INPUTS, resultOf('b', 3));
  await cache.settled();
  disk.put(path, disk.bytes(disk.files()[0]!)!);
  assert.equal(await cache.find(KEY, INPUTS), null, "another's file is not taken for one's own");
});

test('a crash at any moment leaves the right result or none, torn writes included', async () => {
  const [a, b, c] = [resultOf('a', 30), resultOf('b', 60), resultOf('c', 2_000)];
  const saidOf = new Map([a, b, c].map((result) => [result, said(result)]));
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: 40 }),
    fc.nat(),
    fc.boolean(),
    async (haltAt, seed, isTorn) => {
      const disk = new SimDisk();
      const random = seededRandom(seed);
      const before = cacheOn(disk);
      before.keep(KEY, INPUTS, a);
      await before.settled();
      let operations = 0;
      disk.faults = () => {
        operations += 1;
        return operations === haltAt ? 'halt' : null;
      };
      const cache = cacheOn(disk);
      cache.keep(KEY, INPUTS, b);
      cache.keep({ ...KEY, indicator: 'delta' }, INPUTS, c);
      const use = cache.find(KEY, INPUTS);
      await Promise.race([Promise.all([cache.settled(), use]), disk.halted]);
      disk.faults = () => null;
      disk.crash(isTorn ? random : null);
      const after = cacheOn(disk);
      const one = await after.find(KEY, INPUTS);
      if (one !== null) {
        assert.deepEqual(said(one), saidOf.get(one.trades === a.trades ? a : b));
      }
      const other = await after.find({ ...KEY, indicator: 'delta' }, INPUTS);
      if (other !== null) assert.deepEqual(said(other), saidOf.get(c));
      await removeUnfinished(disk.boot(), ROOT);
      assert.ok(disk.files().every((path) => path.endsWith('.result')));
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

test('a disk that fails is counted, and nobody hears of it', async () => {
  for (const fault of ['full', 'fail'] as const) {
    const disk = new SimDisk();
    const cache = cacheOn(disk);
    disk.faults = (operation) => (operation === 'write' ? fault : null);
    cache.keep(KEY, INPUTS, resultOf('a', 9));
    await cache.settled();
    assert.equal(cache.counters.failed, 1);
    assert.equal(await cache.find(KEY, INPUTS), null);
    disk.faults = () => null;
    cache.keep(KEY, INPUTS, resultOf('a', 9));
    await cache.settled();
    disk.faults = (operation) => (operation === 'read' ? 'fail' : null);
    assert.equal(await cache.find(KEY, INPUTS), null);
    assert.equal(cache.counters.failed, 2);
  }
});

test('two writers of the same result do not disturb each other', async () => {
  const disk = new SimDisk();
  const shared = disk.boot();
  const options = { disk: shared, root: ROOT, bytesMax: 2 ** 30, now: () => 5 };
  const writers = ['one', 'two'].map((writer) => new ResultCache({ ...options, writer }));
  for (let round = 0; round < 20; round += 1) {
    for (const cache of writers) cache.keep(KEY, INPUTS, resultOf('a', 500));
    const found = await Promise.all(writers.map((cache) => cache.find(KEY, INPUTS)));
    for (const one of found) {
      if (one !== null) assert.deepEqual(said(one), said(resultOf('a', 500)));
    }
    await Promise.all(writers.map((cache) => cache.settled()));
  }
  for (const { counters } of writers) {
    assert.deepEqual([counters.failed, counters.damaged, counters.stale], [0, 0, 0]);
  }
  assert.equal(disk.files().length, 1);
});

test('over its limit the results used longest ago go first', async () => {
  const disk = new SimDisk();
  const clock = { ms: 1_000_000 };
  const filler = cacheOn(disk, { clock });
  const days = Array.from({ length: 16 }, (_, at) => utcDay(20261101 + at));
  for (const day of days) {
    clock.ms += 120_000;
    filler.keep({ ...KEY, day }, INPUTS, resultOf('a', 200));
    await filler.settled();
  }
  const { bytes } = await cacheStatistics(disk.boot(), ROOT);
  clock.ms += 120_000;
  const used = cacheOn(disk, { clock });
  assert.notEqual(await used.find({ ...KEY, day: days[0]! }, INPUTS), null);
  const small = cacheOn(disk, { clock, bytesMax: Math.floor(bytes / 2) });
  await small.trim();
  const left: number[] = [];
  for await (const { about } of listCache(disk.boot(), ROOT)) left.push(about!.day);
  assert.ok(left.length >= 6 && left.length <= 8, `${left.length} are left`);
  assert.deepEqual(left, [days[0], ...days.slice(days.length - left.length + 1)]);
  assert.equal(small.counters.trimmed, days.length - left.length);
  const after = await cacheStatistics(disk.boot(), ROOT);
  assert.ok(after.bytes <= bytes / 2);
});

test('stays within its limit by itself, and keeps nothing that is too large for it', async () => {
  const disk = new SimDisk().boot();
  const options = { disk, root: ROOT, now: () => 5, writer: 'w' };
  const cache = new ResultCache({ ...options, bytesMax: 60_000 });
  for (let day = 1; day <= 28; day += 1) {
    cache.keep({ ...KEY, day: utcDay(20261100 + day) }, INPUTS, resultOf('a', 300));
    await cache.settled();
    const { bytes } = await cacheStatistics(disk, ROOT);
    assert.ok(bytes <= 60_000 + 60_000 / 32 + 7_500, `${bytes} bytes`);
  }
  assert.ok(cache.counters.trimmed > 0);
  const before = cache.counters.skipped;
  cache.keep(KEY, INPUTS, resultOf('large', 200_000));
  await cache.settled();
  assert.equal(cache.counters.skipped, before + 1);
});

test('results that come faster than they are written are not kept', async () => {
  const cache = cacheOn(new SimDisk());
  const large = { ...resultOf('a', 10), tail: emptyBlock(DAY, 0, 9 * 1024 * 1024) };
  for (let day = 1; day <= 20; day += 1) {
    cache.keep({ ...KEY, day: utcDay(20261100 + day) }, INPUTS, large);
  }
  await cache.settled();
  assert.deepEqual([cache.counters.kept, cache.counters.skipped], [3, 17]);
  const small = cacheOn(new SimDisk());
  for (let day = 0; day < 600; day += 1) {
    small.keep({ ...KEY, day: addDays(DAY, day) }, INPUTS, resultOf('a', 10));
  }
  await small.settled();
  assert.deepEqual([small.counters.kept, small.counters.skipped], [512, 88]);
});

test('a result is written when who asked for it was served, and found then', async () => {
  const served = Promise.withResolvers<void>();
  const disk = new SimDisk();
  const options = { disk: disk.boot(), root: ROOT, bytesMax: 2 ** 30, now: () => 5, writer: 'w' };
  const cache = new ResultCache({ ...options, served: () => served.promise });
  cache.keep(KEY, INPUTS, resultOf('a', 10));
  assert.equal(await cache.find(KEY, INPUTS), null);
  assert.deepEqual(disk.files(), []);
  served.resolve();
  await cache.settled();
  assert.deepEqual(said((await cache.find(KEY, INPUTS))!), said(resultOf('a', 10)));
});

test('a day that is not all there any more is not kept', async () => {
  const disk = new SimDisk();
  const cache = cacheOn(disk);
  cache.keep(KEY, INPUTS, null);
  await cache.settled();
  assert.deepEqual([cache.counters.skipped, disk.files()], [1, []]);
});

test('a result that is always in use is not the first to go', async () => {
  const disk = new SimDisk();
  const clock = { ms: 1_000_000 };
  const cache = cacheOn(disk, { clock, bytesMax: 12_000 });
  for (let day = 0; day < 3; day += 1) {
    cache.keep({ ...KEY, day: addDays(DAY, day) }, INPUTS, resultOf('a', 10));
  }
  await cache.settled();
  for (let minutes = 0; minutes < 10; minutes += 1) {
    clock.ms += 40_000;
    if (minutes === 0) assert.notEqual(await cache.find(KEY, INPUTS), null);
    else await cache.use(KEY);
  }
  const { bytes } = await cacheStatistics(disk.boot(), ROOT);
  const small = cacheOn(disk, { clock, bytesMax: (bytes / 3) * 1.5 });
  await small.trim();
  assert.notEqual(await small.find(KEY, INPUTS), null);
  assert.equal(small.counters.trimmed, 2);
});

test('entries are listed, told and cleared by contract and indicator', async () => {
  const disk = new SimDisk();
  const cache = cacheOn(disk);
  for (const contract of ['ESZ6', 'NQZ6']) {
    for (const indicator of ['bars', 'delta']) {
      cache.keep({ ...KEY, contract, indicator }, INPUTS, resultOf(indicator, 5));
    }
  }
  await cache.settled();
  const all = await Array.fromAsync(listCache(disk.boot(), ROOT));
  assert.deepEqual(
    all.map(({ contract, about }) => `${contract} ${about?.indicator}`),
    ['ESZ6 bars', 'ESZ6 delta', 'NQZ6 bars', 'NQZ6 delta'],
  );
  const { path: _, bytes, ...rest } = all[0]!;
  assert.ok(bytes > 100);
  assert.deepEqual(rest, {
    dataset: 'SIM',
    contract: 'ESZ6',
    about: {
      day: DAY,
      indicator: 'bars',
      params: KEY.params,
      fingerprint: 'f1',
      lines: 5,
      lastUsedMs: 1_000_000,
    },
  });
  disk.put(all[3]!.path, Buffer.from('no result'));
  disk.put(`${all[3]!.path}.w-1.tmp`, Buffer.from('x'));
  const told = await cacheStatistics(disk.boot(), ROOT);
  assert.deepEqual([told.entries, told.damaged, told.unfinished], [4, 1, 1]);
  const cleared = async (filter: object) =>
    (await Array.fromAsync(clearCache(disk.boot(), ROOT, filter))).length;
  assert.equal(await cleared({ contract: 'ESZ6', indicator: 'bars' }), 1);
  assert.equal(await cleared({ indicator: 'delta' }), 1, 'one more could not be read');
  assert.equal(await cleared({ contract: 'CLZ6' }), 0);
  assert.equal(disk.files().length, 3);
  assert.equal(await cleared({}), 2);
  assert.deepEqual(disk.files(), []);
});
