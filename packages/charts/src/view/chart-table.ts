/** What a chart shows as a table: its bars, and the rows of one bar with marks in words. */

export interface TableBar {
  readonly column: number;
  readonly time: string;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly delta: string;
  /** Sign of the delta, for the dye. */
  readonly side: 1 | 0 | -1;
  /** Empty without volume by price. */
  readonly poc: string;
  /** Of a gap: why there are no numbers. */
  readonly gap: string | null;
}

export interface TableRow {
  readonly price: string;
  readonly bid: string;
  readonly ask: string;
  readonly delta: string;
  readonly marks: string;
}

export interface ChartTable {
  /** "ES.c.0, 5 minutes, newest first". */
  readonly caption: string;
  readonly bars: readonly TableBar[];
  /** Rows of the bar in that column, highest price first; empty without volume by price. */
  rows(column: number): readonly TableRow[];
  /** Bars, oldest first, with a header. */
  readonly csv: string;
  /** Rows of one bar, with a header. */
  rowsCsv(column: number): string;
}
