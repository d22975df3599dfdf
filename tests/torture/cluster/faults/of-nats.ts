/** Kills, suspends and restarts NATS servers. */

import { setTimeout as pause } from 'node:timers/promises';
import { streamLeaderOf } from '../../../cluster-suite/cluster-leaders.ts';
import type { ClusterStage } from '../cluster-stage.ts';
import { ALL_NATS, type Fault, SLEEP_MS } from './fault.ts';

const DOWN_MS = 3_000;

export const NATS_FAULTS: readonly Fault[] = [
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
];

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
