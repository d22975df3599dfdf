/** Growing columns of trades that the generator writes into. Reused from slice to slice. */

const START_ROWS = 16_384;

export class TradeColumns {
  count = 0;
  /** Nanoseconds since the day's midnight; never decreases. */
  ts = new Float64Array(START_ROWS);
  /** Ticks. */
  price = new Int32Array(START_ROWS);
  /** Lots. */
  size = new Int32Array(START_ROWS);
  /** Aggressor: -1, 0 or +1. */
  side = new Int8Array(START_ROWS);

  clear(): void {
    this.count = 0;
  }

  /** Ensures capacity for `rows` more. */
  reserve(rows: number): void {
    const needed = this.count + rows;
    if (needed <= this.ts.length) return;
    const length = Math.max(needed, this.ts.length * 2);
    this.ts = grown(this.ts, new Float64Array(length));
    this.price = grown(this.price, new Int32Array(length));
    this.size = grown(this.size, new Int32Array(length));
    this.side = grown(this.side, new Int8Array(length));
  }

  push(ts: number, price: number, size: number, side: number): void {
    const row = this.count;
    this.ts[row] = ts;
    this.price[row] = price;
    this.size[row] = size;
    this.side[row] = side;
    this.count = row + 1;
  }
}

function grown<T extends Float64Array | Int32Array | Int8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
