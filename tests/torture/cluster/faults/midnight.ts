/**
 * A day ends while the object store is full. Streams continue into the next day. When space
 * returns, the day is stored for all, and a node without a tape fetches it. The sequencer may die
 * at that time, and its successor may still be in the day before by its own clock.
 */

import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import { SIM_DATASET } from '@tapeloom/server/markets/sim/sim-universe';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { readManifest } from '@tapeloom/server/tape/tape-manifest';
import { leaderOf } from '../../../cluster-suite/cluster-leaders.ts';
import type { ClusterNode } from '../../../cluster-suite/cluster-node.ts';
import { closeProbes, goesOn, openProbes } from '../../../cluster-suite/probes.ts';
import { WAIT_LIMIT_MS, within } from '../../../running-service.ts';
import type { ClusterStage } from '../cluster-stage.ts';
import { type Fault, LOOK_MS, SLEEP_MS } from './fault.ts';
import { limitBytes } from './limit-bytes.ts';

const DAY_MS = 86_400_000;
/** Time for all nodes to start. */
const BEFORE_MS = 90_000;
const OFF_MS = 10_000;

export const MIDNIGHT_FAULTS: readonly Fault[] = [
  {
    name: 'objects take nothing over a midnight',
    isMidnight: true,
    run: async (stage) => await midnight(stage, async () => await pause(SLEEP_MS)),
  },
  {
    name: 'objects take nothing over a midnight, and another takes over',
    isMidnight: true,
    run: async (stage) => await midnight(stage, killLeader),
  },
  {
    name: 'midnight comes early by the clock of the sequencer, and another takes over',
    isMidnight: true,
    run: async (stage) => {
      // The clock of the current sequencer is set, so that it is the one that ends the day.
      const early = async ({ rig, clocks }: ClusterStage) =>
        clocks.set((await leaderOf(rig)).name, OFF_MS);
      await midnight(stage, killLeader, early);
      stage.clocks.heal();
    },
  },
];

async function killLeader({ rig }: ClusterStage): Promise<void> {
  const leader = await leaderOf(rig);
  await leader.kill();
  await leaderOf(rig);
  await pause(SLEEP_MS);
  await leader.start();
}

async function midnight(
  stage: ClusterStage,
  afterwards: (stage: ClusterStage) => Promise<void>,
  before: (stage: ClusterStage) => Promise<void> = async () => {},
): Promise<void> {
  const { rig } = stage;
  const day = dayOf((BigInt(Date.now()) * 1_000_000n) as EpochNs);
  await goToEvening(stage);
  const probes = await openProbes(rig.serving, stage.probeKey);
  await before(stage);
  {
    await using _limit = await limitBytes(rig, 'objects');
    await pause(untilMidnightMs(day));
    const tapeIsBeyond = async () => {
      const leader = await leaderOf(rig);
      while (!(await daysOfLogs(leader)).some((it) => it > day)) await pause(LOOK_MS);
    };
    await within(WAIT_LIMIT_MS, 'the next day begins', tapeIsBeyond());
    await afterwards(stage);
    await goesOn(probes);
  }
  await closeProbes(probes);
  for (const node of rig.nodes.values()) await hasSealed(node, day);
  const anew = stage.anyServing();
  await anew.stop();
  await rm(join(anew.setting.data, 'tape'), { recursive: true });
  await anew.start();
  await hasSealed(anew, day);
}

/** Stops all nodes, moves the clocks close to midnight, and starts them again. */
async function goToEvening(stage: ClusterStage): Promise<void> {
  const nodes = [...stage.rig.nodes.values()];
  await Promise.all(nodes.map((node) => node.stop()));
  const now = Date.now();
  await stage.advanceClocks(Math.max(0, Math.ceil(now / DAY_MS) * DAY_MS - BEFORE_MS - now));
  await stage.rig.startNodes();
  await stage.settled();
}

function untilMidnightMs(day: UtcDay): number {
  const now = Date.now();
  assert.equal(
    dayOf((BigInt(now) * 1_000_000n) as EpochNs),
    day,
    'the day was over before all nodes had started',
  );
  return DAY_MS - (now % DAY_MS);
}

async function manifestOf({ name, setting }: ClusterNode) {
  const manifest = await readManifest(new NodeDisk(), join(setting.data, 'tape'), SIM_DATASET);
  assert(manifest !== null, `${name} has no manifest`);
  return manifest;
}

async function daysOfLogs(node: ClusterNode): Promise<readonly UtcDay[]> {
  return [...(await manifestOf(node)).logs];
}

async function hasSealed(node: ClusterNode, day: UtcDay): Promise<void> {
  const isSealed = async () => {
    for (;;) {
      const days = await manifestOf(node).then(
        ({ days }) => [...days.values()],
        () => [],
      );
      if (days.some((it) => it.has(day))) return;
      await pause(LOOK_MS);
    }
  };
  await within(WAIT_LIMIT_MS, `${day} is sealed on ${node.name}`, isSealed());
}
