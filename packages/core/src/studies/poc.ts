/**
 * The point of control: the row with the most volume (or TPOs). Ties are broken by one of four rules, so that two
 * charts with the same setting show the same line.
 */

import type { CountedRows } from './price-histogram.ts';

export const POC_TIES = ['centre', 'lowest', 'highest', 'first'] as const;
export type PocTie = (typeof POC_TIES)[number];

/** Index of the row, or -1 if nothing traded. */
export function pocIndex(rows: CountedRows, tie: PocTie): number {
  let best = -1;
  for (let row = 0; row < rows.count; row += 1) {
    if (best < 0 || rows.total[row]! > rows.total[best]!) best = row;
    else if (rows.total[row] === rows.total[best] && isPreferred(rows, row, best, tie)) best = row;
  }
  return best;
}

/** Whether `row`, which lies above `best` and has the same total, replaces it. */
function isPreferred(rows: CountedRows, row: number, best: number, tie: PocTie): boolean {
  switch (tie) {
    case 'lowest':
      return false;
    case 'highest':
      return true;
    case 'first':
      return rows.touched[row]! < rows.touched[best]!;
    case 'centre': {
      const ends = rows.price[0]! + rows.price[rows.count - 1]!;
      const distance = (index: number) => Math.abs(2 * rows.price[index]! - ends);
      return distance(row) < distance(best);
    }
    default:
      throw new RangeError(`unknown tie rule: ${tie satisfies never}`);
  }
}
