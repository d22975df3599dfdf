/**
 * Trades as an outside file has them, as columns, in the order of the file: what every reader of a format gives,
 * before anything is known of contracts, ticks and lots.
 */

/** One batch. Columns may be longer than `count`, and hold until the reader is asked for the next one. */
export interface FeedTrades {
  readonly count: number;
  /** Whose trade it is: an index into the reader's `instruments`. */
  readonly instruments: Uint32Array;
  /** The UTC day, as a number like 20261116. */
  readonly days: Uint32Array;
  /** Nanoseconds since the midnight of that day. */
  readonly ns: Float64Array;
  /** Whole numbers of 10^-priceDecimals; exact. */
  readonly prices: Float64Array;
  readonly priceDecimals: number;
  /** Whole numbers of 10^-sizeDecimals, at least 0; exact. */
  readonly sizes: Float64Array;
  readonly sizeDecimals: number;
  /** The aggressor: buyer +1, seller -1, unknown 0. */
  readonly sides: Int8Array;
  /** Where in the file a trade of the batch stands: the row of a text, its header counted, or the number of a record, from 1. */
  rowOf(index: number): number;
}

/** An instrument as a file names it. */
export interface FeedInstrument {
  /** The venue's own symbol, or null where the file does not say. */
  readonly symbol: string | null;
  /** Why its trades are not wanted (a spread, an option); null for all others. */
  readonly skipped: string | null;
}

/** What was left out, and how often; shown to people. */
export type FeedCounts = ReadonlyMap<string, number>;

/** What is wrong with a file: a sentence for people that says where. */
export class FeedError extends Error {
  override readonly name = 'FeedError';
  /** The row or record, from 1; null where it is the file as a whole. */
  readonly row: number | null;

  constructor(message: string, row: number | null = null) {
    super(message);
    this.row = row;
  }
}
