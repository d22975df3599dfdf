/**
 * A thread that computes for readers of history yields to the threads of live streams when processors are short: its pages then take
 * longer, while streams, handshakes and the tape stay on time. Linux has a priority for each thread; elsewhere nothing changes.
 */

import { getPriority, setPriority } from 'node:os';

const LOWEST = 19;
/** A third of the processor time of a thread with the usual priority, where both want all of it. */
const STEPS_BELOW = 5;

/** Called by the thread itself, once. */
export function runInBackground(): void {
  if (process.platform !== 'linux') return;
  // The process 0 is the calling thread.
  setPriority(0, Math.min(LOWEST, getPriority(0) + STEPS_BELOW));
}
