/**
 * One simulated contract as a feed: returns its trades in order, each once, cut at any instants. It holds one slice at
 * a time. A feed can start at any instant and after any feed number, so it resumes exactly at the end of a tape.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { firstRowAt } from '@tapeloom/core/trade-batch';
import { dayNumber } from '@tapeloom/core/utc-day';
import type { IntakeBatch } from '../../tape/write/intake.ts';
import type { SimMarket } from './trades/sim-market.ts';
import { firstIdOf } from './trades/slice.ts';
import { TradeColumns } from './trades/trade-columns.ts';

export class SimFeed {
  readonly symbol: string;
  readonly #market: SimMarket;
  readonly #columns = new TradeColumns();
  #day = 0 as UtcDay;
  #slice = -1;
  #firstId = 0;
  /** The next row to return. */
  #row = 0;
  /** Feed numbers up to this one are on the tape. */
  #lastId: number;

  constructor(market: SimMarket, symbol: string, lastId: number) {
    this.#market = market;
    this.symbol = symbol;
    this.#lastId = lastId;
  }

  /** Moves to a slice, unless it is the current one, and skips trades that are earlier than `fromNs` or on the tape. */
  enter(day: UtcDay, slice: number, fromNs: number): void {
    if (day === this.#day && slice === this.#slice) return;
    this.#day = day;
    this.#slice = slice;
    this.#columns.clear();
    this.#market.appendSlice(this.symbol, day, slice, this.#columns);
    this.#firstId = firstIdOf(dayNumber(day), slice);
    const { ts, count } = this.#columns;
    const seen = Math.min(Math.max(0, this.#lastId - this.#firstId + 1), count);
    this.#row = Math.max(seen, firstRowAt(ts, 0, count, fromNs));
  }

  /** The number of trades of the slice before `untilNs` that were not returned yet. */
  pending(untilNs: number): number {
    return this.#endRow(untilNs) - this.#row;
  }

  /** Returns the trades of the slice before `untilNs`; null when there are none. */
  take(untilNs: number): IntakeBatch | null {
    const from = this.#row;
    const to = this.#endRow(untilNs);
    if (to <= from) return null;
    this.#row = to;
    const { ts, price, size, side } = this.#columns;
    const id = new Float64Array(to - from);
    for (let i = 0; i < id.length; i += 1) id[i] = this.#firstId + from + i;
    this.#lastId = this.#firstId + to - 1;
    return {
      symbol: this.symbol,
      day: this.#day,
      count: id.length,
      id,
      ts: ts.slice(from, to),
      price: Float64Array.from(price.subarray(from, to)),
      size: Float64Array.from(size.subarray(from, to)),
      side: side.slice(from, to),
    };
  }

  #endRow(untilNs: number): number {
    return firstRowAt(this.#columns.ts, this.#row, this.#columns.count, untilNs);
  }
}
