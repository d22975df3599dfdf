/**
 * Infers missing sides from prices: above the previous price is a buy, below a sell, an equal price repeats the last
 * inference. It restarts with every day, so that a day gets the same sides from any file.
 */

import type { DayRows } from '../feeds/day-rows.ts';

/** The trades are ordered by time. Returns the number of inferred sides. */
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
