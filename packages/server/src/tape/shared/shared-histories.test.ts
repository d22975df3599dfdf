import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../../../../simulation/clock/seeded-random.ts';
import { type SharedNode, SharedWorld } from '../../../testing/tape/shared-nodes.ts';

const OFFERS = 110;
const HISTORIES = 6;

/** All nodes stop at once (killed, power lost or with torn writes), each at one of its next disk calls. */
async function darkness(
  world: SharedWorld,
  nodes: readonly SharedNode[],
  random: () => number,
): Promise<void> {
  for (const { machine } of nodes) {
    let left = Math.floor(random() * 60);
    machine.faults = () => (left-- > 0 ? null : 'halt');
  }
  await world.time.pass(Math.floor(random() * 1_000));
  for (const node of nodes) {
    node.machine.faults = () => null;
    node.kill((['kill', 'power', 'torn'] as const)[Math.floor(random() * 3)]);
  }
  for (const node of nodes) await node.start();
}

/** One fault of one machine, with a random duration. */
async function trouble(world: SharedWorld, node: SharedNode, random: () => number): Promise<void> {
  const lastMs = 100 + Math.floor(random() * 6_000);
  const kind = Math.floor(random() * 5);
  if (kind === 0) {
    node.pause();
    await world.time.pass(lastMs);
    node.goOn();
  } else if (kind === 1) {
    node.stream.line.isCut = true;
    await world.time.pass(lastMs);
    node.stream.heal(random() < 0.5);
  } else if (kind === 2) {
    node.stream.line.oldEnd = world.keeper.last;
    await world.time.pass(lastMs);
    node.stream.heal();
  } else {
    // Within its next few disk calls.
    let left = Math.floor(random() * 40);
    let isHalted = false;
    node.machine.faults = () => {
      if (isHalted || left-- > 0) return null;
      isHalted = true;
      return 'halt';
    };
    await world.time.pass(300);
    node.machine.faults = () => null;
    node.kill((['kill', 'power', 'torn'] as const)[Math.floor(random() * 3)]);
    await world.time.pass(lastMs);
    await node.start();
  }
}

test('whatever happens to machines and lines, every node comes to the tape of a machine that is alone', async () => {
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const random = seededRandom(1_000 + seed);
    const offersPerDay = 15 + Math.floor(random() * 60);
    const world = new SharedWorld(seed, { batchRowsMax: 5, offersPerDay }, OFFERS);
    const nodes = [world.node('a'), world.node('b'), world.node('c', false)];
    for (const node of nodes) await node.start();
    while (!world.isFed) {
      await world.time.pass(Math.floor(random() * 1_500));
      if (random() < 0.2) await darkness(world, nodes, random);
      else await trouble(world, nodes[Math.floor(random() * nodes.length)]!, random);
      for (const { name, down } of nodes) assert.equal(down, null, `${name}, seed ${seed}`);
    }
    await world.assertEqual(...nodes);
    for (const node of nodes) await node.stop();
  }
});
