/** How busy the machine is, for reports: the load of other programs shows in every number. */

import { loadavg } from 'node:os';

/** The load average of the last minute. */
export function loadAverage(): number {
  return Math.round(loadavg()[0]! * 10) / 10;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

/** The value below which `share` of all values lie; the values ascend. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
