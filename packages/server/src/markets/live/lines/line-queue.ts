/** The queue of a line's trades that are ready for the tape, and the losses between them. */

import type { Loss } from '../watermark/gap-ledger.ts';
import type { FeedTrade, LineOutput } from './line.ts';
import type { LineBudget } from './line-budget.ts';

interface PlacedLoss {
  /** How many trades were queued before it, ever. */
  readonly behind: number;
  readonly loss: Loss;
}

export class LineQueue {
  readonly #budget: LineBudget;
  #trades: FeedTrade[] = [];
  #taken = 0;
  #losses: PlacedLoss[] = [];
  last: FeedTrade | null = null;

  constructor(budget: LineBudget) {
    this.#budget = budget;
  }

  get length(): number {
    return this.#trades.length;
  }

  /** The trade's share of the budget may be counted already. */
  push(trade: FeedTrade, isCounted = false): void {
    if (!isCounted) this.#budget.add(1);
    this.#trades.push(trade);
    this.last = trade;
  }

  lose(loss: Loss): void {
    this.#losses.push({ behind: this.#taken + this.#trades.length, loss });
  }

  /** Trades of one day: an offer must not be divided by a midnight. */
  take(max: number): LineOutput | null {
    const [first] = this.#losses;
    const until = first === undefined ? this.#trades.length : first.behind - this.#taken;
    const count = this.#countOfDay(Math.min(until, max));
    const loss = first !== undefined && count === until ? first.loss : null;
    if (count === 0 && loss === null) return null;
    const trades = this.#trades.slice(0, count);
    this.#trades = this.#trades.slice(count);
    this.#taken += count;
    this.#budget.free(count);
    if (loss !== null) this.#losses.shift();
    return { trades, loss };
  }

  #countOfDay(max: number): number {
    const day = this.#trades[0]?.day;
    let count = 0;
    while (count < max && this.#trades[count]!.day === day) count += 1;
    return count;
  }
}
