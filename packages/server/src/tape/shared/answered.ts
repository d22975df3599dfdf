/**
 * Retries calls to servers that may be electing a leader or be out of reach. A passing fault is retried without limit:
 * no outage, however long, may end a node's part in the tape. A missing or damaged object is believed only after a
 * minute of retries, because the responding server may be behind the others.
 */

import type { Clock } from '../../platform/clock.ts';
import { type Backoff, retry } from '../../platform/waiting/retry.ts';
import type { TapeObjects, TapeStream } from '../stream/tape-stream.ts';
import { DayConflictError, TapeDamagedError } from '../tape-errors.ts';

const ASK_AGAIN: Backoff = { firstMs: 50, lastMs: 1_000 };
/** Elections take up to ten seconds; an object still missing after this many tries is taken as missing. */
const BELIEVED_AFTER = 60;
/** A fault that persists for this many tries, some five seconds, is reported. */
const REPORTED_AFTER = 9;
/** Another server is tried at this attempt, and again after every further `every`. */
const RECONNECT = { first: 2, every: 8 } as const;

export interface Asking {
  readonly stream: Pick<TapeStream, 'reconnect'>;
  readonly clock: Pick<Clock, 'after'>;
  /** Ends the retries: the call rejects with its reason. */
  readonly signal: AbortSignal;
  /** Called once per call of `answered`. */
  readonly onWaiting?: (error: unknown) => void;
}

export async function answered<T>(asking: Asking, ask: () => Promise<T>): Promise<T> {
  const { stream, clock, signal, onWaiting } = asking;
  const asked = async () => {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  };
  const passes = async (error: unknown, tries: number) => {
    if (isLasting(error) && tries >= BELIEVED_AFTER) return false;
    if (tries === REPORTED_AFTER) onWaiting?.(error);
    // The connected server may be cut off from the others, and keep its clients.
    if (tries % RECONNECT.every === RECONNECT.first) await stream.reconnect();
    return true;
  };
  return await retry(asked, { clock, backoff: ASK_AGAIN, passes, signal });
}

/** The same objects, each call retried. */
export function retryingObjects(objects: TapeObjects, asking: Asking): TapeObjects {
  return {
    put: (name, bytes) => answered(asking, () => objects.put(name, bytes)),
    get: (name) => answered(asking, () => objects.get(name)),
    list: (prefix) => answered(asking, () => objects.list(prefix)),
    remove: (name) => answered(asking, () => objects.remove(name)),
  };
}

function isLasting(error: unknown): boolean {
  return error instanceof TapeDamagedError || error instanceof DayConflictError;
}
