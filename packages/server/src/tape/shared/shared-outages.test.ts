import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays } from '@tapeloom/core/utc-day';
import { MemoryObjects } from '../../../../../simulation/stream-storage/memory-objects.ts';
import { type SharedNode, SharedWorld } from '../../../testing/tape/shared-nodes.ts';

const OFFERS = 12;
const PACE = { batchRowsMax: 3, offersPerDay: OFFERS };
/** Too long for a message: every book is an object. */
const LONG_FLOORS = 'x'.repeat(300_000);
/** Longer than an election of servers. */
const OUTAGE_MS = 90_000;

async function begun(seed: number, days: number): Promise<[SharedWorld, SharedNode[]]> {
  const world = new SharedWorld(seed, PACE, days * OFFERS);
  const nodes = [world.node('a'), world.node('b')];
  world.untilOffer = 2 * OFFERS - 2;
  for (const node of nodes) await node.start();
  await world.until('somebody appends', () => nodes.some(({ isLeading }) => isLeading));
  for (const { tape } of nodes) tape!.setFloors(LONG_FLOORS);
  await world.until('all but the end of a day is fed', () => world.isFed);
  await world.time.pass(3_000);
  return [world, nodes];
}

async function finish(world: SharedWorld, nodes: readonly SharedNode[]): Promise<void> {
  world.untilOffer = world.offers.length;
  await world.until('all is fed', () => world.isFed);
  await world.assertEqual(...nodes);
  for (const node of nodes) {
    assert.equal(node.down, null);
    await node.stop();
  }
}

test('objects that are out of reach over a midnight stop no node: the day opens when they are back', async () => {
  const [world, nodes] = await begun(31, 4);
  world.objects.isOutOfReach = true;
  world.untilOffer = 3 * OFFERS;
  await world.time.pass(OUTAGE_MS);
  assert.deepEqual(
    nodes.map(({ down }) => down),
    [null, null],
  );
  assert.ok(
    nodes.some(({ isLeading }) => isLeading),
    'who appends goes on appending',
  );
  const told = nodes.flatMap(({ faults }) => faults).filter((fault) => /book/.test(fault));
  assert.equal(told.length, 1, `it is told once: ${told}`);
  world.objects.isOutOfReach = false;
  await finish(world, nodes);
});

test('a node takes over while objects are out of reach, and appends when they are back', async () => {
  const [world, nodes] = await begun(32, 4);
  const leader = nodes.find(({ isLeading }) => isLeading)!;
  const other = nodes.find((node) => node !== leader)!;
  world.objects.isOutOfReach = true;
  world.untilOffer = 3 * OFFERS;
  leader.kill();
  await world.until('the other appends', () => other.isLeading);
  await world.time.pass(OUTAGE_MS);
  assert.equal(other.down, null);
  assert.ok(other.isLeading);
  world.objects.isOutOfReach = false;
  await leader.start();
  await finish(world, nodes);
});

test('who follows waits for a book whose object is out of reach, however long', async () => {
  const [world, nodes] = await begun(33, 4);
  const own = { objects: new MemoryObjects() };
  const follower = world.node('c', false, {
    objects: {
      put: (name, bytes) => world.objects.put(name, bytes),
      get: async (name) =>
        own.objects.isOutOfReach ? own.objects.get(name) : world.objects.get(name),
      list: (prefix) => world.objects.list(prefix),
      remove: (name) => world.objects.remove(name),
    },
  });
  await follower.start();
  own.objects.isOutOfReach = true;
  world.untilOffer = 3 * OFFERS;
  await world.until('a day is opened', () => world.isFed);
  await world.time.pass(OUTAGE_MS);
  assert.equal(follower.down, null);
  own.objects.isOutOfReach = false;
  await finish(world, [...nodes, follower]);
});

test('a node that waits for objects leaves within seconds, and is not down', async () => {
  const [world, nodes] = await begun(34, 4);
  const leader = nodes.find(({ isLeading }) => isLeading)!;
  const other = nodes.find((node) => node !== leader)!;
  world.objects.isOutOfReach = true;
  world.untilOffer = 3 * OFFERS;
  await world.time.pass(5_000);
  const from = world.time.ms;
  await world.time.until(leader.tape!.leave());
  assert.ok(world.time.ms - from < 8_000, `${world.time.ms - from} ms`);
  await world.until('the other appends', () => other.isLeading);
  assert.equal(leader.down, null);
  world.objects.isOutOfReach = false;
  await finish(world, nodes);
});

for (const isSleeper of [true, false]) {
  const who = isSleeper
    ? 'a node that slept until the stream was purged'
    : 'a node with an empty directory';
  test(`${who} joins although objects are out of reach for a while`, async () => {
    const world = new SharedWorld(35, PACE, 10 * OFFERS);
    const nodes = [world.node('a'), world.node('b')];
    const late = world.node('c', false);
    for (const node of nodes) await node.start();
    world.untilOffer = OFFERS + 5;
    await world.until('some is fed', () => world.isFed);
    if (isSleeper) {
      await late.start();
      await world.time.pass(2_000);
      late.pause();
    }
    world.untilOffer = world.offers.length;
    await world.until('all is fed', () => world.isFed);
    await world.time.pass(5_000);
    world.objects.isOutOfReach = true;
    world.time.after(20_000, () => {
      world.objects.isOutOfReach = false;
    });
    if (isSleeper) {
      assert.ok(world.keeper.first > late.tape!.report.sequence);
      late.goOn();
      await world.time.pass(25_000);
    } else await late.start();
    assert.equal(late.down, null);
    await finish(world, [...nodes, late]);
  });
}

test('objects of removed days that cannot be removed now are removed later, and end nothing', async () => {
  const [world, nodes] = await begun(36, 6);
  const leader = nodes.find(({ isLeading }) => isLeading)!;
  const { manifest, book } = leader.tape!;
  const [symbol] = Object.keys(book.days);
  const [day, listed] = Object.entries(book.days[symbol!]!)[0]!;
  const remove = world.objects.remove.bind(world.objects);
  world.objects.remove = () => Promise.reject(new Error('nobody answers'));
  await manifest.removed(new Map([[symbol!, addDays(Number(day) as UtcDay, 1)]]));
  world.untilOffer = 4 * OFFERS;
  await world.until('days go on', () => world.isFed);
  await world.time.pass(5_000);
  assert.equal(leader.tape!.book.days[symbol!]![day], undefined);
  assert.ok(world.objects.kept.has(listed.object));
  assert.ok(leader.isLeading);
  world.objects.remove = remove;
  await world.until('it is removed', () => !world.objects.kept.has(listed.object));
  for (const node of nodes) {
    assert.equal(node.down, null);
    await node.stop();
  }
});
