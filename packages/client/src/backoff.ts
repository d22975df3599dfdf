/**
 * How long to wait before the next attempt: first so long, then twice as long each time, up to a last wait. A stream's waits are
 * longer by up to half at random, so that the clients of a server that restarts do not all come back in the same moment.
 */

interface Backoff {
  readonly firstMs: number;
  /** No wait is longer, with its random part too. */
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

/** `failures` have come before this one without a success between; `atLeastMs` is what the server asks for. */
export function backoffMs(
  { firstMs, lastMs, spread }: Backoff,
  failures: number,
  { atLeastMs = 0, random = () => 0 }: { atLeastMs?: number; random?: () => number } = {},
): number {
  const base = Math.max(atLeastMs, firstMs * 2 ** failures);
  return Math.round(Math.min(base, lastMs / (1 + spread)) * (1 + spread * random()));
}
