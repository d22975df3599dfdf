/** Where the cells of each bar on screen are: whole pixels across, and only the rows that can be seen. */

import { type Rows, rowsOf } from '../series/rows.ts';
import type { Frame } from './frame.ts';

/** One bar's cells on screen. */
export interface Ladder {
  readonly rows: Rows;
  readonly column: number;
  /** Whole pixels: left and right edge, and the spine between bid and ask. */
  readonly left: number;
  readonly right: number;
  readonly spine: number;
  /** Right edge of the bid and ask cells: left of the bars of volume, if there are any. */
  readonly askRight: number;
  /** Rows on screen: [from, to]. */
  readonly from: number;
  readonly to: number;
  /** The lower edge of row 0. */
  readonly base: number;
}

/** Pixels between rows: none where they would hide the rows. */
export function rowGap({ cell }: Frame): number {
  return cell.rowHeight >= 6 ? 1 : cell.rowHeight >= 3.2 ? 0.6 : 0;
}

export function laddersOf(frame: Frame): Ladder[] {
  const { columns, from, to, cell, input, layout } = frame;
  const ladders: Ladder[] = [];
  const isSplit = input.spec.look === 'two';
  for (let column = from; column < to; column += 1) {
    const bar = columns[column]!;
    if (bar.kind === 'gap' || bar.levels === null) continue;
    const rows = rowsOf(bar, cell.group, input.spec.rules);
    const base = frame.y(rows.first);
    const height = frame.window.tickHeight * rows.group;
    const left = frame.x(column) + cell.gutter;
    const right = Math.round(left + cell.inner);
    ladders.push({
      ...{ rows, column, base, right },
      left: Math.round(left),
      spine: Math.round(left + cell.half),
      askRight: isSplit ? Math.round(left + 2 * cell.half) : right,
      from: Math.max(0, Math.floor((base - layout.main.height) / height)),
      to: Math.min(rows.count - 1, Math.floor(base / height)),
    });
  }
  return ladders;
}
