/** The bars that one can choose: usual sizes, the largest ones, and kinds of sessions. */

import type { BarChoice, BarKind } from '@tapeloom/charts/spec/chart-spec';

export const SESSION_NAMES: Readonly<Record<BarChoice['session'], string>> = {
  full: 'Trading day',
  rth: 'Regular',
  utc: 'UTC day',
};

/** What people choose most; every other size can be typed. */
export const USUAL_SIZES: Readonly<Record<BarKind, readonly number[]>> = {
  time: [5, 15, 30, 60, 120, 180, 300, 600, 900, 1_800, 3_600, 14_400],
  tick: [100, 250, 500, 1_000, 2_000, 5_000],
  volume: [500, 1_000, 2_000, 5_000, 10_000],
  range: [4, 8, 12, 16, 24, 40],
  delta: [100, 250, 500, 1_000, 2_500],
  renko: [4, 8, 12, 16, 24, 40],
};

/** The largest size of the service, and of time bars a day. */
export function sizeMax(kind: BarKind): number {
  return kind === 'time' ? 86_400 : 1_000_000_000;
}
