/** The polling intervals of an order that waits for its provider; polling ends after `WATCHED_MS_MAX`. */

const WAITS_S = [1, 1, 2, 2, 3, 3, 5, 5, 8, 10, 15, 20, 30];
const WATCHED_MS_MAX = 15 * 60_000;

/** Null: polling has lasted long enough. */
export function nextWaitMs(asked: number, watchedMs: number): number | null {
  if (watchedMs >= WATCHED_MS_MAX) return null;
  return WAITS_S[Math.min(asked, WAITS_S.length - 1)]! * 1_000;
}
