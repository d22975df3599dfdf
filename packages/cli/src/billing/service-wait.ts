/**
 * Providers are asked by the service alone, which has their secrets: a command notes what is to be asked about and
 * watches the accounts until the service has done it. It looks for such notes every few seconds.
 */

import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 200;
/** The longest wait; the service looks for what is due more often than that. */
const WAIT_MS_MAX = 30_000;

/** Whether it was done in time. */
export async function waitForService(
  isDone: () => Promise<boolean>,
  signal: AbortSignal,
  waitMs = WAIT_MS_MAX,
): Promise<boolean> {
  for (let waited = 0; waited < waitMs; waited += LOOK_EVERY_MS) {
    if (await isDone()) return true;
    if (signal.aborted) return false;
    await pause(LOOK_EVERY_MS);
  }
  return isDone();
}

export const NOT_DONE =
  'The service has not done it yet: it does so when it runs on this data directory.\n';
