/** The longest wait for a cursor ahead of this node's tape: the node may receive those trades a moment later. */

export const AHEAD_MS_MAX = 5_000;
/** The first wait; later waits are longer, since a look costs work. */
const LOOK_AGAIN_MS = 50;

/** The wait before the next look, given the time waited so far: it doubles each time, and is 0 at the end. */
export function lookAgainMs(waitedMs: number): number {
  return Math.min(Math.max(LOOK_AGAIN_MS, waitedMs), AHEAD_MS_MAX - waitedMs);
}
