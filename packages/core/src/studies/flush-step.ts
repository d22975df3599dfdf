/**
 * How far apart the flushes of a stream lie (determinism 7 and 8). Every whole second of tape time is a
 * flush edge. The encoded size of all objects forming there, a function of the tape alone, decides the
 * step of the second that follows: the smallest one with which publishing them all at every edge keeps to the
 * budget. Nothing else is remembered, so whoever reads the tape, from wherever on, finds the same edges.
 */

import type { EpochNs } from '../numbers.ts';

/** The smallest step of tape time between two flushes. */
export const FLUSH_STEP_NS = 20_000_000;
/** What the forming objects of one topic may take of a line, in a second. */
export const FLUSH_BYTES_PER_SECOND = 65_536;

export const SECOND_NS = 1_000_000_000;
/** All divide a second, so each whole second is an edge of every one. */
const STEPS_NS = [FLUSH_STEP_NS, 40_000_000, 100_000_000, 200_000_000, 500_000_000];

/** The step of the second at whose beginning the forming objects take so many bytes. */
export function flushStepNs(formingBytes: number): number {
  for (const stepNs of STEPS_NS) {
    if (formingBytes * (SECOND_NS / stepNs) <= FLUSH_BYTES_PER_SECOND) return stepNs;
  }
  return SECOND_NS;
}

/** The last whole second of tape time at or before an instant. */
export function wholeSecond(instant: EpochNs): EpochNs {
  return (instant - (instant % BigInt(SECOND_NS))) as EpochNs;
}
