/** How long a cursor is waited for that lies ahead of the tape here: a node may learn of it a moment later. */

export const AHEAD_MS_MAX = 5_000;
/** The first wait; the next ones are longer, where a look is work. */
const LOOK_AGAIN_MS = 50;

/** How long to wait before the next look, having waited so long: twice as long each time, 0 at the end. */
export function lookAgainMs(waitedMs: number): number {
  return Math.min(Math.max(LOOK_AGAIN_MS, waitedMs), AHEAD_MS_MAX - waitedMs);
}
