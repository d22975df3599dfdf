/** The columns of a chart: bars from objects of `footprint` or `bars`, and gaps between them. */

/** Volume by price, ascending; only prices that traded. */
export interface Levels {
  /** Ticks per row, as the service summed them. */
  readonly group: number;
  readonly count: number;
  /** The lowest price of each row, in ticks. */
  readonly price: Float64Array;
  readonly bid: Float64Array;
  readonly ask: Float64Array;
  readonly unknown: Float64Array;
  /** The service's point of control. Only it knows which of several rows reached the volume first. */
  readonly poc?: number | null;
}

export interface ChartBar {
  readonly kind: 'bar';
  readonly id: string;
  readonly isFinal: boolean;
  readonly fromNs: bigint;
  /** While it forms, the time of its last trade. */
  readonly endNs: bigint;
  /** Prices in ticks, volumes in lots. */
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly bid: number;
  readonly ask: number;
  readonly unknown: number;
  readonly trades: number;
  readonly delta: number;
  readonly deltaMin: number;
  readonly deltaMax: number;
  /** Null: a bar of `bars`, which has no volume by price. */
  readonly levels: Levels | null;
}

/** A part of the past without data. No line bridges it. */
export interface GapColumn {
  readonly kind: 'gap';
  readonly fromNs: bigint;
  readonly endNs: bigint;
  readonly why: 'missing' | 'damaged' | 'partial';
}

export type Column = ChartBar | GapColumn;
