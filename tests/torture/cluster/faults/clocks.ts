/**
 * Clocks of machines are 10 s off. No order depends on a clock: streams continue, and the tape has
 * every trade once. A node so far from PostgreSQL's clock rejects new customers and is not ready.
 */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { leaderOf } from '../../../cluster-suite/cluster-leaders.ts';
import type { ClusterNode } from '../../../cluster-suite/cluster-node.ts';
import { closeProbes, goesOn, openProbes } from '../../../cluster-suite/probes.ts';
import { within } from '../../../running-service.ts';
import type { ClusterStage } from '../cluster-stage.ts';
import { type Fault, LOOK_MS, SLEEP_MS } from './fault.ts';

const OFF_MS = 10_000;
/** A heartbeat, and a second for which the difference must last. */
const NOTICED_WITHIN_MS = 15_000;

export const CLOCK_FAULTS: readonly Fault[] = [
  {
    name: 'the clock of a node that serves is 10 s ahead',
    run: async (stage) => await servingOff(stage, OFF_MS),
  },
  {
    name: 'the clock of a node that serves is 10 s behind',
    run: async (stage) => await servingOff(stage, -OFF_MS),
  },
  {
    name: "the sequencer's clock is 10 s ahead, and another takes over",
    run: async (stage) => await sequencerOff(stage, OFF_MS),
  },
  {
    name: "the sequencer's clock is 10 s behind, and another takes over",
    run: async (stage) => await sequencerOff(stage, -OFF_MS),
  },
  {
    name: 'the clocks of all sequencers are 10 s ahead',
    run: async (stage) => await allSequencersOff(stage, OFF_MS),
  },
  {
    name: 'the clocks of all sequencers are 10 s behind',
    run: async (stage) => await allSequencersOff(stage, -OFF_MS),
  },
];

/** Shifts the clock of a running process, then of a starting one. */
async function servingOff(stage: ClusterStage, offMs: number): Promise<void> {
  const { clocks, probeKey } = stage;
  const node = stage.anyServing();
  const probes = await openProbes([node], probeKey);
  clocks.set(node.name, offMs);
  await takesNobody(node);
  await pause(SLEEP_MS);
  await goesOn(probes);
  await closeProbes(probes);
  await node.kill();
  node.launch();
  await takesNobody(node);
  clocks.set(node.name, 0);
  await node.ready();
}

async function takesNobody(node: ClusterNode): Promise<void> {
  const isTold = async () => {
    for (;;) {
      const told = await node.internal('/health/ready').catch(() => null);
      if (told?.status === 503 && (await told.text()).includes('clock')) return;
      await pause(LOOK_MS);
    }
  };
  await within(NOTICED_WITHIN_MS * 2, `${node.name} says that its clock is wrong`, isTold());
}

/** The next sequencer appends by its own clock, without a gap or a duplicate trade. */
async function sequencerOff(stage: ClusterStage, offMs: number): Promise<void> {
  const { rig, clocks, probeKey } = stage;
  const probes = await openProbes(rig.serving, probeKey);
  const node = await leaderOf(rig);
  clocks.set(node.name, offMs);
  await pause(SLEEP_MS);
  await goesOn(probes);
  await node.kill();
  const other = await leaderOf(rig);
  assert.notEqual(other, node);
  await pause(SLEEP_MS / 2);
  await goesOn(probes);
  await node.start();
  // Back to the sequencer with the wrong clock.
  await other.kill();
  await leaderOf(rig);
  await pause(SLEEP_MS / 2);
  await goesOn(probes);
  await other.start();
  clocks.set(node.name, 0);
  await closeProbes(probes);
}

async function allSequencersOff(stage: ClusterStage, offMs: number): Promise<void> {
  const { rig, clocks, probeKey } = stage;
  const probes = await openProbes(rig.serving, probeKey);
  for (const { name } of rig.sequencers) clocks.set(name, offMs);
  await pause(SLEEP_MS);
  await goesOn(probes);
  for (const { name } of rig.sequencers) clocks.set(name, 0);
  await goesOn(probes);
  await closeProbes(probes);
}
