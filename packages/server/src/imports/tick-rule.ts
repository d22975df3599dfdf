/**
 * Sides that a file does not say, from prices: higher than the trade before is a buy, lower a sell, the same as the last of
 * these. It begins anew with every day, so that a day has the same sides out of whatever file it comes.
 */

import type { DayRows } from '../feeds/day-rows.ts';

/** The trades are in the order of time. Returns how many sides were inferred. */
export function inferSides({ price, side, count }: DayRows): number {
  let inferred = 0;
  let direction = 0;
  for (let row = 0; row < count; row += 1) {
    if (row > 0 && price[row] !== price[row - 1])
      direction = price[row]! > price[row - 1]! ? 1 : -1;
    if (side[row] !== 0 || direction === 0) continue;
    side[row] = direction;
    inferred += 1;
  }
  return inferred;
}
