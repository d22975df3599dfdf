import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { PLAIN } from '../../../../../simulation/stream-storage/memory-stream.ts';
import { occupyThreads } from '../../../testing/platform/occupied-threads.ts';
import { type SharedNode, SharedWorld } from '../../../testing/tape/shared-nodes.ts';
import { DATASET, TAPE_ROOT } from '../../../testing/tape/tape-on-sim-disk.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { NothingLostError, planRepair, repairStream } from './log/repair-stream.ts';
import { TapeRewrittenError } from './shared-errors.ts';

const PACE = { batchRowsMax: 5, offersPerDay: 20 };

async function startAll(nodes: readonly SharedNode[]): Promise<void> {
  for (const node of nodes) await node.start();
}

async function stopAll(nodes: readonly SharedNode[]): Promise<void> {
  for (const node of nodes) {
    assert.equal(node.down, null);
    assert.deepEqual(node.faults, []);
    await node.stop();
  }
}

/** The leading node. */
async function leaderOf(world: SharedWorld, nodes: readonly SharedNode[]): Promise<SharedNode> {
  await world.until('somebody appends', () => nodes.some(({ isLeading }) => isLeading));
  return nodes.find(({ isLeading }) => isLeading)!;
}

test('every node of a cluster has the tape of a machine that is alone', async () => {
  const world = new SharedWorld(1, PACE, 90);
  const nodes = [world.node('a'), world.node('b'), world.node('c', false)];
  await startAll(nodes);
  await world.until('all is fed', () => world.isFed);
  await world.assertEqual(...nodes);
  assert.equal(nodes.filter(({ isLeading }) => isLeading).length, 1);
  assert.ok(!nodes[2]!.isLeading);
  await stopAll(nodes);
});

test('who appends dies again and again, at any time of the day, and nothing is lost, doubled or changed', async () => {
  const world = new SharedWorld(2, PACE, 150);
  const nodes = [world.node('a'), world.node('b'), world.node('c')];
  await startAll(nodes);
  for (const [index, end] of (
    ['kill', 'torn', 'power', 'torn', 'kill', 'torn'] as const
  ).entries()) {
    await world.until('some more is fed', () => world.acknowledged >= (index + 1) * 21);
    const leader = await leaderOf(world, nodes);
    leader.kill(end);
    const others = nodes.filter((node) => node !== leader);
    await leaderOf(world, others);
    await leader.start();
  }
  await world.until('all is fed', () => world.isFed);
  await world.assertEqual(...nodes);
  await stopAll(nodes);
});

test('one that sleeps while it appends is refused when it wakes up, and follows', async () => {
  const world = new SharedWorld(3, { batchRowsMax: 5, offersPerDay: 300 }, 700);
  const nodes = [world.node('a'), world.node('b')];
  await startAll(nodes);
  for (const until of [25, 225, 425]) {
    await world.until('some is fed', () => world.acknowledged >= until);
    const leader = await leaderOf(world, nodes);
    leader.pause();
    const other = nodes.find((node) => node !== leader)!;
    await world.until('the other appends', () => other.isLeading);
    await world.time.pass(5_000);
    leader.goOn();
    await world.until('it follows', () => leader.tape!.report.role === 'following');
    assert.ok(leader.tape!.report.fenced > 0);
  }
  await world.until('all is fed', () => world.isFed);
  await world.assertEqual(...nodes);
  await stopAll(nodes);
});

test('a node that leaves hands over at once', async () => {
  const world = new SharedWorld(4, PACE, 80);
  const nodes = [world.node('a'), world.node('b')];
  await startAll(nodes);
  await world.until('some is fed', () => world.acknowledged >= 30);
  const leader = await leaderOf(world, nodes);
  const other = nodes.find((node) => node !== leader)!;
  const before = world.time.ms;
  await leader.stop();
  assert.ok(other.isLeading);
  assert.ok(world.time.ms - before < 1_000, `${world.time.ms - before} ms`);
  await world.until('all is fed', () => world.isFed);
  await leader.start();
  await world.assertEqual(...nodes);
  await stopAll(nodes);
});

test('a node joins with an empty directory, by parts and listed days, in the middle of a day', async () => {
  const world = new SharedWorld(5, { batchRowsMax: 5, offersPerDay: 60 }, 220);
  const nodes = [world.node('a'), world.node('b')];
  // Nothing here may take real time: a slow machine would see another history.
  using threads = new DisposableStack();
  threads.use(occupyThreads());
  await startAll(nodes);
  world.untilOffer = 200;
  await world.until('most is fed', () => world.isFed);
  await world.time.pass(310_000);
  assert.ok([...world.objects.kept.keys()].some((name) => name.startsWith('part.')));
  world.untilOffer = 220;
  const joined = world.node('c', false);
  await joined.start();
  const { sequence } = joined.tape!.report;
  const opening = Math.max(...joined.tape!.openings.values());
  assert.ok(sequence > opening, 'the day is not read from its opening on');
  assert.ok(joined.tape!.publisher.days.length > 0);
  await world.until('all is fed', () => world.isFed);
  threads.dispose();
  await world.assertEqual(...nodes, joined);
  assert.ok(joined.fetched.length > 0);
  await stopAll([...nodes, joined]);
});

test('one that slept while the stream was purged beyond it fetches the days and goes on', async () => {
  const world = new SharedWorld(6, PACE, 200);
  const nodes = [world.node('a'), world.node('b')];
  const sleeper = world.node('c', false);
  await startAll([...nodes, sleeper]);
  await world.until('some is fed', () => world.acknowledged >= 25);
  sleeper.pause();
  const stopped = world.node('d', false);
  await stopped.start();
  await world.until('more is fed', () => world.acknowledged >= 30);
  await stopped.stop();
  await world.until('all is fed', () => world.isFed);
  await world.time.pass(5_000);
  assert.ok(world.keeper.first > sleeper.tape!.report.sequence);
  sleeper.goOn();
  await stopped.start();
  await world.assertEqual(...nodes, sleeper, stopped);
  await stopAll([...nodes, sleeper, stopped]);
});

test('a stream that takes nothing more is told, and gone on with once it does', async () => {
  const world = new SharedWorld(7, PACE, 60);
  const nodes = [world.node('a'), world.node('b')];
  await startAll(nodes);
  await world.until('some is fed', () => world.acknowledged >= 20);
  world.keeper.countMax = world.keeper.messages.length;
  await world.until('it is told', () => nodes.some(({ tape }) => tape!.report.role === 'refused'));
  await world.time.pass(10_000);
  assert.ok(nodes.every(({ down }) => down === null));
  world.keeper.countMax = Number.POSITIVE_INFINITY;
  await world.until('all is fed', () => world.isFed);
  await world.assertEqual(...nodes);
  await stopAll(nodes);
});

test('publishes that nobody answered are counted, and stay counted when another appends', async () => {
  const world = new SharedWorld(11, PACE, 40);
  const nodes = [world.node('a'), world.node('b')];
  await startAll(nodes);
  await world.until('some is fed', () => world.acknowledged >= 15);
  const leader = await leaderOf(world, nodes);
  assert.equal(leader.tape!.report.unknowns, 0);
  const plans = [{ ...PLAIN, isAnswered: false, isForgotten: true }];
  leader.stream.line.plan = () => plans.shift() ?? PLAIN;
  await world.until('one is counted', () => leader.tape!.report.unknowns === 1);
  await world.until('all is fed', () => world.isFed);
  await world.time.until(leader.tape!.leave());
  assert.equal(leader.tape!.report.role, 'following');
  assert.equal(leader.tape!.report.unknowns, 1);
  await world.assertEqual(...nodes);
  await stopAll(nodes);
});

test('a record that does not continue the tape is taken by nobody', async () => {
  const world = new SharedWorld(8, PACE, 60);
  const nodes = [world.node('a'), world.node('b', false)];
  await startAll(nodes);
  await world.until('some is fed', () => world.acknowledged >= 15);
  nodes[0]!.kill();
  const record = world.keeper.messages.findLast(({ subject }) => subject === 'record')!;
  const stranger = world.keeper.connect();
  const published = stranger.publish({ ...record, writer: 'x.1' }, world.keeper.last);
  assert.equal((await world.time.until(published)).outcome, 'stored');
  await world.until('it is noticed', () => nodes[1]!.down !== null);
  assert.ok(nodes[1]!.down instanceof TapeRewrittenError);
});

test('a stream that has lost records is appended to by nobody, until what nodes have is put back byte for byte', async () => {
  for (const [seed, back] of [
    [9, 7],
    [10, 30],
  ] as const) {
    const world = new SharedWorld(seed, PACE, 80);
    const nodes = [world.node('a'), world.node('b'), world.node('c', false)];
    await startAll(nodes);
    world.untilOffer = 60;
    await world.until('most is fed', () => world.isFed);
    await world.time.pass(3_000);
    const before = recordsOf(world);
    nodes[2]!.kill();
    world.keeper.shrink(world.keeper.last - back);
    world.untilOffer = 80;
    await world.until('the loss is proved', () =>
      nodes.slice(0, 2).every(({ tape }) => tape!.report.role === 'shrunk'),
    );
    await world.time.pass(30_000);
    assert.equal(world.acknowledged, 60);
    const stream = world.keeper.connect();
    const sources = nodes.map(({ machine }) => ({ disk: copyOf(machine), tapeRoot: TAPE_ROOT }));
    const plan = await world.time.until(planRepair(stream, DATASET, sources));
    assert.ok(plan.records.length > 0);
    await world.time.until(repairStream(stream, world.time, 'operator', plan));
    assert.deepEqual(recordsOf(world), before);
    await world.until('all is fed', () => world.isFed);
    await nodes[2]!.start();
    await world.assertEqual(...nodes);
    await stopAll(nodes);
    await assert.rejects(world.time.until(planRepair(stream, DATASET, sources)), NothingLostError);
  }
});

/** An operator's copy of a machine's files, taken while it runs or not. */
function copyOf(machine: SimDisk): Disk {
  const copy = new SimDisk();
  for (const path of machine.files()) copy.put(path, machine.bytes(path)!);
  return copy.boot();
}

function recordsOf(world: SharedWorld): readonly string[] {
  return world.keeper.messages
    .filter(({ subject }) => subject === 'record')
    .map(({ body }) => Buffer.from(body).toString('hex'));
}
