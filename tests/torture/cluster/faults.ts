/**
 * What happens to a cluster, one at a time: processes are killed, put to sleep and drained, lines are cut, disks fill up, stores are
 * put back to what they were. Each ends with everything running and healed again; what must hold meanwhile it looks at itself.
 */

import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { SIM_DATASET } from '@tapeloom/server/markets/sim/sim-universe';
import { askNatsTape, growNatsTape } from '@tapeloom/server/tape/stream/nats/nats-admin';
import { connectNats } from '@tapeloom/server/tape/stream/nats/nats-connection';
import { addressOf } from '../../../packages/server/testing/tape/nats-tape-rig.ts';
import { leaderOf, streamLeaderOf } from '../../cluster-suite/cluster-leaders.ts';
import type { ClusterNode } from '../../cluster-suite/cluster-node.ts';
import {
  closeProbes,
  openProbes,
  saysDown,
  saysLive,
  streamsStayWithoutAccounts,
} from '../../cluster-suite/probes.ts';
import { within } from '../../running-service.ts';
import { pick } from '../export-queries.ts';
import type { ClusterStage, NodeLine } from './cluster-stage.ts';
import { fillDisk } from './full-disk.ts';

/** Longer than any patience of the cluster. */
const SLEEP_MS = 20_000;
const DOWN_MS = 3_000;
const POSTGRES_AWAY_MS = 6_000;
/** A loss is believed after half a minute. */
const SHRUNK_WITHIN_MS = 90_000;
const REFUSED_WITHIN_MS = 10_000;
/** Whoever lacks messages for so long is not on its way to them. */
const LACKS_MS = 20_000;
const FENCED = 'tapeloom_cluster_fenced_total';
const LOOK_MS = 200;
const ALL_NATS = [0, 1, 2];

export interface Fault {
  readonly name: string;
  /** Whether it needs lines that can be cut, and disks that can be filled. */
  readonly needsLines?: true;
  run(stage: ClusterStage): Promise<void>;
}

export const FAULTS: readonly Fault[] = [
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
  {
    name: "kill the stream's leader",
    run: async (stage) => await natsKilled(stage, [await streamLeaderOf(stage.rig)]),
  },
  { name: 'kill a NATS server', run: async (stage) => await natsKilled(stage, [stage.anyNats()]) },
  { name: 'kill two NATS servers', run: async (stage) => await natsKilled(stage, [0, 1]) },
  { name: 'kill all NATS servers', run: async (stage) => await natsKilled(stage, ALL_NATS) },
  { name: 'a NATS server sleeps', run: async (stage) => await natsAsleep(stage, stage.anyNats()) },
  {
    name: "the stream's leader sleeps",
    run: async (stage) => await natsAsleep(stage, await streamLeaderOf(stage.rig)),
  },
  { name: 'NATS is restarted one by one', run: natsRestarted },
  { name: 'NATS is restarted all at once', run: natsRestartedAtOnce },
  { name: 'a store is put back', run: storePutBack },
  { name: 'all stores are put back, and repaired', run: allStoresPutBack },
  { name: 'a store is deleted', run: storeDeleted },
  { name: 'the stream is full, and gets more room', run: fullAndRoom },
  { name: 'objects take nothing while another takes over', run: objectsFullOverTakeover },
  { name: 'PostgreSQL is restarted', run: async ({ rig }) => await rig.postgres.restart() },
  { name: 'PostgreSQL is killed', run: postgresKilled },
  { name: 'PostgreSQL is killed three times', run: postgresKilledAgain },
  { name: 'PostgreSQL sleeps', run: postgresAsleep },
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
  { name: "a NATS server's disk is full", needsLines: true, run: natsDiskFull },
  {
    name: "a node's disk is full",
    needsLines: true,
    run: async (stage) => await diskFull(stage.anyServing()),
  },
  {
    name: "the sequencer's disk is full",
    needsLines: true,
    run: async (stage) => await diskFull(await leaderOf(stage.rig)),
  },
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

/** Another appends meanwhile; when it wakes up it is refused, and follows. */
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

/** As an update does it. */
async function rollingRestart({ rig }: ClusterStage): Promise<void> {
  for (const node of rig.nodes.values()) await drained(node);
}

async function natsKilled({ rig }: ClusterStage, servers: readonly number[]): Promise<void> {
  await Promise.all(servers.map((server) => rig.nats.kill(server)));
  await pause(DOWN_MS);
  await rig.nats.startAll();
}

async function natsAsleep({ rig }: ClusterStage, server: number): Promise<void> {
  rig.nats.pause(server);
  await pause(SLEEP_MS);
  rig.nats.letGo(server);
}

async function natsRestarted({ rig }: ClusterStage): Promise<void> {
  for (let server = 0; server < rig.nats.count; server += 1) {
    await rig.nats.stop(server);
    await rig.nats.startAll();
  }
}

async function natsRestartedAtOnce({ rig }: ClusterStage): Promise<void> {
  await Promise.all(ALL_NATS.map((server) => rig.nats.stop(server)));
  await rig.nats.startAll();
}

/** One server's: the others have what it has lost. */
async function storePutBack(stage: ClusterStage): Promise<void> {
  const { nats } = stage.rig;
  const server = stage.anyNats();
  await nats.stop(server);
  await nats.copyStore(server, 'older');
  await nats.startAll();
  await pause(SLEEP_MS / 2);
  await nats.kill(server);
  await nats.restoreStore(server, 'older');
  await nats.startAll();
}

/** All have lost what was acknowledged: nobody appends, until an operator has it put back from what nodes have. */
async function allStoresPutBack({ rig }: ClusterStage): Promise<void> {
  const { nats } = rig;
  const each = (work: (server: number) => Promise<void>) => Promise.all(ALL_NATS.map(work));
  await each((server) => nats.stop(server));
  await each((server) => nats.copyStore(server, 'older'));
  await nats.startAll();
  await pause(SLEEP_MS);
  await each((server) => nats.kill(server));
  await each((server) => nats.restoreStore(server, 'older'));
  await nats.startAll();
  const isNoticed = async () => {
    for (const node of rig.sequencers) {
      while ((await node.tapeState()) !== 'shrunk') await pause(LOOK_MS);
    }
  };
  await within(SHRUNK_WITHIN_MS, 'the loss is noticed', isNoticed());
  const directories = [...rig.nodes.values()].map(({ setting }) => setting.data);
  const told = await rig.command('cluster', 'repair', ...directories, '--yes');
  assert.equal(told.code, 0, `cluster repair: ${told.stdout}${told.stderr}`);
}

/** The others fill it. */
async function storeDeleted(stage: ClusterStage): Promise<void> {
  const { nats } = stage.rig;
  const server = stage.anyNats();
  await nats.stop(server);
  await rm(nats.storeOf(server), { recursive: true });
  await nats.startAll();
  assert.ok(await isWholeInTheEnd(stage), 'a server whose store was deleted lacks messages');
}

/** Trades wait at their source until an operator gives room; a server that the raise leaves behind is filled as the command says. */
async function fullAndRoom(stage: ClusterStage): Promise<void> {
  const { rig } = stage;
  await using limit = await limitBytes(rig, 'stream');
  const isRefused = async () => {
    while (!(await anySays(rig.sequencers, 'refused'))) await pause(LOOK_MS);
  };
  await within(SHRUNK_WITHIN_MS, 'the full stream is noticed', isRefused());
  const told = await rig.command('cluster', 'room', String(limit.bytesBefore + 1), '--json');
  const { concerns } = JSON.parse(told.stdout) as { readonly concerns: readonly string[] };
  for (const concern of concerns) await filledAnew(rig, concern);
  assert.ok(await isWholeInTheEnd(stage), 'a server lacks messages after the raise');
}

async function anySays(nodes: readonly ClusterNode[], state: string): Promise<boolean> {
  const states = await Promise.all(nodes.map((node) => node.tapeState()));
  return states.includes(state);
}

/** As the sentence says: the server that leads, or the one that takes itself for whole. */
async function filledAnew({ nats }: ClusterStage['rig'], concern: string): Promise<void> {
  const server = Number(/(?:led by|replicated:) server-(\d)/.exec(concern)![1]);
  console.log(`  server-${server} lacks messages, and is filled anew`);
  await nats.stop(server);
  await rm(nats.storeOf(server), { recursive: true });
  await nats.startAll();
}

async function objectsFullOverTakeover({ rig }: ClusterStage): Promise<void> {
  await using _limit = await limitBytes(rig, 'objects');
  const leader = await leaderOf(rig);
  await leader.kill();
  await leaderOf(rig);
  await pause(SLEEP_MS);
  await leader.start();
}

/** Until it is disposed, nothing more fits. */
async function limitBytes({ nats }: ClusterStage['rig'], what: 'stream' | 'objects') {
  const connection = await connectNats(addressOf(nats.urls), 'torture');
  const { bytes, bytesMax } = (await askNatsTape(connection, SIM_DATASET))[what]!;
  await growNatsTape(connection, SIM_DATASET, Math.max(1, bytes), what);
  return {
    bytesBefore: bytesMax,
    [Symbol.asyncDispose]: async () => {
      await growNatsTape(connection, SIM_DATASET, bytesMax, what);
      await connection.close();
    },
  };
}

/** It takes nothing more in and says that it is not ready, until its operator has made room and starts it again. */
async function diskFull(node: ClusterNode): Promise<void> {
  await fillDisk(node.setting.data, SLEEP_MS);
  assert.equal(await node.isReady(), false, `${node.name} is ready with a full disk`);
  await node.stop();
  await node.start();
}

/** For the time being the others go on; then its operator makes room and starts it again. */
async function natsDiskFull(stage: ClusterStage): Promise<void> {
  const { nats } = stage.rig;
  const server = stage.anyNats();
  await fillDisk(nats.homeOf(server), SLEEP_MS);
  await nats.stop(server);
  await nats.startAll();
  // 2.10.27 may come back without what it had no room for, and only our status says so: then it is done what that asks for.
  if (await isWholeInTheEnd(stage)) return;
  console.log(`  server-${server} lacks messages, and is filled anew`);
  await nats.stop(server);
  await rm(nats.storeOf(server), { recursive: true });
  await nats.startAll();
  assert.ok(await isWholeInTheEnd(stage), 'a server that was filled anew still lacks messages');
}

/** Whether no server lacks messages for long, by what an operator is told. */
async function isWholeInTheEnd({ rig }: ClusterStage): Promise<boolean> {
  const until = performance.now() + LACKS_MS;
  for (;;) {
    const { stdout } = await rig.command('cluster', 'status', '--json');
    const { concerns } = JSON.parse(stdout) as { readonly concerns: readonly string[] };
    if (!concerns.some((it) => it.includes('takes itself for whole'))) return true;
    if (performance.now() > until) return false;
    await pause(LOOK_MS);
  }
}

async function postgresKilled(stage: ClusterStage): Promise<void> {
  const probes = await openProbes(stage.rig.serving, stage.probeKey);
  await stage.rig.postgres.kill();
  await streamsStayWithoutAccounts(probes, stage.probeKey);
  await pause(POSTGRES_AWAY_MS);
  await stage.rig.postgres.start();
  await closeProbes(probes);
}

/** Nodes keep their streams, and are ready again seconds after it answers. */
async function postgresKilledAgain(stage: ClusterStage): Promise<void> {
  const probes = await openProbes(stage.rig.serving, stage.probeKey);
  for (let kill = 0; kill < 3; kill += 1) {
    await stage.rig.postgres.kill();
    await pause(2_000);
    await stage.rig.postgres.start();
    await pause(3_000);
  }
  await saysLive(probes);
  await closeProbes(probes);
}

async function postgresAsleep(stage: ClusterStage): Promise<void> {
  await stage.rig.postgres.pause();
  await pause(SLEEP_MS);
  await stage.rig.postgres.resume();
}

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
  await pause(POSTGRES_AWAY_MS);
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
