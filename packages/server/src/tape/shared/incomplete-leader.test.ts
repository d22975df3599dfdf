import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { type SharedNode, SharedWorld } from '../../../testing/tape/shared-nodes.ts';
import { DATASET, TAPE_ROOT } from '../../../testing/tape/tape-on-sim-disk.ts';
import { NothingLostError, planRepair } from './log/repair-stream.ts';

const PACE = { batchRowsMax: 5, offersPerDay: 20 };
/** Suspicion takes half a minute; a node that first waits for a leader's heartbeat takes as long again. */
const PROVED_WITHIN_MS = 60_000;

const isShrunk = ({ tape }: SharedNode) => tape!.report.role === 'shrunk';

/** Feeds some offers; then a server with the newest messages missing becomes leader of the stream. */
async function withIncompleteLeader(seed: number, missing: number) {
  const world = new SharedWorld(seed, PACE, 90);
  const nodes = [world.node('a'), world.node('b'), world.node('c', false)];
  for (const node of nodes) await node.start();
  world.untilOffer = 60;
  await world.until('most is fed', () => world.isFed);
  await world.time.pass(3_000);
  const books = nodes.map(({ books: taken }) => taken.length);
  world.keeper.leadShort(world.keeper.last - missing);
  world.untilOffer = 90;
  return { world, nodes, books };
}

for (const [seed, missing] of [
  [41, 30],
  [42, 1],
  [43, 2],
  [44, 55],
] as const) {
  test(`a server that lacks ${missing} messages comes to lead: nodes stop, wherever they read, and go on by themselves when it is filled anew`, async () => {
    const { world, nodes, books } = await withIncompleteLeader(seed, missing);
    nodes[1]!.stream.line.readsWhole = true;
    nodes[2]!.stream.line.readsWhole = seed % 2 === 0;
    // A node that only follows, from a server that misses nothing, may have nothing to detect.
    const proving = nodes.slice(0, 2);
    await world.until('all stop', () => proving.every(isShrunk), PROVED_WITHIN_MS);
    await world.time.pass(60_000);
    assert.deepEqual(
      nodes.map(({ down }) => down),
      [null, null, null],
    );
    assert.ok(!nodes.some(({ isLeading }) => isLeading));
    // A reading may restart at another server at any time.
    for (const { stream } of nodes) {
      stream.line.readsWhole = !stream.line.readsWhole;
      stream.cutReadings();
    }
    await world.time.pass(5_000);
    world.keeper.leadWhole();
    await world.until('all leave', () => !nodes.some(isShrunk), 10_000);
    await world.until('all is fed', () => world.isFed);
    await world.assertEqual(...nodes);
    for (const [index, node] of nodes.entries()) {
      const counts = node.books.slice(books[index]! - 1).map(daysListed);
      assert.deepEqual(
        counts,
        counts.toSorted((a, b) => a - b),
        'nobody goes back to an older book',
      );
      assert.equal(node.down, null);
      assert.deepEqual(node.faults, []);
      await node.stop();
    }
  });
}

test('a node that starts while a server leads that lacks messages appends nothing, and goes on when that is filled anew', async () => {
  const { world, nodes } = await withIncompleteLeader(45, 20);
  await world.until('all stop', () => nodes.every(isShrunk), PROVED_WITHIN_MS);
  const late = world.node('d');
  await late.start();
  nodes[0]!.kill();
  await nodes[0]!.start();
  await world.time.pass(20_000);
  assert.ok([late, nodes[0]!].every(isShrunk));
  world.keeper.leadWhole();
  await world.until('all is fed', () => world.isFed);
  await world.assertEqual(...nodes, late);
  for (const node of [...nodes, late]) {
    assert.equal(node.down, null);
    await node.stop();
  }
});

test('a repair asks the server that leads, wherever its readings would be served', async () => {
  const { world, nodes } = await withIncompleteLeader(46, 20);
  await world.until('all stop', () => nodes.every(isShrunk), PROVED_WITHIN_MS);
  const stream = world.keeper.connect();
  stream.line.readsWhole = true;
  const sources = nodes.map(({ machine }) => {
    const copy = new SimDisk();
    for (const path of machine.files()) copy.put(path, machine.bytes(path)!);
    return { disk: copy.boot(), tapeRoot: TAPE_ROOT };
  });
  const plan = await world.time.until(planRepair(stream, DATASET, sources));
  assert.ok(plan.records.length > 0);
  world.keeper.leadWhole();
  await assert.rejects(world.time.until(planRepair(stream, DATASET, sources)), NothingLostError);
  await world.until('all is fed', () => world.isFed);
  for (const node of nodes) await node.stop();
});

function daysListed({ days }: SharedNode['books'][number]): number {
  return Object.values(days).reduce((sum, of) => sum + Object.keys(of).length, 0);
}
