/** A node's position on the tape of its cluster, reported about once a second. */

import type { SealedPart } from '../tape-manifest.ts';

/** `refused`: the stream accepts no more. `shrunk`: it lost acknowledged messages; appends need a repair. */
export const SHARED_TAPE_ROLES = [
  'joining',
  'following',
  'claiming',
  'leading',
  'refused',
  'shrunk',
] as const;

export interface SharedTapeReport {
  readonly role: (typeof SHARED_TAPE_ROLES)[number];
  /** The number of the last message handled here. */
  readonly sequence: number;
  /** The last number of the stream, as far as known here. */
  readonly end: number;
  /** The writer that appends, `<node>.<term>`; null: none seen yet. */
  readonly leader: string | null;
  /** Time without anything from the stream. */
  readonly silentMs: number;
  /** How often this node began to lead, and how often it was fenced. */
  readonly takeovers: number;
  readonly fenced: number;
  /** Publishes of unknown outcome. */
  readonly unknowns: number;
  /** Sealed days that the cluster has and this node does not have yet. */
  readonly daysToCome: number;
  /** Days whose files were found damaged or missing here; absent when there are none. */
  readonly daysDamaged?: readonly Pick<SealedPart, 'symbol' | 'day'>[];
  /** The number of the newest book of which this node had all days and had recomputed their effects. */
  readonly daysAt: number;
  /** NATS servers with missing messages at the last check; absent before the first. */
  readonly serversIncomplete?: number;
}
