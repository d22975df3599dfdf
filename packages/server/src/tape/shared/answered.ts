/**
 * Retries a call to servers that may be electing or out of reach. A passing fault is retried without limit: an outage, however
 * long, must not end a node's part in the tape. A missing or damaged thing is only believed after a minute, for the server that
 * answered may be behind the others.
 */

import type { Clock } from '../../platform/clock.ts';
import { type Backoff, retry } from '../../platform/waiting/retry.ts';
import type { TapeObjects, TapeStream } from '../stream/tape-stream.ts';
import { DayConflictError, TapeDamagedError } from '../tape-errors.ts';

const ASK_AGAIN: Backoff = { firstMs: 50, lastMs: 1_000 };
/** Elections take up to ten seconds; what is not there after so many tries is not coming. */
const BELIEVED_AFTER = 60;
/** A fault that is still there after so many tries, some five seconds, is reported. */
const REPORTED_AFTER = 9;
/** Another server is looked for at this try, and again after so many more. */
const RECONNECT = { first: 2, every: 8 } as const;

export interface Asking {
  readonly stream: Pick<TapeStream, 'reconnect'>;
  readonly clock: Pick<Clock, 'after'>;
  /** Ends the retries: the call rejects with its reason. */
  readonly signal: AbortSignal;
  /** Told once per call. */
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
    // The server at the other end may be cut off from the others, and keep its clients.
    if (tries % RECONNECT.every === RECONNECT.first) await stream.reconnect();
    return true;
  };
  return await retry(asked, { clock, backoff: ASK_AGAIN, passes, signal });
}

/** The same objects, each call retried. */
export function patientObjects(objects: TapeObjects, asking: Asking): TapeObjects {
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
