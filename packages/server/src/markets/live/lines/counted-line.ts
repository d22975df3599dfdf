/**
 * A line of trades without numbers, from a venue that repeats its stream from a time on in the same order. The place in
 * the stream is committed with the trades: a second to repeat from, how many trades to skip, and the last one of them.
 * If the repeated trades do not end in that one, completeness is not proven and the time between is a loss.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_SECONDS, SECOND_NS } from '@tapeloom/core/units';
import { dayFromNumber, dayOf, epochNs, later } from '@tapeloom/core/utc-day';
import {
  type FeedTrade,
  type FirstTrade,
  instantOf,
  type Line,
  type LineOutput,
  type PageWish,
} from './line.ts';
import type { LineBudget } from './line-budget.ts';
import { LineQueue } from './line-queue.ts';

/** Repeated and compared at each reconnect. */
const OVERLAP_SECONDS = 10;

interface Place {
  readonly id: number;
  /** The time to repeat from: a second since 1970, and nanoseconds in it. Everything since was handed out. */
  readonly from: number;
  readonly fromNs: number;
  /** The time of the latest one of the trades that were handed out. */
  readonly lastDay: number;
  readonly lastNs: number;
}

/** The place with what is compared there. */
interface WrittenPlace extends Place {
  /** How many trades since `from` were handed out, by second. */
  readonly seconds: readonly (readonly [second: number, trades: number])[];
  /** The last one of them, as text. */
  readonly last: string;
}

export class CountedLine implements Line {
  readonly symbol: string;
  readonly #queue: LineQueue;
  readonly #watermark: () => EpochNs | null;
  #place: Place | null;
  /** The last one that was handed out: a trade, or its text. */
  #last: FeedTrade | string;
  #nextId: number;
  /** The last number on the tape when the line was made. Those behind the place have no known time. */
  readonly #lastId: number;
  /** Trades handed out by second, of the time that a reconnect repeats. Empty behind a loss: nothing can be compared. */
  readonly #seconds: Map<number, number>;
  /** How many repeated trades are still to be skipped; null: not connected. */
  #toSkip: number | null = null;
  /** The venue was asked to repeat, and has not said that it did. */
  #isRepeating = false;
  /** The end of the venue's memory, when it was asked. */
  #remembersFrom: EpochNs | null = null;
  /** Whether a new trade, or the end of the repetition, would come behind an unknown number of missing trades. */
  #isUnproven = false;
  /** Trades that are no later than this place were handed out, or are lost. */
  #doneBehind: Place | null = null;
  /** Trades were committed without a place: those behind them are unknown. */
  #isOrphan: boolean;
  #waitsSince: EpochNs | null = null;
  #isPositionNew = false;
  /** Where an empty tape begins, if the venue remembers it. */
  #beginAt: EpochNs | null;
  isSearching: boolean;
  first: FirstTrade | null = null;
  readonly checkWish = null;
  readonly beginsBehind = null;
  readonly fault = null;

  constructor(options: {
    readonly symbol: string;
    readonly budget: LineBudget;
    readonly lastId: number;
    readonly position: string | null;
    readonly beginAt?: EpochNs | null;
    readonly watermark?: () => EpochNs | null;
  }) {
    this.symbol = options.symbol;
    this.#queue = new LineQueue(options.budget);
    this.#watermark = options.watermark ?? (() => null);
    const { position } = options;
    const place = position === null ? null : (JSON.parse(position) as WrittenPlace);
    this.#place = place;
    this.#last = place?.last ?? '';
    // The numbers follow from the place alone: trades that were committed without their place get the same ones again.
    this.#nextId = (place?.id ?? options.lastId) + 1;
    this.#lastId = options.lastId;
    this.#seconds = new Map(place?.seconds);
    this.#isOrphan = place === null && options.lastId >= 0;
    this.#beginAt = this.#nextId === 0 ? (options.beginAt ?? null) : null;
    this.isSearching = this.#beginAt !== null;
  }

  endSearch(): void {
    this.isSearching = false;
    this.#beginAt = null;
  }

  /** The time from which the venue must repeat its stream; null: from now on. */
  get repeatFrom(): EpochNs | null {
    if (this.#isOrphan) return null;
    if (this.#place === null || this.#seconds.size === 0) return this.#watermark() ?? this.#beginAt;
    const { from, fromNs } = this.#place;
    const day = dayFromNumber(Math.trunc(from / DAY_SECONDS));
    return epochNs(day, (from % DAY_SECONDS) * SECOND_NS + fromNs);
  }

  /**
   * What to ask of a venue that says when it has repeated its stream: a time; 0 for all that it remembers; null for
   * nothing. `remembersFrom`: it certainly remembers everything since.
   */
  repeatSince(remembersFrom: EpochNs): EpochNs | null {
    if (this.#beginAt !== null) this.#beginAt = later(this.#beginAt, remembersFrom);
    const from = this.repeatFrom;
    this.#isRepeating = from !== null;
    this.#remembersFrom = remembersFrom;
    if (from === null || from >= remembersFrom) return from;
    return 0n as EpochNs;
  }

  get isWhole(): boolean {
    return (
      this.#toSkip === 0 && !this.#isRepeating && !this.#isUnproven && this.#queue.length === 0
    );
  }

  get holeSince(): EpochNs | null {
    return this.#isRepeating ? this.#waitsSince : null;
  }

  connected(now: EpochNs): void {
    this.#toSkip = this.#seconds.values().reduce((sum, count) => sum + count, 0);
    this.#doneBehind = this.#seconds.size === 0 ? this.#place : null;
    this.#waitsSince = now;
    this.#isUnproven = this.#isOrphan || this.#mustCompare();
  }

  disconnected(): void {
    this.#toSkip = null;
    this.#isRepeating = false;
    this.#waitsSince = null;
  }

  live(trades: readonly FeedTrade[], now: EpochNs): void {
    if (this.#isRepeating) this.#waitsSince = now;
    for (const trade of trades) this.#live(trade);
  }

  repeated(at: EpochNs): void {
    if (!this.#isRepeating || this.#toSkip === null) return;
    this.isSearching = false;
    this.#isRepeating = false;
    if (this.#toSkip > 0) this.#doneBehind = this.#place;
    this.#toSkip = 0;
    if (this.#isUnproven) this.#lose(at);
  }

  wanted(): PageWish | null {
    return null;
  }

  page(): void {}

  pageFailed(): void {}

  /** The venue does not say that it has repeated its stream. */
  giveUp(now: EpochNs): void {
    this.repeated(now);
  }

  lacks(): boolean {
    return false;
  }

  take(max: number): LineOutput | null {
    return this.#queue.take(max);
  }

  takePosition(): string | null {
    // The place is behind all trades: it is committed with the last of them.
    const place = this.#place;
    if (!this.#isPositionNew || place === null || this.#queue.length > 0) return null;
    this.#isPositionNew = false;
    const seconds = [...this.#seconds];
    return JSON.stringify({ ...place, seconds, last: textOf(this.#last) } satisfies WrittenPlace);
  }

  /** A silent contract's last trade may be out of the venue's memory. Then it is enough that the tape reaches into it. */
  #mustCompare(): boolean {
    const from = this.repeatFrom;
    const remembersFrom = this.#remembersFrom;
    const isForgotten = from !== null && remembersFrom !== null && from < remembersFrom;
    // Behind a loss there is nothing to compare until the next trade: another cut before it is another loss.
    if (!isForgotten) return this.#place !== null;
    const watermark = this.#watermark();
    return watermark === null || watermark < remembersFrom;
  }

  #live(trade: FeedTrade): void {
    if (this.#toSkip === null) return;
    const place = this.#place;
    if (this.#toSkip > 0 && place !== null) {
      if (!isSince(trade, place)) return;
      // A later trade than all that were handed out: the venue has repeated fewer of them.
      if (!isLater(trade, place)) {
        this.#toSkip -= 1;
        if (this.#toSkip > 0) return;
        if (textOf(trade) === textOf(this.#last)) this.#isUnproven = false;
        else this.#doneBehind = place;
        return;
      }
      this.#toSkip = 0;
      this.#doneBehind = place;
    }
    if (this.#doneBehind !== null && !isLater(trade, this.#doneBehind)) return;
    if (this.#isUnproven) {
      // It may be on the tape: what is repeated cannot be told from the trades behind the place, so all of it is lost.
      if (this.#isRepeating && this.#lastId >= this.#nextId) return;
      this.#lose(instantOf(trade));
    }
    this.#emit(trade);
  }

  #lose(until: EpochNs): void {
    this.#isUnproven = false;
    this.#isOrphan = false;
    this.#seconds.clear();
    const place = this.#place;
    const from = place === null ? this.#knownUntil(until) : placeInstant(place);
    const to = until > from ? until : from;
    const firstId = Math.max(this.#nextId, this.#lastId + 1);
    this.#nextId = firstId;
    this.#queue.lose({ from, to, ids: null, firstId, reason: 'not repeated' });
  }

  #knownUntil(until: EpochNs): EpochNs {
    return this.#watermark() ?? epochNs(dayOf(until), 0);
  }

  #emit(trade: FeedTrade): void {
    const id = this.#nextId;
    if (this.isSearching) this.#begin(trade);
    this.#nextId += 1;
    this.#queue.push({ ...trade, id });
    this.#isPositionNew = true;
    const before = this.#place;
    const second = secondOf(trade);
    const start = this.#startBehind(trade, second);
    if (start.from !== before?.from) {
      for (const known of this.#seconds.keys()) if (known < start.from) this.#seconds.delete(known);
    }
    if (isSince(trade, start)) this.#seconds.set(second, (this.#seconds.get(second) ?? 0) + 1);
    const isNewest = before === null || isLater(trade, before);
    const lastDay = isNewest ? trade.day : before.lastDay;
    const lastNs = isNewest ? trade.ns : before.lastNs;
    this.#last = trade;
    const { from, fromNs } = start;
    this.#place = { id, from, fromNs, lastDay, lastNs };
  }

  /** The venue may remember less than was asked for, and does not say so: what it repeats first is the beginning. */
  #begin(trade: FeedTrade): void {
    this.isSearching = false;
    this.first = { id: this.#nextId, from: instantOf(trade) };
  }

  /** From where on to repeat once this trade is handed out. Before the first one there may have been others. */
  #startBehind({ ns }: FeedTrade, second: number): Pick<Place, 'from' | 'fromNs'> {
    const before = this.#place;
    if (before === null || this.#seconds.size === 0)
      return { from: second, fromNs: ns % SECOND_NS };
    const from = second - OVERLAP_SECONDS;
    return from > before.from ? { from, fromNs: 0 } : before;
  }
}

function isSince(trade: FeedTrade, { from, fromNs }: Pick<Place, 'from' | 'fromNs'>): boolean {
  const second = secondOf(trade);
  return second > from || (second === from && trade.ns % SECOND_NS >= fromNs);
}

function isLater(
  { day, ns }: Pick<FeedTrade, 'day' | 'ns'>,
  { lastDay, lastNs }: Pick<Place, 'lastDay' | 'lastNs'>,
): boolean {
  return day > lastDay || (day === lastDay && ns > lastNs);
}

function placeInstant({ lastDay, lastNs }: Place): EpochNs {
  return epochNs(dayFromNumber(lastDay), lastNs);
}

function secondOf({ day, ns }: Pick<FeedTrade, 'day' | 'ns'>): number {
  return day * DAY_SECONDS + Math.trunc(ns / SECOND_NS);
}

function textOf(trade: FeedTrade | string): string {
  if (typeof trade === 'string') return trade;
  const { day, ns, price, size, side } = trade;
  return `${day} ${ns} ${price} ${size} ${side}`;
}
