/**
 * A line of trades that have a text but no number, from a venue that returns its newest trades only. After each connect
 * the newest trades are requested. If they reach from the last trade that was handed out to the first live one, the line
 * goes on without loss; otherwise the time between is a loss. Such a feed cannot prove that its live stream is complete.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG, MS_NS_BIG } from '@tapeloom/core/units';
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
import { isLater, isSameInstant, type OpenPlace, placeBehind } from './open-place.ts';

/** Texts of the newest trades, to drop those that a venue sends twice. */
const KEYS_MAX = 4_096;
/** The venue's pages may lag behind its stream by this much. */
const JOIN_NS = 500n * MS_NS_BIG;
/** Requests that do not reach the first live trade before the time between is a loss. */
const TRIES_MAX = 5;
const TRY_AGAIN_NS = 250n * MS_NS_BIG;

export class OpenLine implements Line {
  readonly symbol: string;
  readonly #budget: LineBudget;
  readonly #queue: LineQueue;
  /** The last trade that was handed to the queue. */
  #last: Pick<OpenPlace, 'id' | 'day' | 'ns'> | null;
  #nextId: number;
  readonly #keys: Set<string>;
  /** Whether the tape has trades whose texts are unknown. */
  #hasUnknown: boolean;
  /** Live trades that wait for the newest trades of the past. */
  #waiting: FeedTrade[] = [];
  #connectedAt: EpochNs | null = null;
  #isJoined = false;
  /** Counts the beginnings of `waiting`: a page that was requested before does not prove what was traded before it. */
  #attempt = 0;
  /** The attempt of the page that is requested; null: none is. */
  #asked: number | null = null;
  #tries = 0;
  #tryAgainAt: EpochNs | null = null;
  /** Behind the last trade that was taken. */
  #place: OpenPlace | null;
  #isPlaceNew = false;
  beginsBehind: EpochNs | null = null;
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
    this.#place = options.position === null ? null : (JSON.parse(options.position) as OpenPlace);
    this.#last = this.#place;
    this.#keys = new Set(this.#place?.keys);
    const id = this.#place?.id ?? -1;
    this.#nextId = Math.max(id, options.lastId) + 1;
    this.#hasUnknown = options.lastId > id;
  }

  get isWhole(): boolean {
    return this.#isJoined && this.#queue.length === 0;
  }

  get holeSince(): EpochNs | null {
    return this.#waiting.length > 0 ? this.#connectedAt : null;
  }

  connected(now: EpochNs): void {
    this.#connectedAt = now;
    this.#part();
  }

  disconnected(): void {
    this.#connectedAt = null;
    this.#part();
  }

  live(trades: readonly FeedTrade[]): void {
    for (const trade of trades) {
      if (!this.#budget.hasRoom) this.#part();
      else if (this.#isJoined) this.#emit(trade);
      else if (this.#isNew) {
        this.#isJoined = true;
        this.#emit(trade);
      } else {
        this.#waiting.push(trade);
        this.#budget.add(1);
      }
    }
  }

  wanted(now: EpochNs): PageWish | null {
    const since = this.#connectedAt;
    if (since === null || this.#isJoined || this.#asked !== null) return null;
    const isEarly = this.#tryAgainAt !== null && now < this.#tryAgainAt;
    if (isEarly || now - since < JOIN_NS || !this.#budget.hasRoomForPages) return null;
    this.#asked = this.#attempt;
    return this.checkWish;
  }

  page(_wish: PageWish, reading: PageReading, now: EpochNs): void {
    const isOld = this.#asked !== this.#attempt;
    this.#asked = null;
    if (isOld || this.#connectedAt === null || this.#isJoined) return;
    const past = reading.kind === 'trades' ? reading.trades : [];
    const isEnough = this.#isNew ? past.length > 0 : this.#isDecided(past);
    if (!isEnough) this.#tryAgain(past, now);
    else if (this.#isNew) this.#beginBehind(past);
    else this.#bridge(past);
  }

  pageFailed(): void {
    this.#asked = null;
  }

  giveUp(): void {
    if (this.#waiting.length > 0) this.#bridge([]);
  }

  lacks(trades: readonly FeedTrade[]): boolean {
    const newest = trades.at(-1);
    return newest !== undefined && !this.#knows(newest);
  }

  take(max: number): LineOutput | null {
    const output = this.#queue.take(max);
    if (output !== null && output.trades.length > 0) {
      this.#place = placeBehind(this.#place, output.trades);
      this.#isPlaceNew = true;
    }
    return output;
  }

  takePosition(): string | null {
    if (!this.#isPlaceNew) return null;
    this.#isPlaceNew = false;
    return JSON.stringify(this.#place);
  }

  /** The tape has no trade of this contract: there is nothing to bridge. */
  get #isNew(): boolean {
    return this.#last === null && !this.#hasUnknown;
  }

  /** Live trades no longer follow those that were handed out. */
  #part(): void {
    this.#budget.free(this.#waiting.length);
    this.#waiting = [];
    this.#isJoined = false;
    this.#attempt += 1;
    this.#tries = 0;
    this.#tryAgainAt = null;
  }

  /** Whether no later page can prove more than this one. */
  #isDecided(past: readonly FeedTrade[]): boolean {
    if (!this.#meets(past)) return false;
    if (past.some((trade) => this.#knows(trade))) return true;
    const [oldest] = past;
    return oldest !== undefined && (this.#last === null || isLater(oldest, this.#last));
  }

  /** Whether the page reaches the first live trade. */
  #meets(past: readonly FeedTrade[]): boolean {
    const [first] = this.#waiting;
    return first === undefined || past.some(({ key }) => key === first.key);
  }

  #tryAgain(past: readonly FeedTrade[], now: EpochNs): void {
    if (this.#tries === TRIES_MAX && this.#waiting.length > 0) {
      this.#bridge(past);
      return;
    }
    this.#tries = Math.min(this.#tries + 1, TRIES_MAX);
    const waitNs = this.#isNew ? MINUTE_NS_BIG : TRY_AGAIN_NS * BigInt(2 ** (this.#tries - 1));
    this.#tryAgainAt = (now + waitNs) as EpochNs;
  }

  /** The line begins behind the newest trade, with the next one that is traded. */
  #beginBehind(past: readonly FeedTrade[]): void {
    const newest = past.at(-1)!;
    this.beginsBehind = (instantOf(newest) + 1n) as EpochNs;
    this.#isJoined = true;
    this.#resumeBehind(past);
  }

  /** The newest of these trades takes the place of the last that was handed out. */
  #resumeBehind(past: readonly FeedTrade[]): void {
    const id = this.#nextId - 1;
    const place = placeBehind(
      null,
      past.map((trade) => ({ ...trade, id })),
    );
    this.#last = place;
    this.#place = place;
    this.#isPlaceNew = true;
    for (const key of place.keys) this.#remember(key);
  }

  /** `past`: the newest trades of the venue, in its order. */
  #bridge(past: readonly FeedTrade[]): void {
    const waiting = this.#waiting;
    const at = past.findLastIndex((trade) => this.#knows(trade));
    const meets = this.#meets(past);
    const behindTape = this.#nextId;
    const rows = this.#rowsToEmit(past, at, meets);
    const first = rows[0] ?? waiting[0];
    if (at < 0) this.#lose(first ?? past.at(-1)!);
    // Trades that were committed without their place get the same numbers again.
    else if (this.#last !== null) this.#nextId = this.#last.id + 1;
    this.#part();
    this.#isJoined = true;
    this.#hasUnknown = false;
    for (const trade of rows) this.#emit(trade);
    this.#nextId = Math.max(this.#nextId, behindTape);
    if (at < 0 && first === undefined) this.#resumeBehind(past);
    if (at >= 0 && !meets) this.#lose(waiting[0]!);
    for (const trade of waiting) this.#emit(trade);
  }

  /** The page's trades that are not on the tape, as far as they lie on the side of the loss where all are known. */
  #rowsToEmit(past: readonly FeedTrade[], at: number, meets: boolean): readonly FeedTrade[] {
    const last = this.#last;
    // The venue's page may have another order inside of one time stamp.
    const isBeside = (trade: FeedTrade) =>
      last !== null && isSameInstant(trade, last) && !this.#knows(trade);
    if (at >= 0) return past.filter((trade, index) => index > at || isBeside(trade));
    if (this.#hasUnknown || !meets) return [];
    return past.filter((trade) => last === null || isLater(trade, last));
  }

  #lose(until: FeedTrade): void {
    const last = this.#last;
    const from = last === null ? (0n as EpochNs) : instantOf(last);
    const to = instantOf(until);
    this.#queue.lose({
      from,
      to: to > from ? to : from,
      ids: null,
      firstId: this.#nextId,
      reason: 'not bridged',
    });
  }

  #emit(trade: FeedTrade): void {
    if (this.#knows(trade)) return;
    this.#remember(trade.key ?? '');
    const id = this.#nextId;
    this.#nextId += 1;
    this.#queue.push({ ...trade, id });
    this.#last = { id, day: trade.day, ns: trade.ns };
  }

  #knows({ key = '' }: FeedTrade): boolean {
    return this.#keys.has(key);
  }

  #remember(key: string): void {
    this.#keys.add(key);
    if (this.#keys.size > KEYS_MAX) this.#keys.delete(this.#keys.values().next().value!);
  }
}
