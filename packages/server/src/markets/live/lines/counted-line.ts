/**
 * A line of trades without numbers, from a venue that repeats its stream from a time on in the same order. The place in
 * the stream is committed with the trades: a second to repeat from, how many trades to skip, and the last one of them.
 * If the repeated trades do not end in that one, completeness is not proven and the time between is a loss.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_SECONDS, SECOND_NS } from '@tapeloom/core/units';
import { dayFromNumber, epochNs } from '@tapeloom/core/utc-day';
import { type FeedTrade, instantOf, type Line, type LineOutput, type PageWish } from './line.ts';
import type { LineBudget } from './line-budget.ts';
import { LineQueue } from './line-queue.ts';

/** Repeated and compared at each reconnect. */
const OVERLAP_SECONDS = 10;

interface Place {
  readonly id: number;
  /** The second to repeat from, since 1970. */
  readonly from: number;
  /** How many trades of that second and later ones were handed out, by second. */
  readonly seconds: readonly (readonly [second: number, trades: number])[];
  /** The last one of them, as text. */
  readonly last: string;
  readonly lastDay: number;
  readonly lastNs: number;
}

export class CountedLine implements Line {
  readonly symbol: string;
  readonly #queue: LineQueue;
  #place: Place | null;
  #nextId: number;
  /** Trades handed out by second, of the seconds that a reconnect repeats. */
  readonly #seconds: Map<number, number>;
  /** How many repeated trades are still to be skipped; null: not connected. */
  #toSkip: number | null = null;
  #skipped: FeedTrade | null = null;
  #isPositionNew = false;
  readonly holeSince = null;
  readonly checkWish = null;
  readonly beginsBehind = null;
  readonly fault = null;

  constructor(options: {
    readonly symbol: string;
    readonly budget: LineBudget;
    readonly lastId: number;
    readonly position: string | null;
  }) {
    this.symbol = options.symbol;
    this.#queue = new LineQueue(options.budget);
    this.#place = options.position === null ? null : (JSON.parse(options.position) as Place);
    // The numbers follow from the place alone: trades that were committed without their place get the same ones again.
    this.#nextId = this.#place === null ? options.lastId + 1 : this.#place.id + 1;
    this.#seconds = new Map(this.#place?.seconds);
  }

  /** The time from which the venue must repeat its stream; null: from now on. */
  get repeatFrom(): EpochNs | null {
    if (this.#place === null) return null;
    const { from } = this.#place;
    return epochNs(dayFromNumber(Math.trunc(from / DAY_SECONDS)), (from % DAY_SECONDS) * SECOND_NS);
  }

  get isWhole(): boolean {
    return this.#toSkip === 0 && this.#queue.length === 0;
  }

  connected(): void {
    this.#toSkip = this.#seconds.values().reduce((sum, count) => sum + count, 0);
    this.#skipped = null;
  }

  disconnected(): void {
    this.#toSkip = null;
  }

  live(trades: readonly FeedTrade[]): void {
    for (const trade of trades) this.#live(trade);
  }

  wanted(): PageWish | null {
    return null;
  }

  page(): void {}

  pageFailed(): void {}

  /** Nothing waits for a page. */
  giveUp(): void {}

  lacks(): boolean {
    return false;
  }

  take(max: number): LineOutput | null {
    return this.#queue.take(max);
  }

  takePosition(): string | null {
    // The place is behind all trades: it is committed with the last of them.
    if (!this.#isPositionNew || this.#queue.length > 0) return null;
    this.#isPositionNew = false;
    return JSON.stringify(this.#place);
  }

  #live(trade: FeedTrade): void {
    if (this.#toSkip === null) return;
    const place = this.#place;
    if (this.#toSkip > 0 && place !== null) {
      if (secondOf(trade) < place.from) return;
      // A later trade than all that were handed out: the venue has repeated fewer of them.
      if (!isLater(trade, place)) {
        this.#toSkip -= 1;
        this.#skipped = trade;
        if (this.#toSkip > 0 || textOf(trade) === place.last) return;
      }
      this.#toSkip = 0;
      this.#lose(place, trade);
      if (trade === this.#skipped) return;
    }
    this.#emit(trade);
  }

  #lose(place: Place, first: FeedTrade): void {
    const from = epochNs(dayFromNumber(place.lastDay), place.lastNs);
    const to = instantOf(first);
    this.#queue.lose({ from, to: to > from ? to : from, ids: null, reason: 'not repeated' });
  }

  #emit(trade: FeedTrade): void {
    const second = secondOf(trade);
    const id = this.#nextId;
    this.#nextId += 1;
    this.#queue.push({ ...trade, id });
    this.#isPositionNew = true;
    const before = this.#place;
    const from = Math.max(before?.from ?? 0, second - OVERLAP_SECONDS);
    for (const known of this.#seconds.keys()) if (known < from) this.#seconds.delete(known);
    if (second >= from) this.#seconds.set(second, (this.#seconds.get(second) ?? 0) + 1);
    const isNewest = before === null || isLater(trade, before);
    const lastDay = isNewest ? trade.day : before.lastDay;
    const lastNs = isNewest ? trade.ns : before.lastNs;
    this.#place = { id, from, seconds: [...this.#seconds], last: textOf(trade), lastDay, lastNs };
  }
}

function isLater(
  { day, ns }: Pick<FeedTrade, 'day' | 'ns'>,
  { lastDay, lastNs }: Pick<Place, 'lastDay' | 'lastNs'>,
): boolean {
  return day > lastDay || (day === lastDay && ns > lastNs);
}

function secondOf({ day, ns }: Pick<FeedTrade, 'day' | 'ns'>): number {
  return day * DAY_SECONDS + Math.trunc(ns / SECOND_NS);
}

function textOf({ day, ns, price, size, side }: FeedTrade): string {
  return `${day} ${ns} ${price} ${size} ${side}`;
}
