/** The leaders of a cluster: the node that appends, and the NATS server that leads the stream. */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { SIM_DATASET } from '@tapeloom/server/markets/sim/sim-universe';
import { WAIT_LIMIT_MS } from '../running-service.ts';
import type { ClusterNode } from './cluster-node.ts';
import type { ClusterRig } from './cluster-rig.ts';

const LOOK_MS = 50;
export const STREAM = `TAPE_${SIM_DATASET}`;

/** The nodes that report to append: one, except for moments. */
export async function leadersOf({ sequencers }: ClusterRig): Promise<readonly ClusterNode[]> {
  const states = await Promise.all(sequencers.map((node) => node.tapeState()));
  return sequencers.filter((_, index) => states[index] === 'leading');
}

/** Waits for a single leader: a fenced or slow node may report an old state for a moment. */
export async function leaderOf(rig: ClusterRig): Promise<ClusterNode> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  for (;;) {
    const [leader, ...others] = await leadersOf(rig);
    if (leader !== undefined && others.length === 0) return leader;
    const said = leader === undefined ? 'nobody appends' : 'several append';
    assert(performance.now() < deadline, said);
    await pause(LOOK_MS);
  }
}

/** The number of the server that leads the stream, by the servers' own reports. */
export async function streamLeaderOf({ nats }: ClusterRig): Promise<number> {
  for (const monitor of nats.monitors) {
    const answer = await fetch(`${monitor}/jsz?streams=true`).catch(() => null);
    const text = (await answer?.text()) ?? '';
    const detail = text.slice(text.indexOf(`"name": "${STREAM}"`));
    const leader = /"leader": "server-(\d)"/.exec(detail)?.[1];
    if (leader !== undefined) return Number(leader);
  }
  throw new Error('no server says who leads the stream');
}
