/**
 * Gives the stream of a cluster, or its objects, more space, and then watches its servers: nats-server 2.10.27 may
 * leave a replica behind when a full stream gets more space, and treat it as complete (docs/decisions/0090).
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { askNatsTape, growNatsTape, type KeptState } from '../../tape/stream/nats/nats-admin.ts';
import { connectNats } from '../../tape/stream/nats/nats-connection.ts';
import { withMissingCounts } from '../../tape/stream/nats/nats-replicas.ts';
import { askNatsServers } from '../../tape/stream/nats/nats-servers-check.ts';
import { ClusterRefusedError } from './cluster-servers.ts';
import { missingConcerns } from './missing-concerns.ts';

const CLIENT = 'tapeloom cluster room';
/** Nodes that waited for space append again within seconds; a replica that was left behind shows by then. */
const WATCH_EVERY_MS = 2_000;
const WATCHES = 10;

export interface RoomPlan {
  readonly bytesMax: number;
  readonly of: 'stream' | 'objects';
}

export interface GivenRoom {
  readonly name: string;
  readonly before: number;
  readonly now: number;
  /** Servers that are missing messages, with how to refill them. */
  readonly concerns: readonly string[];
  /** False if no server could report what it has stored. */
  readonly isChecked: boolean;
}

/** Rejects with a `ClusterRefusedError` if there is no such stream, or if the size is not larger than before. */
export async function giveRoom(
  { nats }: ClusterConfig,
  dataset: string,
  { bytesMax, of }: RoomPlan,
  wait: (ms: number) => Promise<unknown> = pause,
): Promise<GivenRoom> {
  const connection = await connectNats(nats, CLIENT);
  try {
    const before = (await askNatsTape(connection, dataset))[of];
    if (before === null) throw new ClusterRefusedError([`NATS has no tape of ${dataset}`]);
    if (bytesMax <= before.bytesMax) {
      throw new ClusterRefusedError([
        `${before.name} already holds up to ${before.bytesMax} bytes: choose a larger size`,
      ]);
    }
    await growNatsTape(connection, dataset, bytesMax, of);
    let kept: KeptState = before;
    for (let watched = 0; watched < WATCHES; watched += 1) {
      await wait(WATCH_EVERY_MS);
      const servers = await askNatsServers(nats, CLIENT);
      const tape = await askNatsTape(connection, dataset);
      kept = (await withMissingCounts(nats, servers, tape, wait))[of] ?? kept;
    }
    const { name, leaderMissing, followers } = kept;
    const isChecked =
      kept.replicas === 1 ||
      (leaderMissing !== null && followers.every(({ missing }) => missing !== null));
    const concerns = missingConcerns(kept);
    return { name, before: before.bytesMax, now: kept.bytesMax, concerns, isChecked };
  } finally {
    await connection.close();
  }
}
