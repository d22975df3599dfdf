/**
 * How far the current rows can be read. Every column reads up to `end`, and stops before a row that it cannot read. So
 * in the end, `reason` belongs to the earliest such row of any column.
 */

/** The row is valid but needs its own batch. */
export const ROWS_CUT = 'cut';

export class Reading {
  /** The row after the last readable one. */
  end: number;
  /** The fault of the row at `end`, or `ROWS_CUT`; null without such a row. */
  reason: string | null = null;

  constructor(rows: number) {
    this.end = rows;
  }

  stop(row: number, reason: string): void {
    this.end = row;
    this.reason = reason;
  }
}
