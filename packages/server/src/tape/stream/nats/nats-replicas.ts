/**
 * Compares what the servers of a shared tape have stored, each against the one with most. A server whose disk was full,
 * or whose stream was enlarged, may miss messages while it and the others consider it complete (NATS 2.10.27). It may
 * even become leader, without knowledge of the missing messages.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { KeptState, NatsTapeState } from './nats-admin.ts';
import {
  askStoredEnds,
  type NatsServerState,
  type NatsServersAddress,
} from './nats-servers-check.ts';

/** Within this time every server stores a message that one server has. */
const FOLLOWED_MS = 1_000;

/** A server's missing messages of each stream, by Raft group. */
type MissingCounts = ReadonlyMap<string, number>;

/** Adds to the state the missing messages of each monitored server. */
export async function withMissingCounts(
  address: NatsServersAddress,
  servers: readonly NatsServerState[],
  tape: NatsTapeState,
  wait: (ms: number) => Promise<unknown> = pause,
): Promise<NatsTapeState> {
  const missing = await askMissing(address, tape, wait);
  const told = (kept: KeptState | null): KeptState | null => {
    if (kept === null) return null;
    const missingOf = (name: string | null) => {
      const id = servers.find((server) => server.name === name)?.id ?? '';
      return missing.get(id)?.get(kept.group ?? '') ?? null;
    };
    const followers = kept.followers.map((it) => ({ ...it, missing: missingOf(it.name) }));
    return { ...kept, leaderMissing: missingOf(kept.leader), followers };
  };
  return { ...tape, stream: told(tape.stream), objects: told(tape.objects) };
}

/** The number of monitored servers that are missing messages that another server had a second ago. */
export async function countIncomplete(
  address: NatsServersAddress,
  tape: NatsTapeState,
  wait: (ms: number) => Promise<unknown> = pause,
): Promise<number> {
  return [...(await askMissing(address, tape, wait)).values()].filter(isIncomplete).length;
}

/** By the ids of the responding servers. A second request clears servers that were only a moment behind. */
async function askMissing(
  address: NatsServersAddress,
  { stream, objects }: NatsTapeState,
  wait: (ms: number) => Promise<unknown>,
): Promise<ReadonlyMap<string, MissingCounts>> {
  const first = await askStoredEnds(address);
  const highest = new Map<string, number>();
  for (const kept of [stream, objects]) {
    if (kept === null || kept.group === null) continue;
    const stored = [...first.values()].map((ends) => ends.get(kept.group!) ?? 0);
    highest.set(kept.group, Math.max(kept.last, ...stored));
  }
  const compared = (ends: typeof first) =>
    new Map([...ends].map(([id, of]) => [id, missingOf(of, highest)] as const));
  const seen = compared(first);
  if (![...seen.values()].some(isIncomplete)) return seen;
  await wait(FOLLOWED_MS);
  return compared(await askStoredEnds(address));
}

function missingOf(
  ends: ReadonlyMap<string, number>,
  highest: ReadonlyMap<string, number>,
): MissingCounts {
  const missing = new Map<string, number>();
  for (const [group, end] of ends) {
    const most = highest.get(group);
    if (most !== undefined) missing.set(group, Math.max(0, most - end));
  }
  return missing;
}

function isIncomplete(missing: MissingCounts): boolean {
  return [...missing.values()].some((count) => count > 0);
}
