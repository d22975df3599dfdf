/**
 * The wait before the next attempt: it doubles after each failure, up to a limit. Waits of streams are longer by a
 * random share of up to one half, so that the clients of a restarting server do not all reconnect at the same moment.
 */

interface Backoff {
  readonly firstMs: number;
  /** The longest wait, its random part included. */
  readonly lastMs: number;
  /** The random part, as a share of the wait. */
  readonly spread: number;
}

const FIRST_DELAY_MS = 250;
const DELAY_MS_MAX = 30_000;

export const STREAM_BACKOFF: Backoff = {
  firstMs: FIRST_DELAY_MS,
  lastMs: DELAY_MS_MAX,
  spread: 0.5,
};
export const REQUEST_BACKOFF: Backoff = { firstMs: 1_000, lastMs: DELAY_MS_MAX, spread: 0 };

/** `failures`: the failures in a row before this one. `atLeastMs`: the shortest wait, but never more than `lastMs`. */
export function backoffMs(
  { firstMs, lastMs, spread }: Backoff,
  failures: number,
  { atLeastMs = 0, random = () => 0 }: { atLeastMs?: number; random?: () => number } = {},
): number {
  const base = Math.max(atLeastMs, firstMs * 2 ** failures);
  return Math.round(Math.min(base, lastMs / (1 + spread)) * (1 + spread * random()));
}
