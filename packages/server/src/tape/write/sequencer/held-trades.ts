/**
 * Trades of later days. They are on disk like any other: in the open day's log, then in the next log's opening. Their
 * feed numbers count as seen, and they keep their order. They get a rank when their day opens.
 */

import { dayNumber } from '@tapeloom/core/utc-day';
import type { IntakeBatch } from '../intake.ts';
import type { HeldTrade } from '../log/log-payload.ts';
import { knownSide } from './contract-lane.ts';
import type { SequencerCounters } from './sequencer-counters.ts';

export class HeldTrades {
  readonly #counters: SequencerCounters;
  #waiting: HeldTrade[] = [];
  /** The waiting trades that the open log does not have yet. */
  #unlogged: HeldTrade[] = [];

  constructor(counters: SequencerCounters) {
    this.#counters = counters;
  }

  get waiting(): readonly HeldTrade[] {
    return this.#waiting;
  }

  get unlogged(): readonly HeldTrade[] {
    return this.#unlogged;
  }

  /** The earliest day, in days since 1970 and not before `from`, that a trade waits for; Infinity for none. */
  firstDay(from: number): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { day } of this.#waiting) first = Math.min(first, Math.max(from, dayNumber(day)));
    return first;
  }

  hold(batch: IntakeBatch, row: number): void {
    const { symbol, day } = batch;
    const [id, ts] = [batch.id[row]!, batch.ts[row]!];
    const [price, size] = [batch.price[row]!, batch.size[row]!];
    const side = knownSide(batch.side[row]!, this.#counters);
    this.#add({ symbol, day, id, ts, price, size, side });
  }

  /** All waiting trades are in a record of the log. */
  logged(): void {
    this.#unlogged = [];
  }

  /** Offers each trade to `take`, in order. Trades that it does not take stay held, for the log's next record. */
  release(take: (trade: HeldTrade) => boolean): void {
    const trades = this.#waiting;
    this.replace([]);
    for (const trade of trades) if (!take(trade)) this.#add(trade);
  }

  /** Recovery: these are all the waiting trades, and the log has them. */
  replace(trades: readonly HeldTrade[]): void {
    this.#waiting = [...trades];
    this.#unlogged = [];
    this.#counters.held = trades.length;
  }

  #add(trade: HeldTrade): void {
    this.#waiting.push(trade);
    this.#unlogged.push(trade);
    this.#counters.held = this.#waiting.length;
  }
}
