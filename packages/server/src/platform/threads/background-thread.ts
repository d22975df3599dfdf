/**
 * A thread that computes history yields to the threads of live streams when processors are short. Its pages take longer
 * then, while streams, handshakes and the tape stay on time. Only Linux has a priority for each thread.
 */

import { getPriority, setPriority } from 'node:os';

const LOWEST = 19;
/** Gives a third of a normal thread's processor time when both want all of it. */
const STEPS_BELOW = 5;

/** Called once, by the thread itself. */
export function runInBackground(): void {
  if (process.platform !== 'linux') return;
  // Process 0 is the calling thread.
  setPriority(0, Math.min(LOWEST, getPriority(0) + STEPS_BELOW));
}
