/** Asks again for what others could not give just now: servers that are electing, an object that is on its way. */

import type { Clock } from '../../platform/clock.ts';
import { pause } from '../stream/pause.ts';

const ASK_AGAIN_MS = 1_000;
/** Elections take up to ten seconds; what is not there after this is not coming. */
const TRIES_MAX = 60;

export async function answered<T>(
  clock: Pick<Clock, 'after'>,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === TRIES_MAX || signal.aborted) throw error;
    }
    await pause(clock, ASK_AGAIN_MS, signal);
    signal.throwIfAborted();
  }
}
