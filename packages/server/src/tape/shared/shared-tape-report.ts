/** Where a node stands on the tape of its cluster, as it reports about once a second. */

import type { SealedPart } from '../tape-manifest.ts';

/**
 * `joining`: what the stream and its objects hold is not all here yet. `refused`: the stream takes nothing more. `shrunk`: it has lost
 * what it had acknowledged, and nobody appends before a repair.
 */
export const SHARED_TAPE_ROLES = [
  'joining',
  'following',
  'claiming',
  'leading',
  'refused',
  'shrunk',
] as const;

/** Where this node stands on the tape of a cluster. */
export interface SharedTapeReport {
  readonly role: (typeof SHARED_TAPE_ROLES)[number];
  /** The number of the last message that is dealt with here. */
  readonly sequence: number;
  /** The last number of the stream, as far as was heard. */
  readonly end: number;
  /** Who appends, `<node>.<term>`; null: nobody has been heard. */
  readonly leader: string | null;
  /** For how long nothing was heard of the stream. */
  readonly silentMs: number;
  /** How often this node began to append, and how often another had begun before it knew. */
  readonly takeovers: number;
  readonly fenced: number;
  /** Publishes that nobody answered. */
  readonly unknowns: number;
  /** Sealed days that the cluster has, and this node not yet. */
  readonly daysToCome: number;
  /** Those that were here, and are damaged or gone; left out where there are none. */
  readonly daysDamaged?: readonly Pick<SealedPart, 'symbol' | 'day'>[];
  /** The number of the newest book of which it had all of them, and had computed anew what they change. */
  readonly daysAt: number;
  /** NATS servers that lacked messages when it was last looked; left out before that. */
  readonly serversLacking?: number;
}
