/** Movement by time instead of by frame: the same glide and the same easing at every frame rate. */

/** After this many milliseconds a glide has a third of its speed. */
const GLIDE_MS = 230;
const GLIDE_ENDS_BELOW = 0.02;
/** After this many milliseconds prices have come two thirds of their way. */
const EASE_MS = 60;
/** A tab that slept must not leap. */
const STEP_MS_MAX = 64;

export interface Glide {
  /** Pixels a millisecond. */
  readonly speed: number;
}

/** The distance of this frame and what is left; null left: it rests. */
export function glided(
  glide: Glide,
  ms: number,
): { readonly dx: number; readonly left: Glide | null } {
  const step = Math.min(STEP_MS_MAX, Math.max(0, ms));
  const speed = glide.speed * Math.exp(-step / GLIDE_MS);
  const dx = (glide.speed - speed) * GLIDE_MS;
  return { dx, left: Math.abs(speed) < GLIDE_ENDS_BELOW ? null : { speed } };
}

/** Which part of the way to a goal this frame goes, 0 to 1. */
export function easedPart(ms: number): number {
  return 1 - Math.exp(-Math.min(STEP_MS_MAX, Math.max(1, ms)) / EASE_MS);
}
