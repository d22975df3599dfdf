/** What NATS stores is put back to what it was, deleted, or full; disks fill up. */

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

/** A loss is believed after half a minute. */
const SHRUNK_WITHIN_MS = 90_000;
/** Whoever lacks messages for so long is not on its way to them. */
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
    if (!concerns.some((it) => it.includes('reports itself as complete'))) return true;
    if (performance.now() > until) return false;
    await pause(LOOK_MS);
  }
}
