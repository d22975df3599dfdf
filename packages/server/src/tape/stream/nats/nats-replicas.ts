/**
 * What the servers of a shared tape have stored, asked of each of them. A server whose disk was full may come back without messages,
 * take itself for whole and be taken for that by the others (2.10.27): those that lead then count it among the
 * replicas, and were it to lead itself, it would know nothing of what it lacks.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { KeptState, NatsTapeState } from './nats-admin.ts';
import {
  askStoredEnds,
  type NatsServerState,
  type NatsServersAddress,
} from './nats-servers-check.ts';

/** Within which those that follow have what their leader had. */
const FOLLOWED_MS = 1_000;

/** The same with what each of those that follow lacks, as far as it is monitored. */
export async function withLackingReplicas(
  address: NatsServersAddress,
  servers: readonly NatsServerState[],
  tape: NatsTapeState,
  wait: (ms: number) => Promise<unknown> = pause,
): Promise<NatsTapeState> {
  const look = async (): Promise<NatsTapeState> => {
    const ends = await askStoredEnds(address);
    const idOf = (name: string) => servers.find((server) => server.name === name)?.id ?? '';
    const told = (kept: KeptState | null): KeptState | null => {
      if (kept === null) return null;
      const followers = kept.followers.map((follower) => {
        const end = ends.get(idOf(follower.name))?.get(kept.group ?? '');
        return { ...follower, lacks: end === undefined ? null : Math.max(0, kept.last - end) };
      });
      return { ...kept, followers };
    };
    return { ...tape, stream: told(tape.stream), objects: told(tape.objects) };
  };
  const isLacking = ({ stream, objects }: NatsTapeState) =>
    [stream, objects].some((kept) => kept?.followers.some(({ lacks }) => (lacks ?? 0) > 0));
  return await againIf(isLacking, look, wait);
}

/** How many servers have not stored what there was a second ago, of those that are monitored. */
export async function countLacking(
  address: NatsServersAddress,
  { stream, objects }: NatsTapeState,
  wait: (ms: number) => Promise<unknown> = pause,
): Promise<number> {
  const kept = [stream, objects].filter((it) => it !== null);
  const look = async () =>
    [...(await askStoredEnds(address)).values()].filter((ends) =>
      kept.some(({ group, last }) => (ends.get(group ?? '') ?? last) < last),
    ).length;
  return await againIf((lacking) => lacking > 0, look, wait);
}

/** Whoever is a moment behind is looked at once more. */
async function againIf<Seen>(
  isLacking: (seen: Seen) => boolean,
  look: () => Promise<Seen>,
  wait: (ms: number) => Promise<unknown>,
): Promise<Seen> {
  const seen = await look();
  if (!isLacking(seen)) return seen;
  await wait(FOLLOWED_MS);
  return await look();
}
