/**
 * How long to wait before the next attempt: 250 ms, then twice as long each time, plus up to half of it at
 * random, so that the clients of a server that restarts do not all come back in the same moment; 30 s at most.
 */

const FIRST_DELAY_MS = 250;
const DELAY_MS_MAX = 30_000;
const SPREAD = 0.5;

/** `failures` have come before this one without a success between; `atLeastMs` is what the server asks for. */
export function backoffMs(failures: number, random: () => number, atLeastMs = 0): number {
  const base = Math.max(atLeastMs, FIRST_DELAY_MS * 2 ** failures);
  const spread = 1 + SPREAD * random();
  return Math.round(Math.min(base, DELAY_MS_MAX / (1 + SPREAD)) * spread);
}
