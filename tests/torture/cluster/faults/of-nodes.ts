/** Kills, suspends, drains and restarts nodes. */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { leaderOf } from '../../../cluster-suite/cluster-leaders.ts';
import type { ClusterNode } from '../../../cluster-suite/cluster-node.ts';
import { within } from '../../../running-service.ts';
import type { ClusterStage } from '../cluster-stage.ts';
import { type Fault, LOOK_MS, SLEEP_MS } from './fault.ts';

const DOWN_MS = 3_000;
const REFUSED_WITHIN_MS = 10_000;
const FENCED = 'tapeloom_cluster_fenced_total';

export const NODE_FAULTS: readonly Fault[] = [
  {
    name: 'kill the sequencer that appends',
    run: async (stage) => await killed(await leaderOf(stage.rig)),
  },
  {
    name: 'kill the one that stands by',
    run: async (stage) => await killed(await stage.standby()),
  },
  { name: 'kill a node that serves', run: async (stage) => await killed(stage.anyServing()) },
  {
    name: 'kill all sequencers',
    run: async ({ rig }) => await Promise.all(rig.sequencers.map(killed)).then(() => undefined),
  },
  { name: 'the sequencer sleeps', run: sequencerAsleep },
  { name: 'a node that serves sleeps', run: async (stage) => await asleep(stage.anyServing()) },
  {
    name: 'a node that serves is drained',
    run: async (stage) => await drained(stage.anyServing()),
  },
  {
    name: 'the sequencer is drained',
    run: async (stage) => await drained(await leaderOf(stage.rig)),
  },
  { name: 'a node leaves by command', run: leavesByCommand },
  { name: 'all nodes are restarted one by one', run: rollingRestart },
];

async function killed(node: ClusterNode): Promise<void> {
  await node.kill();
  await pause(DOWN_MS);
  await node.start();
}

async function asleep(node: ClusterNode): Promise<void> {
  node.pause();
  await pause(SLEEP_MS);
  node.letGo();
}

/** Another node takes over meanwhile; the resumed one is fenced and follows. */
async function sequencerAsleep({ rig }: ClusterStage): Promise<void> {
  const node = await leaderOf(rig);
  const fenced = await node.metric(FENCED);
  await asleep(node);
  const isRefused = async () => {
    while ((await node.tapeState()) === 'leading') await pause(LOOK_MS);
  };
  await within(REFUSED_WITHIN_MS, `${node.name} is refused after its sleep`, isRefused());
  assert.ok((await node.metric(FENCED)) > fenced, `${node.name} was not refused after its sleep`);
}

async function drained(node: ClusterNode): Promise<void> {
  const { service } = node;
  assert.equal(await node.stop(), 0, `${node.name} was drained: ${service.errors}`);
  await node.start();
}

async function leavesByCommand(stage: ClusterStage): Promise<void> {
  const node = stage.anyServing();
  const { service } = node;
  const { code, stdout, stderr } = await stage.rig.command('cluster', 'drain', node.name);
  assert.equal(code, 0, `cluster drain: ${stdout}${stderr}`);
  assert.equal(await service.ended, 0, `${node.name} has left: ${service.errors}`);
  await node.stop();
  await node.start();
}

async function rollingRestart({ rig }: ClusterStage): Promise<void> {
  for (const node of rig.nodes.values()) await drained(node);
}
