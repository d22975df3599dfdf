import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { ComputeWorld, DAY, pageThread, request } from '../../testing/compute/compute-world.ts';
import { refusedAs } from '../../testing/refused-as.ts';
import { isRefused } from '../platform/refusal.ts';

test('reads are placed on the least busy thread and stay there', async () => {
  await using world = new ComputeWorld(3);
  const reads = [];
  for (const one of ['a', 'b', 'c', 'd']) reads.push(await world.pool.read(request(one, one)));
  const results = await Promise.all(reads.map((read) => read.next()));
  assert.deepEqual(results.map(pageThread).toSorted(), [1, 1, 2, 3]);
  await reads[1]![Symbol.asyncDispose]();
  await using fifth = await world.pool.read(request('e', 'e'));
  assert.equal(pageThread(await fifth.next()), pageThread(results[1]!));
  for (const read of reads) await read[Symbol.asyncDispose]();
  assert.equal(world.pool.counts.open, 1);
});

test('what was computed before goes to the same thread, unless that is busier than others', async () => {
  await using world = new ComputeWorld(3);
  const threadOf = async (contract: string) => {
    const read = await world.pool.read(request('a', contract));
    const thread = pageThread(await read.next());
    return { read, thread };
  };
  for (const contract of ['x', 'y', 'z', 'y', 'x', 'y']) {
    const one = await threadOf(contract);
    const again = await threadOf(contract);
    assert.equal(again.thread, one.thread);
    const third = await threadOf(contract);
    assert.notEqual(third.thread, one.thread, 'two reads more than another thread has');
    for (const { read } of [one, again, third]) await read[Symbol.asyncDispose]();
  }
});

test('the accounts of one thread take turns inside their days', async () => {
  await using world = new ComputeWorld(1);
  world.slices = 6;
  await using a = await world.pool.read(request('a'));
  await using b = await world.pool.read(request('b'));
  await Promise.all([a.next(), b.next()]);
  const alternations = world.worked.filter((one, at) => one !== world.worked[at - 1]).length;
  assert.ok(alternations >= 10, world.worked.join(''));
});

test('an aborted request ends its read at once, and the work within a turn', async () => {
  await using world = new ComputeWorld(1);
  world.slices = 1_000;
  const controller = new AbortController();
  const read = await world.pool.read(request('a'), controller.signal);
  const next = read.next();
  while (world.worked.length < 3) await settle();
  const reason = new Error('the client is gone');
  controller.abort(reason);
  await assert.rejects(next, reason);
  await assert.rejects(read.next(), reason);
  assert.equal(world.pool.counts.open, 0);
  const done = world.worked.length;
  for (let turns = 0; turns < 10; turns += 1) await settle();
  assert.ok(world.worked.length <= done + 2, `${world.worked.length - done} slices more`);
  const { calls, cancelled, refused } = world.pool.counts;
  assert.deepEqual([calls, cancelled], [0, 1]);
  assert.ok(Object.values(refused).every((count) => count === 0));
});

test('room is limited, for one account more than for all', async () => {
  await using world = new ComputeWorld(2, {
    workingPerThread: 2,
    workingPerAccount: 3,
    keptForNewPercent: 0,
    waiting: 2,
    waitingPerAccount: 1,
    waitingKeptForNew: 0,
  });
  const atOnce = (account: string) => ({ ...request(account), isAtOnce: true });
  const reads = [];
  for (let count = 0; count < 3; count += 1) reads.push(await world.pool.read(atOnce('a')));
  const waits = world.pool.read(atOnce('a'));
  await assert.rejects(world.pool.read(atOnce('a')), refusedAs('full'));
  world.slices = 1_000;
  await using other = await world.pool.read(request('b'));
  const pulls = [...reads, other].map((read) => read.next());
  for (const pull of pulls) pull.catch(() => {});
  await settle();
  const controller = new AbortController();
  const given = world.pool.read(request('c'), controller.signal);
  await assert.rejects(world.pool.read(request('d')), refusedAs('full'));
  const replay = { contract: 'ESZ6', indicator: 'bars', params: {}, account: 'd' };
  const from = { t: 'after', cursor: '20261112.0.0' } as const;
  const until = 1_000n as EpochNs;
  await assert.rejects(
    world.pool.open({ ...replay, from, until, chargedBefore: until }),
    refusedAs('full'),
  );
  assert.equal(world.pool.counts.waiting, 2);
  controller.abort();
  await assert.rejects(given);
  await reads[0]![Symbol.asyncDispose]();
  await using _waited = await waits;
  const { open, waiting, refused, cancelled } = world.pool.counts;
  assert.deepEqual([open, waiting, cancelled], [4, 0, 1]);
  assert.deepEqual([refused.account, refused.queue], [1, 2]);
});

test('what is refused says why, and nothing of the house', async () => {
  await using world = new ComputeWorld(2);
  await assert.rejects(
    world.pool.read(request('a', 'missing')),
    refusedAs('days-missing', { contract: 'missing', days: [DAY] }),
  );
  assert.deepEqual(world.faults, []);
  await using broken = await world.pool.read(request('a', 'broken'));
  await assert.rejects(broken.next(), (error) => {
    assert.ok(isRefused(error, 'failed'));
    assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /secret/);
    return true;
  });
  await using damaged = await world.pool.read(request('a', 'damaged'));
  await assert.rejects(damaged.next(), refusedAs('day-damaged'));
  await settle();
  await settle();
  assert.deepEqual(world.faults, [
    'a secret of the house broken',
    'damaged 20261112 is damaged: a bit damaged',
  ]);
  // Every thread knows it once it is notified.
  world.pool.noteDamaged('damaged', DAY, true);
  await settle();
  assert.deepEqual(world.damaged.toSorted(), ['1 damaged', '2 damaged']);
  await broken[Symbol.asyncDispose]();
  await damaged[Symbol.asyncDispose]();
  assert.equal(world.pool.counts.open, 0);
});

test('what fails after its read was closed, or cannot cross, is told with what was asked for, if anything was', async () => {
  await using world = new ComputeWorld(1);
  world.slices = 1_000;
  const read = await world.pool.read(request('a', 'unclosable'));
  const next = read.next();
  while (world.worked.length < 3) await settle();
  await read[Symbol.asyncDispose]();
  await assert.rejects(next, refusedAs('closed'));
  while (world.faults.length === 0) await settle();
  assert.deepEqual(world.faults, ['a file is gone unclosable']);
  await assert.rejects(world.pool.daysVersions(['uncrossable']), refusedAs('failed'));
  assert.match(world.faults[1]!, /could not be cloned. -$/);
});

test('a thread that dies takes its reads with it and is replaced, the more slowly the sooner it died', async () => {
  await using world = new ComputeWorld(2);
  world.slices = 1_000;
  const dying = await world.pool.read(request('a'));
  await using living = await world.pool.read(request('b', 'NQZ6'));
  const waiting = dying.next();
  await settle();
  world.threads[0]!.die();
  await assert.rejects(waiting, refusedAs('failed'));
  await assert.rejects(dying.next(), refusedAs('failed'));
  await dying[Symbol.asyncDispose]();
  assert.deepEqual(world.faults, ['out of memory -']);
  world.slices = 1;
  assert.equal(pageThread(await living.next()), 2);
  assert.equal(world.pool.counts.threads, 1);
  await replaceAfter(world, 1_000);
  world.threads[2]!.die();
  await replaceAfter(world, 2_000);
  world.threads[3]!.die();
  await replaceAfter(world, 4_000);
  assert.equal(world.pool.counts.threadsLost, 3);
  await using again = await world.pool.read(request('a'));
  assert.equal(pageThread(await again.next()), 5);
});

async function replaceAfter(world: ComputeWorld, ms: number): Promise<void> {
  const count = world.threads.length;
  world.clock.advance(ms - 1);
  assert.equal(world.threads.length, count);
  world.clock.advance(1);
  assert.equal(world.threads.length, count + 1);
}

test('without a living thread questions are refused for now and reads wait', async () => {
  await using world = new ComputeWorld(1);
  world.threads[0]!.die();
  await assert.rejects(world.pool.locate('ESZ6', '20261112.1.1', null), refusedAs('full'));
  const waiting = world.pool.read(request('a'));
  world.clock.advance(1_000);
  await using read = await waiting;
  assert.equal(pageThread(await read.next()), 2);
});

test('cursors to locate take at most half of the calls, so that pages find room', async () => {
  await using world = new ComputeWorld(1, { callsPerThread: 4 });
  const locate = () => world.pool.locate('ESZ6', '20261112.1.1', null);
  const ask = () => world.pool.daysVersions(['ESZ6']);
  const [first, second, third] = [locate(), locate(), locate()];
  await assert.rejects(third, refusedAs('full', { what: 'questions' }));
  assert.deepEqual(await Promise.all([first, second]), [{ t: 'beyond' }, { t: 'beyond' }]);
  const some = [locate(), locate(), ask(), ask()];
  await assert.rejects(ask(), refusedAs('full', { what: 'questions' }));
  assert.equal((await Promise.all(some)).length, 4);
  assert.equal(world.pool.counts.refused.questions, 2);
});

test('after the end everything is refused, also what waits', async () => {
  const world = new ComputeWorld(1, { workingPerThread: 1 });
  const read = await world.pool.read(request('a'));
  const asked = read.next();
  const waiting = world.pool.read(request('b'));
  await Promise.all([
    assert.rejects(asked, refusedAs('shut-down')),
    assert.rejects(waiting, refusedAs('shut-down')),
    world.pool[Symbol.asyncDispose](),
  ]);
  await assert.rejects(world.pool.daysVersions(['ESZ6']), refusedAs('shut-down'));
  await assert.rejects(world.pool.read(request('a')), refusedAs('shut-down'));
  await read[Symbol.asyncDispose]();
  assert.deepEqual(world.faults, []);
});
