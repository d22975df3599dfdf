import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SharedNode, SharedWorld } from '../../../../../simulation/tape/shared-nodes.ts';

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

/** The machine stops when the first contract of a day is sealed, and the second one is about to be. */
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
