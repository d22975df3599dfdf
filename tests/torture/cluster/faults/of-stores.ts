/** Restores an older copy of NATS data, deletes it, and fills stores and disks. */

import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { leaderOf } from '../../../cluster-suite/cluster-leaders.ts';
import type { ClusterNode } from '../../../cluster-suite/cluster-node.ts';
import { within } from '../../../running-service.ts';
import type { ClusterStage } from '../cluster-stage.ts';
import { fillDisk } from '../full-disk.ts';
import { ALL_NATS, type Fault, LOOK_MS, SLEEP_MS } from './fault.ts';
import { limitBytes } from './limit-bytes.ts';

/** Nodes report a loss after half a minute. */
const SHRUNK_WITHIN_MS = 90_000;
/** A server that still misses messages after this time is not catching up. */
const LACKS_MS = 20_000;

export const STORE_FAULTS: readonly Fault[] = [
  { name: 'a store is put back', run: storePutBack },
  { name: 'all stores are put back, and repaired', run: allStoresPutBack },
  { name: 'a store is deleted', run: storeDeleted },
  { name: 'the stream is full, and gets more room', run: fullAndRoom },
  { name: 'objects take nothing while another takes over', run: objectsFullOverTakeover },
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

/** Restores an older store of one server: the others still have the lost messages. */
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

/** All servers lose acknowledged messages: no node appends until `cluster repair` restores them. */
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

/** The other servers fill the empty store. */
async function storeDeleted(stage: ClusterStage): Promise<void> {
  const { nats } = stage.rig;
  const server = stage.anyNats();
  await nats.stop(server);
  await rm(nats.storeOf(server), { recursive: true });
  await nats.startAll();
  assert.ok(await isWholeInTheEnd(stage), 'a server whose store was deleted lacks messages');
}

/** Trades wait until an operator adds space; then servers that the command names are refilled. */
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

/** Refills the server that the concern names: the leader, or the one that is not complete. */
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

/** The node is not ready until an operator frees space and restarts it. */
async function diskFull(node: ClusterNode): Promise<void> {
  await fillDisk(node.setting.data, SLEEP_MS);
  assert.equal(await node.isReady(), false, `${node.name} is ready with a full disk`);
  await node.stop();
  await node.start();
}

/** The other servers continue; then an operator frees space and restarts this one. */
async function natsDiskFull(stage: ClusterStage): Promise<void> {
  const { nats } = stage.rig;
  const server = stage.anyNats();
  await fillDisk(nats.homeOf(server), SLEEP_MS);
  await nats.stop(server);
  await nats.startAll();
  // NATS 2.10.27 may miss the messages it had no space for, and only `cluster status` reports it:
  // follow its advice.
  if (await isWholeInTheEnd(stage)) return;
  console.log(`  server-${server} lacks messages, and is filled anew`);
  await nats.stop(server);
  await rm(nats.storeOf(server), { recursive: true });
  await nats.startAll();
  assert.ok(await isWholeInTheEnd(stage), 'a server that was filled anew still lacks messages');
}

/** Whether, by `cluster status`, no server misses messages for long. */
async function isWholeInTheEnd({ rig }: ClusterStage): Promise<boolean> {
  const until = performance.now() + LACKS_MS;
  for (;;) {
    const { stdout } = await rig.command('cluster', 'status', '--json');
    const { concerns } = JSON.parse(stdout) as { readonly concerns: readonly string[] };
    if (!concerns.some((it) => it.includes('reports itself as complete'))) return true;
    if (performance.now() > until) return false;
    await pause(LOOK_MS);
  }
}
