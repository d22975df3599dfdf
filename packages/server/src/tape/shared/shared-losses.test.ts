import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { MemoryObjects } from '../../../../../simulation/stream-storage/memory-objects.ts';
import { MemoryKeeper } from '../../../../../simulation/stream-storage/memory-stream.ts';
import { StreamTime } from '../../../../../simulation/stream-storage/stream-time.ts';
import { type SharedNode, SharedWorld } from '../../../testing/tape/shared-nodes.ts';
import { DATASET, TAPE_ROOT } from '../../../testing/tape/tape-on-sim-disk.ts';
import { FencedWriter } from '../stream/fenced-writer.ts';
import { decodeBook } from '../stream/tape-book.ts';
import { TapeManifest } from '../tape-manifest.ts';
import { BookKeeper } from './book/book-keeper.ts';
import { planRepair, repairStream } from './log/repair-stream.ts';

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

/** The machine halts when the first contract of a day is sealed and the second is about to be. */
function haltWhileSealing(node: SharedNode): { isHalted: boolean } {
  const state = { isHalted: false };
  let sealed = 0;
  node.machine.faults = (operation, path) => {
    if (state.isHalted) return 'halt';
    if (operation !== 'rename' || !/\/days\/.*\.arrow/.test(path)) return null;
    sealed += 1;
    state.isHalted = sealed === 2;
    return state.isHalted ? 'halt' : null;
  };
  return state;
}

for (const end of ['kill', 'power'] as const) {
  test(`all machines die while they seal a day (${end}), and no contract of it is lost`, async () => {
    const world = new SharedWorld(21, PACE, 120);
    const nodes = [world.node('a'), world.node('b')];
    const states = nodes.map(haltWhileSealing);
    await startAll(nodes);
    await world.until('a day is sealed in part', () => states.every(({ isHalted }) => isHalted));
    for (const node of nodes) {
      node.machine.faults = () => null;
      node.kill(end);
    }
    await startAll(nodes);
    await world.until('all is fed', () => world.isFed);
    await world.assertEqual(...nodes);
    await stopAll(nodes);
  });
}

test('a node that starts again never goes back to an older book', async () => {
  const world = new SharedWorld(22, PACE, 120);
  const nodes = [world.node('a'), world.node('b')];
  await startAll(nodes);
  await world.until('some is fed', () => world.acknowledged >= 60);
  const joined = world.node('c', false);
  await joined.start();
  await world.until('all is fed', () => world.isFed);
  await world.assertEqual(...nodes, joined);
  const listed = joined.books.map(({ days }) => Object.values(days).map((of) => Object.keys(of)));
  const counts = listed.map((of) => of.flat().length);
  assert.deepEqual(
    counts,
    [...counts].sort((a, b) => a - b),
  );
  await stopAll([...nodes, joined]);
});

test('a book that the stream has lost is said again after a repair', async () => {
  const world = new SharedWorld(23, PACE, 90);
  const nodes = [world.node('a'), world.node('b')];
  await startAll(nodes);
  world.untilOffer = 60;
  await world.until('most is fed', () => world.isFed);
  await world.time.pass(3_000);
  const book = world.keeper.messages.findLast(({ subject }) => subject === 'book')!;
  world.keeper.shrink(book.sequence - 1);
  await world.until('the loss is proved', () =>
    nodes.every(({ tape }) => tape!.report.role === 'shrunk'),
  );
  await repair(world, nodes);
  await world.until('somebody appends', () => nodes.some(({ isLeading }) => isLeading));
  await world.time.pass(3_000);
  const newest = world.keeper.messages.findLast(({ subject }) => subject === 'book')!;
  assert.deepEqual(await decodeBook(newest.body, world.objects), nodes[0]!.tape!.book);
  world.untilOffer = 90;
  await world.until('all is fed', () => world.isFed);
  await world.assertEqual(...nodes);
  await stopAll(nodes);
});

test('a node that starts with more in its log than the stream has appends nothing, and tells of the loss', async () => {
  const world = new SharedWorld(24, { batchRowsMax: 5, offersPerDay: 500 }, 90);
  const node = world.node('a');
  await node.start();
  world.untilOffer = 60;
  await world.until('most is fed', () => world.isFed);
  await world.time.pass(5_000);
  const marked = world.keeper.last;
  world.untilOffer = 65;
  await world.until('more is fed', () => world.isFed);
  await world.time.pass(250);
  node.kill();
  const before = world.keeper.messages.filter(({ subject }) => subject === 'record');
  world.keeper.shrink(marked);
  await node.start();
  await world.until('the loss is told', () => node.tape!.report.role === 'shrunk');
  await world.time.pass(10_000);
  assert.equal(node.down, null);
  await repair(world, [node]);
  world.untilOffer = 90;
  await world.until('all is fed', () => world.isFed);
  const after = world.keeper.messages.filter(({ subject }) => subject === 'record');
  assert.deepEqual(
    after.slice(0, before.length).map(({ body }) => body),
    before.map(({ body }) => body),
  );
  await world.assertEqual(node);
  await stopAll([node]);
});

async function repair(world: SharedWorld, nodes: readonly SharedNode[]): Promise<void> {
  const sources = nodes.map(({ machine }) => {
    const copy = new SimDisk();
    for (const path of machine.files()) copy.put(path, machine.bytes(path)!);
    return { disk: copy.boot(), tapeRoot: TAPE_ROOT };
  });
  const stream = world.keeper.connect();
  const plan = await world.time.until(planRepair(stream, DATASET, sources));
  await world.time.until(repairStream(stream, world.time, 'operator', plan));
}

test('floors that are set while a book is on its way are said by the next one', async () => {
  const time = new StreamTime();
  const keeper = new MemoryKeeper(time);
  const stream = keeper.connect();
  const objects = new MemoryObjects();
  const disk = new SimDisk().boot();
  const manifest = await TapeManifest.open(disk, TAPE_ROOT, DATASET);
  const books = new BookKeeper({
    ...{ disk, tapeRoot: TAPE_ROOT, dataset: DATASET, manifest, stream, objects, clock: time },
    signal: new AbortController().signal,
    openings: () => new Map(),
    onBook: () => {},
    onRemoved: () => {},
    onFault: (what, error) => assert.fail(`${what}: ${error}`),
  });
  const writer = new FencedWriter({ stream, clock: time, writer: 'a.1', last: 0 });
  const appending = books.append(writer, true);
  while (keeper.last === 0) {
    if (writer.appended === 0) books.setFloors('higher');
    await time.pass(1);
  }
  books.setFloors('highest');
  await time.until(appending);
  await time.until(books.append(writer));
  assert.equal(books.book.floors, 'highest');
  const newest = (await time.until(stream.newest('book')))!;
  assert.equal((await decodeBook(newest.body, objects)).floors, 'highest');
});
