/**
 * Trades of an outside file as columns, in file order: the output of every format reader, before contracts, ticks and
 * lots are known.
 */

/** One batch. Columns may be longer than `count`, and are valid until the next batch is requested. */
export interface FeedTrades {
  readonly count: number;
  /** The index of the trade's instrument in the reader's `instruments`. */
  readonly instruments: Uint32Array;
  /** The UTC day, as a number like 20261116. */
  readonly days: Uint32Array;
  /** Nanoseconds since the midnight of that day. */
  readonly ns: Float64Array;
  /** Exact integers of 10^-priceDecimals. */
  readonly prices: Float64Array;
  readonly priceDecimals: number;
  /** Exact integers of 10^-sizeDecimals, at least 0. */
  readonly sizes: Float64Array;
  readonly sizeDecimals: number;
  /** The aggressor: buyer +1, seller -1, unknown 0. */
  readonly sides: Int8Array;
  /** The position of a trade in the file, from 1: the row of a text, including its header, or the record number. */
  rowOf(index: number): number;
}

export interface FeedInstrument {
  /** The venue's symbol; null if the file does not have it. */
  readonly symbol: string | null;
  /** Why its trades are skipped (a spread, an option); null for others. */
  readonly skipped: string | null;
}

/** Left-out records by reason, for display. */
export type FeedCounts = ReadonlyMap<string, number>;

/** A fault of a file: a readable sentence with its position. */
export class FeedError extends Error {
  override readonly name = 'FeedError';
  /** The row or record, from 1; null for the file as a whole. */
  readonly row: number | null;

  constructor(message: string, row: number | null = null) {
    super(message);
    this.row = row;
  }
}
