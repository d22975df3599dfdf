/** Reads of a pool: when they hold a slot, what idle ones keep in memory, and how parked ones resume. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { ComputeWorld, DAY, pageThread, request } from '../../testing/compute/compute-world.ts';
import { refusedAs } from '../../testing/refused-as.ts';

test('a read that nobody pulls holds no place: any number of them shuts nobody out [SEC-37] [SEC-38]', async () => {
  await using world = new ComputeWorld(1, { workingPerThread: 2, workingPerAccount: 2 });
  const idle = [];
  for (let count = 0; count < 64; count += 1) {
    const read = await world.pool.read(request(count % 2 === 0 ? 'a' : 'b'));
    await read.next();
    idle.push(read);
  }
  assert.deepEqual([world.pool.counts.open, world.pool.counts.working], [64, 0]);
  await using third = await world.pool.read(request('c'));
  assert.equal(pageThread(await third.next()), 1);
  for (const read of idle) await read[Symbol.asyncDispose]();
  await third[Symbol.asyncDispose]();
  const { open, working, idle: left, waiting } = world.pool.counts;
  assert.deepEqual([open, working, left, waiting], [0, 0, 0, 0]);
});

test('at most eight reads of an account are at work; the ninth waits and is served [SEC-37]', async () => {
  await using world = new ComputeWorld(4);
  world.slices = 1_000;
  const reads = [];
  for (let count = 0; count < 9; count += 1) reads.push(await world.pool.read(request('a')));
  const pulls = reads.map((read) => read.next());
  for (let turns = 0; turns < 30; turns += 1) await settle();
  const { working, waiting } = world.pool.counts;
  assert.deepEqual([working, waiting], [8, 1]);
  // It does not hold up another account.
  await using other = await world.pool.read(request('b'));
  const others = other.next();
  for (let turns = 0; turns < 10; turns += 1) await settle();
  assert.equal(world.pool.counts.working, 9);
  world.slices = 1;
  assert.ok((await Promise.all([...pulls, others])).every((result) => result !== null));
  for (const read of reads) await read[Symbol.asyncDispose]();
});

test('what idle reads keep is limited: who has most loses first, and goes on all the same [SEC-37]', async () => {
  await using world = new ComputeWorld(1, { idle: { eachMax: 48, allMax: 80 } });
  const reads = [];
  for (const account of ['a', 'a', 'a', 'b', 'b', 'c']) {
    const read = await world.pool.read(request(account));
    await read.next();
    reads.push(read);
  }
  // Each keeps sixteen: the sixth is one too many, and the first of the account with three goes.
  await settle();
  assert.deepEqual(world.threads[0]!.closed, ['a']);
  await using fourth = await world.pool.read(request('b'));
  await fourth.next();
  await settle();
  assert.deepEqual(world.threads[0]!.closed, ['a', 'b'], 'who has most by now is b');
  assert.equal(world.pool.counts.parked, 2);
  const before = world.opened.length;
  assert.equal(pageThread(await reads[0]!.next()), 1);
  assert.deepEqual(world.opened.slice(before), [{ day: DAY, rank: 1, k: 1 }]);
  for (const read of reads) await read[Symbol.asyncDispose]();
});

test('what is kept comes with the opening, before anything is computed, also when a read is opened again', async () => {
  await using world = new ComputeWorld(1, { idle: { eachMax: 0, allMax: 0 } });
  world.isKept = true;
  await using read = await world.pool.read(request('a'));
  const kept = { day: DAY, rank: 1, k: 9 };
  assert.deepEqual((await read.next())!.position, kept);
  assert.deepEqual(world.worked, []);
  // It was idle for a while, and resumes after the results taken.
  assert.deepEqual((await read.next())!.position, kept);
  world.isKept = false;
  assert.deepEqual((await read.next())!.position, { day: DAY, rank: 1, k: 1 });
  assert.deepEqual(world.opened, [null, kept, kept]);
  await using given = await world.pool.read(request('a'));
  await given[Symbol.asyncDispose]();
  await assert.rejects(given.next(), refusedAs('closed'));
});

test('a read that is opened again over other days than before ends', async () => {
  await using world = new ComputeWorld(1, { idle: { eachMax: 0, allMax: 0 } });
  await using read = await world.pool.read(request('a'));
  await read.next();
  await read.next();
  world.inputs = 'others';
  await assert.rejects(read.next(), refusedAs('outdated'));
  await assert.rejects(read.next(), refusedAs('outdated'));
  assert.deepEqual([world.pool.counts.open, world.pool.counts.working], [0, 0]);
});

/** A replay. */
const WANTED = {
  ...request('a'),
  from: { t: 'after', cursor: '20261112.0.0' },
  chargedBefore: 0n as EpochNs,
} as const;

test('whatever is asked while threads still read the import before waits for the newest one', async () => {
  await using world = new ComputeWorld(2, { idle: { eachMax: 0, allMax: 0 } });
  const manifest = Promise.withResolvers<void>();
  world.manifest = manifest.promise;
  const { contract } = WANTED;
  world.pool.refresh('GLBX', [{ contract, day: DAY }]);
  const asked = world.pool.daysVersions([contract]);
  const opened = world.pool.open(WANTED);
  const begun = world.pool.read(request('a'));
  for (let turns = 0; turns < 20; turns += 1) await settle();
  manifest.resolve();
  await world.pool.refreshed();
  assert.deepEqual(await asked, ['1']);
  await using replay = await opened;
  // It is idle between pulls, so each page reopens it over the same days.
  assert.equal((await replay.next()).position, '20261112.2.0');
  assert.equal((await replay.next()).position, '20261112.2.0');
  await using read = await begun;
  for (let pages = 0; pages < 3; pages += 1) await read.next();
});

test('a replay that is opened again after its contract was imported anew ends', async () => {
  await using world = new ComputeWorld(1, { idle: { eachMax: 0, allMax: 0 } });
  const { contract } = WANTED;
  await using replay = await world.pool.open(WANTED);
  await replay.next();
  world.pool.refresh('GLBX', [{ contract: 'NQZ6', day: DAY }]);
  await replay.next();
  world.pool.refresh('GLBX', [{ contract, day: DAY }]);
  await assert.rejects(replay.next(), refusedAs('outdated'));
});

test('a read that was idle when its thread died goes on in another', async () => {
  await using world = new ComputeWorld(2);
  await using read = await world.pool.read(request('a'));
  const before = pageThread(await read.next());
  world.threads[before - 1]!.die();
  assert.equal(pageThread(await read.next()), 3 - before);
  assert.equal(world.pool.counts.open, 1);
  assert.equal(world.opened.at(-1)?.day, DAY);
});
