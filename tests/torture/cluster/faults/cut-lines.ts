/** Cuts lines between NATS servers, nodes, customers and PostgreSQL. */

import { setTimeout as pause } from 'node:timers/promises';
import { leaderOf, streamLeaderOf } from '../../../cluster-suite/cluster-leaders.ts';
import type { ClusterNode } from '../../../cluster-suite/cluster-node.ts';
import {
  closeProbes,
  openProbes,
  saysDown,
  saysLive,
  streamsStayWithoutAccounts,
} from '../../../cluster-suite/probes.ts';
import { pick } from '../../export-queries.ts';
import type { ClusterStage, NodeLine } from '../cluster-stage.ts';
import { ALL_NATS, type Fault, SLEEP_MS } from './fault.ts';

const AWAY_MS = 6_000;

export const CUT_FAULTS: readonly Fault[] = [
  {
    name: "the stream's leader is cut off from its peers",
    needsLines: true,
    run: async (stage) => await natsCut(stage, [await streamLeaderOf(stage.rig)], ['peers']),
  },
  {
    name: "the stream's leader is cut off from clients",
    needsLines: true,
    run: async (stage) => await natsCut(stage, [await streamLeaderOf(stage.rig)], ['tape']),
  },
  {
    name: 'a NATS server is cut off from all',
    needsLines: true,
    run: async (stage) => await natsCut(stage, [stage.anyNats()], ['peers', 'tape']),
  },
  {
    name: 'all NATS servers are cut off from each other',
    needsLines: true,
    run: async (stage) => await natsCut(stage, ALL_NATS, ['peers']),
  },
  {
    name: 'the NATS servers are cut off from all',
    needsLines: true,
    run: async (stage) => await natsCut(stage, ALL_NATS, ['peers', 'tape']),
  },
  { name: 'nobody reaches the tape', needsLines: true, run: nobodyReachesTape },
  {
    name: 'the sequencer does not reach the tape',
    needsLines: true,
    run: async (stage) => await nodeCut(stage, await leaderOf(stage.rig), 'tape'),
  },
  { name: 'a node that serves does not reach the tape', needsLines: true, run: servingCutFromTape },
  {
    name: 'a node that serves is not reached',
    needsLines: true,
    run: async (stage) => await nodeCut(stage, stage.anyServing(), 'doors'),
  },
  {
    name: 'a node that serves does not reach PostgreSQL',
    needsLines: true,
    run: async (stage) => await cutFromPostgres(stage, [stage.anyServing()]),
  },
  {
    name: 'nobody reaches PostgreSQL',
    needsLines: true,
    run: async (stage) => await cutFromPostgres(stage, stage.rig.serving),
  },
];

async function natsCut(
  stage: ClusterStage,
  servers: readonly number[],
  networks: readonly ('peers' | 'tape')[],
): Promise<void> {
  const all = servers.flatMap((server) => networks.map((network) => [server, network] as const));
  for (const [server, network] of all) stage.cutNats(server, network);
  await pause(pick(stage.random, [5_000, 13_000, SLEEP_MS]));
  for (const [server, network] of all) stage.healNats(server, network);
}

async function cutFromPostgres(stage: ClusterStage, nodes: readonly ClusterNode[]): Promise<void> {
  const probes = await openProbes(nodes, stage.probeKey);
  for (const node of nodes) stage.cutNode(node, 'store');
  await streamsStayWithoutAccounts(probes, stage.probeKey);
  await pause(AWAY_MS);
  for (const node of nodes) stage.healNode(node, 'store');
  await closeProbes(probes);
}

async function nodeCut(stage: ClusterStage, node: ClusterNode, network: NodeLine): Promise<void> {
  stage.cutNode(node, network);
  await pause(SLEEP_MS);
  stage.healNode(node, network);
}

async function servingCutFromTape(stage: ClusterStage): Promise<void> {
  const node = stage.anyServing();
  const probes = await openProbes([node], stage.probeKey);
  stage.cutNode(node, 'tape');
  await saysDown(probes);
  stage.healNode(node, 'tape');
  await saysLive(probes);
}

async function nobodyReachesTape(stage: ClusterStage): Promise<void> {
  const probes = await openProbes(stage.rig.serving, stage.probeKey);
  for (const server of ALL_NATS) stage.cutNats(server, 'tape');
  await saysDown(probes);
  for (const server of ALL_NATS) stage.healNats(server, 'tape');
  await saysLive(probes);
}
