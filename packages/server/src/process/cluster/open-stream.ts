/**
 * The stream of a shared tape at a start: servers that elect, or have just been started, are waited for; what they say
 * against it stays as it is, and is told the operator.
 */

import { TapeClaimedError } from '../../markets/market.ts';
import type { Clock } from '../../platform/clock.ts';
import { CopyDiffersError, ForeignDirectoryError } from '../../tape/shared/shared-errors.ts';
import { natsFault } from '../../tape/stream/nats/nats-fault.ts';
import {
  type NatsTape,
  NatsTapeError,
  type NatsTapeOptions,
  openNatsTape,
} from '../../tape/stream/nats/open-nats-tape.ts';
import { TapeDamagedError } from '../../tape/tape-errors.ts';

/** Between two tries to open the stream, and how many there are: where something is said against it, and where nobody answers. */
const TRY_AGAIN_MS = 1_000;
const SAID_TRIES_MAX = 4;
const UNANSWERED_TRIES_MAX = 30;

export type OpenedStream = NatsTape;

/** `onWaiting` is told once, with what it waits for. */
export async function openStream(
  options: NatsTapeOptions,
  clock: Pick<Clock, 'after'>,
  onWaiting: (error: unknown) => void,
): Promise<OpenedStream> {
  for (let tries = 1; ; tries++) {
    try {
      return await openNatsTape(options);
    } catch (error) {
      const isSaid = error instanceof NatsTapeError;
      if (isSaid && tries >= SAID_TRIES_MAX) throw error;
      if (tries >= UNANSWERED_TRIES_MAX) {
        const { nats } = options;
        throw new NatsTapeError([natsFault(nats, nats.servers.join(), error).sentence]);
      }
      if (tries === 1) onWaiting(error);
    }
    await new Promise<void>((resolve) => clock.after(TRY_AGAIN_MS, resolve));
  }
}

/** Why it cannot start, for the operator to judge. */
export function sharedRefusalOf(error: unknown): string {
  const kinds = [
    NatsTapeError,
    TapeClaimedError,
    TapeDamagedError,
    ForeignDirectoryError,
    CopyDiffersError,
  ];
  if (!(error instanceof Error && kinds.some((kind) => error instanceof kind))) throw error;
  return error.message;
}
