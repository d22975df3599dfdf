/**
 * How far the rows at hand can be read: every column reads them up to `end`, and the one that meets a row it cannot
 * take moves the end before it. In the end the earliest such row, whatever column it was, has the word.
 */

/** Nothing is wrong with the row: it needs a batch of its own. */
export const ROWS_CUT = 'cut';

export class Reading {
  /** The row after the last that is fine. */
  end: number;
  /** What is wrong with the row at `end`, or that it belongs to the next batch; null when there is no such row. */
  reason: string | null = null;

  constructor(rows: number) {
    this.end = rows;
  }

  stop(row: number, reason: string): void {
    this.end = row;
    this.reason = reason;
  }
}
