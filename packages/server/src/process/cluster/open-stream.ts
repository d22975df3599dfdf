/**
 * Opens the stream of a shared tape at a start. Servers that are starting or electing a leader are retried for a while.
 * A rejection that persists is reported to the operator.
 */

import { SourceRefusedError } from '../../markets/market.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Backoff, retry } from '../../platform/waiting/retry.ts';
import { CopyDiffersError, ForeignDirectoryError } from '../../tape/shared/shared-errors.ts';
import { natsFault } from '../../tape/stream/nats/nats-fault.ts';
import {
  type NatsTape,
  NatsTapeError,
  type NatsTapeOptions,
  openNatsTape,
} from '../../tape/stream/nats/open-nats-tape.ts';
import { TapeDamagedError } from '../../tape/tape-errors.ts';

const TRY_AGAIN: Backoff = { firstMs: 1_000, lastMs: 1_000 };
/** The limits on tries: after a rejection, and without a response. */
const SAID_TRIES_MAX = 4;
const UNANSWERED_TRIES_MAX = 30;

export type OpenedStream = NatsTape;

/** `onWaiting` is called once, with the first error. */
export async function openStream(
  options: NatsTapeOptions,
  clock: Pick<Clock, 'after'>,
  onWaiting: (error: unknown) => void,
): Promise<OpenedStream> {
  const passes = (error: unknown, tries: number) => {
    if (error instanceof NatsTapeError && tries >= SAID_TRIES_MAX) return false;
    if (tries >= UNANSWERED_TRIES_MAX) {
      const { nats } = options;
      throw new NatsTapeError([natsFault(nats, nats.servers.join(), error).sentence]);
    }
    if (tries === 1) onWaiting(error);
    return true;
  };
  return await retry(() => openNatsTape(options), { clock, backoff: TRY_AGAIN, passes });
}

/** The message for the operator; other errors are thrown on. */
export function sharedRefusalOf(error: unknown): string {
  const kinds = [
    NatsTapeError,
    SourceRefusedError,
    TapeDamagedError,
    ForeignDirectoryError,
    CopyDiffersError,
  ];
  if (!(error instanceof Error && kinds.some((kind) => error instanceof kind))) throw error;
  return error.message;
}
