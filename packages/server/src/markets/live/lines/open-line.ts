/**
 * A line of trades that have a text but no number, from a venue that returns its newest trades only. After each connect
 * the newest trades are requested. If they reach back to the last trade that was handed out, the line goes on without
 * loss; otherwise the time between is a loss. Such a feed cannot prove that its live stream is complete.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayFromNumber, epochNs } from '@tapeloom/core/utc-day';
import {
  type FeedTrade,
  instantOf,
  type Line,
  type LineOutput,
  type PageReading,
  type PageWish,
} from './line.ts';
import type { LineBudget } from './line-budget.ts';
import { LineQueue } from './line-queue.ts';

/** Texts of the newest trades, to drop those that a venue sends twice. */
const KEYS_MAX = 4_096;

interface Place {
  readonly id: number;
  readonly key: string;
  readonly day: number;
  readonly ns: number;
}

export class OpenLine implements Line {
  readonly symbol: string;
  readonly #budget: LineBudget;
  readonly #queue: LineQueue;
  #place: Place | null;
  #nextId: number;
  readonly #keys = new Set<string>();
  /** Live trades that wait for the newest trades of the past. */
  #waiting: FeedTrade[] = [];
  #connectedAt: EpochNs | null = null;
  #isJoined = false;
  #isAsked = false;
  /** The last one taken whose place was not noted. */
  #taken: FeedTrade | null = null;
  readonly beginsBehind = null;
  readonly fault = null;
  readonly checkWish: PageWish = { fromId: null, toId: null, before: null };

  constructor(options: {
    readonly symbol: string;
    readonly budget: LineBudget;
    readonly lastId: number;
    readonly position: string | null;
  }) {
    this.symbol = options.symbol;
    this.#budget = options.budget;
    this.#queue = new LineQueue(options.budget);
    this.#place = options.position === null ? null : (JSON.parse(options.position) as Place);
    this.#nextId = Math.max(this.#place?.id ?? -1, options.lastId) + 1;
  }

  get isWhole(): boolean {
    return this.#isJoined && this.#queue.length === 0;
  }

  get holeSince(): EpochNs | null {
    return this.#waiting.length > 0 ? this.#connectedAt : null;
  }

  connected(now: EpochNs): void {
    this.#connectedAt = now;
    this.#isJoined = false;
  }

  disconnected(): void {
    this.#connectedAt = null;
    this.#isJoined = false;
    this.#drop();
  }

  live(trades: readonly FeedTrade[]): void {
    for (const trade of trades) {
      if (this.#isJoined) this.#emit(trade);
      else if (this.#budget.hasRoom) {
        this.#waiting.push(trade);
        this.#budget.add(1);
      } else this.#drop();
    }
  }

  wanted(): PageWish | null {
    if (this.#connectedAt === null || this.#isJoined || this.#isAsked) return null;
    this.#isAsked = true;
    return { fromId: null, toId: null, before: null };
  }

  page(_wish: PageWish, reading: PageReading): void {
    this.#isAsked = false;
    if (this.#connectedAt === null || this.#isJoined) return;
    this.#bridge(reading.kind === 'trades' ? reading.trades : []);
  }

  pageFailed(): void {
    this.#isAsked = false;
  }

  giveUp(): void {
    if (this.#waiting.length > 0) this.#bridge([]);
  }

  lacks(trades: readonly FeedTrade[]): boolean {
    const at = trades.findLastIndex(({ key }) => key === this.#place?.key);
    return at < trades.length - 1;
  }

  take(max: number): LineOutput | null {
    const output = this.#queue.take(max);
    const last = output?.trades.at(-1);
    if (last !== undefined) this.#taken = last;
    return output;
  }

  takePosition(): string | null {
    if (this.#taken === null) return null;
    const { id, key = '', day, ns } = this.#taken;
    this.#taken = null;
    return JSON.stringify({ id, key, day, ns } satisfies Place);
  }

  /** `past`: the newest trades of the venue, in its order. */
  #bridge(past: readonly FeedTrade[]): void {
    const place = this.#place;
    const at = place === null ? -1 : past.findIndex(({ key }) => key === place.key);
    const trades = [...past.slice(at + 1), ...this.#waiting];
    const [first] = trades;
    if (place !== null && at < 0 && first === undefined) return;
    if (place !== null && at < 0) this.#lose(place, first!);
    this.#drop();
    this.#isJoined = true;
    // Trades that were committed without their place get the same numbers again.
    if (place !== null && at >= 0) this.#nextId = place.id + 1;
    for (const trade of trades) this.#emit(trade);
  }

  #lose(place: Place, first: FeedTrade): void {
    const from = epochNs(dayFromNumber(place.day), place.ns);
    const to = instantOf(first);
    this.#queue.lose({ from, to: to > from ? to : from, ids: null, reason: 'not bridged' });
  }

  #emit(trade: FeedTrade): void {
    const key = trade.key ?? '';
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    if (this.#keys.size > KEYS_MAX) this.#keys.delete(this.#keys.values().next().value!);
    const id = this.#nextId;
    this.#nextId += 1;
    this.#queue.push({ ...trade, id });
    this.#place = { id, key, day: trade.day, ns: trade.ns };
  }

  #drop(): void {
    this.#budget.free(this.#waiting.length);
    this.#waiting = [];
  }
}
