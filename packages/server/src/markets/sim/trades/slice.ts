/**
 * The time grid of the simulation: slices of five minutes, 288 per UTC day; weeks begin on Sunday at 00:00 UTC. A feed
 * number encodes day, slice and position in the slice: it grows along the feed, and slices are numbered independently.
 */

import { DAY_NS } from '@tapeloom/core/units';

export const SLICE_NS = 300_000_000_000;
export const SLICES_PER_DAY = DAY_NS / SLICE_NS;
export const SLICES_PER_WEEK = 7 * SLICES_PER_DAY;

/** The most prints of one slice of one contract that can be numbered. */
export const SLICE_PRINTS_MAX = 2 ** 22;
const DAY_IDS = 2 ** 31;

/** Day number 3, 1970-01-04, was the first Sunday. */
export function weekOf(dayNumber: number): number {
  return Math.floor((dayNumber - 3) / 7);
}

export function weekFirstDay(week: number): number {
  return week * 7 + 3;
}

/** The feed number of the first trade of a slice; the n-th after it is n greater. */
export function firstIdOf(dayNumber: number, slice: number): number {
  return dayNumber * DAY_IDS + slice * SLICE_PRINTS_MAX;
}
