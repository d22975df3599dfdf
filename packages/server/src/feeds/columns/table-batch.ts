/** The reused columns that trades of a table are written to. */

import { DecimalColumn } from '../decimals.ts';
import type { FeedTrades } from '../feed-trades.ts';

export const BATCH_ROWS = 8_192;

export class TableBatch {
  count = 0;
  readonly days = new Uint32Array(BATCH_ROWS);
  readonly ns = new Float64Array(BATCH_ROWS);
  readonly prices = new DecimalColumn(BATCH_ROWS);
  readonly sizes = new DecimalColumn(BATCH_ROWS);
  readonly sides = new Int8Array(BATCH_ROWS);
  readonly instruments = new Uint32Array(BATCH_ROWS);
  readonly rows = new Float64Array(BATCH_ROWS);

  /** The whole batch, valid until rows are added. */
  take(): FeedTrades {
    const batch = {
      count: this.count,
      instruments: this.instruments,
      days: this.days,
      ns: this.ns,
      prices: this.prices.values,
      priceDecimals: this.prices.decimals,
      sizes: this.sizes.values,
      sizeDecimals: this.sizes.decimals,
      sides: this.sides,
      rowOf: (index: number) => this.rows[index]!,
    };
    this.count = 0;
    this.prices.restart();
    this.sizes.restart();
    return batch;
  }
}
