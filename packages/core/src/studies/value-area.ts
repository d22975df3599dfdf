/**
 * The value area. It starts at the POC and repeatedly adds two rows on the side whose next two rows have more volume
 * (tie: above), until it has the required share of the volume. Only rows that traded count.
 */

import type { CountedRows } from './price-histogram.ts';

const ROWS_PER_STEP = 2;

/** Lowest and highest row index of the area with at least `percent` of all volume. */
export function valueArea(rows: CountedRows, poc: number, percent: number): [number, number] {
  let whole = 0;
  for (let row = 0; row < rows.count; row += 1) whole += rows.total[row]!;
  // The least integer that is `percent` of the volume, without a product beyond 2^53.
  const needed = percent * Math.floor(whole / 100) + Math.ceil((percent * (whole % 100)) / 100);
  let low = poc;
  let high = poc;
  let held = rows.total[poc]!;
  while (held < needed) {
    const nextHigh = Math.min(high + ROWS_PER_STEP, rows.count - 1);
    const nextLow = Math.max(low - ROWS_PER_STEP, 0);
    const above = sum(rows, high + 1, nextHigh);
    const below = sum(rows, nextLow, low - 1);
    if (above >= below) {
      high = nextHigh;
      held += above;
    } else {
      low = nextLow;
      held += below;
    }
  }
  return [low, high];
}

function sum(rows: CountedRows, from: number, to: number): number {
  let volume = 0;
  for (let row = from; row <= to; row += 1) volume += rows.total[row]!;
  return volume;
}
