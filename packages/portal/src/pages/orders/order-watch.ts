/** How often an order is asked about that waits for its provider: often at first, rarely later, and not for ever. */

const WAITS_S = [1, 1, 2, 2, 3, 3, 5, 5, 8, 10, 15, 20, 30];
const WATCHED_MS_MAX = 15 * 60_000;

/** Null: it was waited for long enough. */
export function nextWaitMs(asked: number, watchedMs: number): number | null {
  if (watchedMs >= WATCHED_MS_MAX) return null;
  return WAITS_S[Math.min(asked, WAITS_S.length - 1)]! * 1_000;
}
