/**
 * A line of trades that the venue numbers 1, 2, 3 … without holes. It resumes behind the last number on the tape. A hole
 * is requested by its numbers while the live trades behind it wait. Numbers that the venue does not return, asked
 * several times, are lost: exactly these are reported.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS, MINUTE_NS, MS_NS_BIG } from '@tapeloom/core/units';
import { later } from '@tapeloom/core/utc-day';
import { LOST, type MissingIds } from '../watermark/gap-ledger.ts';
import { FirstTradeSearch } from './first-trade-search.ts';
import {
  type FeedTrade,
  type FirstTrade,
  instantOf,
  type Line,
  type LineOutput,
  type PageReading,
  type PageWish,
} from './line.ts';
import type { LineBudget } from './line-budget.ts';
import { LineQueue } from './line-queue.ts';

/** A trade may overtake another by this much without a request. */
const REORDER_NS = 100n * MS_NS_BIG;
/** How long a joining line waits for a live trade, which may make the request unnecessary. */
const JOIN_NS = 500n * MS_NS_BIG;
/** Requests without progress before numbers are lost, if pages have later ones. */
const TRIES_MAX = 5;
/** Otherwise the venue's pages may lag behind its stream: half a minute. */
const LAGGING_TRIES_MAX = 12;
const TRY_AGAIN_NS = 250n * MS_NS_BIG;
const NEVER_TRADED_NS = 60_000n * MS_NS_BIG;
/** Trades that wait for the tape before more pages are requested. */
const READY_MAX = 32_768;

export interface NumberedLineOptions {
  readonly symbol: string;
  readonly budget: LineBudget;
  /** The last number on the tape, -1 if none. */
  readonly lastId: number;
  /** What an earlier run left with `takePosition`. */
  readonly position: string | null;
  /** A line without a number to resume from begins with the first trade of this time; default: with the next one. */
  readonly beginAt?: EpochNs | null;
  /** Each subscription begins with the newest trades, so that joining needs no page. */
  readonly beginsWithNewest?: boolean;
}

export class NumberedLine implements Line {
  readonly symbol: string;
  readonly #budget: LineBudget;
  readonly #queue: LineQueue;
  readonly #beginsWithNewest: boolean;
  /** The next number to hand out; null: the line takes the first that it sees. */
  #next: number | null;
  /** Trades with greater numbers, ascending. */
  #waiting: FeedTrade[] = [];
  /** The highest number that was dropped for lack of memory, or that a page named. */
  #droppedTo = -1;
  /** The venue remembers neither this number nor any before it. */
  #forgottenTo = -1;
  /** The first live trade with a number that is on the tape; null: none has come. */
  #firstOld: FeedTrade | null = null;
  #connectedAt: EpochNs | null = null;
  #isJoined = false;
  #asked: PageWish | null = null;
  #tries = 0;
  #tryAgainAt: EpochNs | null = null;
  #holeSince: EpochNs | null = null;
  /** When a page last brought trades of the hole. */
  #progressAt: EpochNs | null = null;
  #isPositionNew = false;
  #search: FirstTradeSearch | null;
  first: FirstTrade | null = null;
  beginsBehind: EpochNs | null = null;
  fault: string | null = null;
  readonly leftOut = new Map<string, number>();

  constructor(options: NumberedLineOptions) {
    const { symbol, budget, lastId, position, beginsWithNewest = false } = options;
    this.symbol = symbol;
    this.#budget = budget;
    this.#queue = new LineQueue(budget);
    this.#beginsWithNewest = beginsWithNewest;
    const noted = position === null ? -1 : Number(position);
    const next = Math.max(lastId + 1, noted);
    this.#next = next > 0 ? next : null;
    const beginAt = options.beginAt ?? null;
    this.#search = next > 0 || beginAt === null ? null : new FirstTradeSearch(beginAt);
  }

  get isSearching(): boolean {
    return this.#search !== null;
  }

  endSearch(): void {
    this.#search = null;
  }

  get isWhole(): boolean {
    return this.#isJoined && !this.#hasHole && this.#queue.length === 0;
  }

  get holeSince(): EpochNs | null {
    return this.#hasHole ? (this.#progressAt ?? this.#holeSince) : null;
  }

  get #hasHole(): boolean {
    return this.#waiting.length > 0 || (this.#next !== null && this.#droppedTo >= this.#next);
  }

  get checkWish(): PageWish | null {
    return this.#isJoined && this.#next !== null
      ? { fromId: this.#next, toId: null, before: null }
      : null;
  }

  lacks(trades: readonly FeedTrade[]): boolean {
    const next = this.#next;
    return next !== null && trades.some(({ id }) => id >= next);
  }

  connected(now: EpochNs): void {
    this.#connectedAt = now;
    this.#isJoined = false;
  }

  disconnected(): void {
    this.#connectedAt = null;
    this.#isJoined = false;
  }

  live(trades: readonly FeedTrade[], now: EpochNs): void {
    for (const trade of trades) this.#live(trade);
    this.#drain(now);
  }

  wanted(now: EpochNs): PageWish | null {
    const isEarly = this.#tryAgainAt !== null && now < this.#tryAgainAt;
    if (this.#asked !== null || isEarly || this.#connectedAt === null) return null;
    if (this.#queue.length > READY_MAX || !this.#budget.hasRoomForPages) return null;
    const wish = this.#wish(now);
    this.#asked = wish;
    return wish;
  }

  page(wish: PageWish, reading: PageReading, now: EpochNs): void {
    this.#asked = null;
    if (this.#search !== null) this.#look(this.#search, wish, reading, now);
    else if (reading.kind === 'forgotten') this.#forgotten(wish, reading.oldestId, now);
    else if (wish.fromId === null) this.#newest(reading.trades, now);
    else this.#take(wish, reading, now);
  }

  #look(search: FirstTradeSearch, wish: PageWish, reading: PageReading, now: EpochNs): void {
    search.page(wish, reading);
    const isEmpty = reading.kind === 'trades' && reading.trades.length === 0;
    this.#tryAgainAt = isEmpty ? ((now + TRY_AGAIN_NS) as EpochNs) : null;
    if (search.found === null) return;
    this.#search = null;
    this.first = search.found;
    this.#next = search.found.id;
    this.#isPositionNew = this.#next !== null;
  }

  #take(wish: PageWish, reading: PageReading & { readonly kind: 'trades' }, now: EpochNs): void {
    const before = this.#next!;
    const end = this.#waiting[0]?.id;
    // While the memory of the venue is looked for, one trade tells enough.
    const isLooking = this.#forgottenTo >= before;
    reading.trades.forEach((trade, row) => {
      if (!isLooking || row === 0 || this.#budget.hasRoom) this.#add(trade, true);
    });
    // A page may end the hole later, begin it later, or both.
    const isShorter = this.#waiting[0]?.id !== end;
    if (this.#hasHole) this.#loseForgotten(now);
    this.#drain(now);
    if (this.#next! > before || isShorter) {
      this.#tries = 0;
      this.#tryAgainAt = null;
      this.#progressAt = now;
    } else if (this.#hasHole || !reading.isLast) {
      const isLagging = !reading.trades.some(({ id }) => id > before);
      this.#tryAgain(now, isLagging ? LAGGING_TRIES_MAX : TRIES_MAX);
    }
    // Behind a hole everything came live.
    if (!this.#hasHole && (wish.toId !== null || reading.isLast)) this.#join();
  }

  pageFailed(): void {
    this.#asked = null;
  }

  giveUp(now: EpochNs): void {
    this.#lose(this.#behindHole, now);
  }

  take(max: number): LineOutput | null {
    return this.#queue.take(max);
  }

  takePosition(): string | null {
    if (!this.#isPositionNew || this.#queue.length > 0) return null;
    this.#isPositionNew = false;
    return `${this.#next}`;
  }

  #wish(now: EpochNs): PageWish | null {
    if (this.#search !== null) return this.#search.wish();
    if (this.#hasHole) {
      // A trade may have overtaken the one before it, so that the hole closes by itself.
      if (now - this.#holeSince! < REORDER_NS) return null;
      const before = this.#waiting[0] ?? null;
      return { fromId: this.#holeFrom, toId: this.#behindHole - 1, before };
    }
    if (this.#isJoined || now - this.#connectedAt! < JOIN_NS) return null;
    if (this.#beginsWithNewest) return null;
    return { fromId: this.#next, toId: null, before: null };
  }

  /** The first number behind the hole. */
  get #behindHole(): number {
    return this.#waiting[0]?.id ?? this.#droppedTo + 1;
  }

  /** The beginning of the hole, or a number nearer to the beginning of the venue's memory, which lies in it. */
  get #holeFrom(): number {
    const [next, known] = [this.#next!, this.#forgottenTo];
    return known < next ? next : known + Math.ceil((this.#behindHole - known) / 2);
  }

  #live(trade: FeedTrade): void {
    // Requested again, once the line knows where it begins.
    if (this.#search !== null) return;
    if (this.#next === null) this.#begin(trade);
    if (trade.id < this.#next!) {
      // The stream has repeated the last one: nothing lies between.
      if (trade.id === this.#next! - 1) this.#join();
      this.#judgeOld(trade);
    } else this.#add(trade, false);
  }

  #begin(trade: FeedTrade): void {
    this.#next = trade.id;
    this.#isPositionNew = true;
    // Where the first trade is offered, its time and number tell where the line begins.
    if (trade.leftOut !== undefined) this.beginsBehind = (instantOf(trade) + 1n) as EpochNs;
  }

  /** Numbers that begin anew would all count as duplicates. A repeated past begins with its newest trade. */
  #judgeOld(trade: FeedTrade): void {
    const lastId = this.#next! - 1;
    const before = this.#queue.last ?? this.#firstOld;
    this.#firstOld ??= trade;
    const isRepeated = before === this.#firstOld && trade.id <= this.#firstOld.id;
    if (before === null || isRepeated || trade.id === lastId) return;
    const aheadNs = (trade.day - before.day) * DAY_NS + trade.ns - before.ns;
    if (aheadNs < MINUTE_NS) return;
    this.fault = `The venue's trade numbers went back from ${lastId} to ${trade.id}.`;
  }

  #add(trade: FeedTrade, isOfPage: boolean): void {
    const next = this.#next!;
    if (trade.id < next) return;
    if (!isOfPage && !this.#budget.hasRoom) {
      this.#droppedTo = Math.max(this.#droppedTo, trade.id);
      return;
    }
    if (trade.id === next && this.#waiting[0]?.id !== next) {
      this.#pass(trade, false);
      if (!isOfPage) this.#join();
      return;
    }
    this.#wait(trade);
  }

  /** The trade continues the line. `isCounted`: it has its share of the budget already. */
  #pass(trade: FeedTrade, isCounted: boolean): void {
    this.#next = trade.id + 1;
    const what = trade.leftOut;
    if (what === undefined) {
      this.#queue.push(trade, isCounted);
      return;
    }
    if (isCounted) this.#budget.free(1);
    this.leftOut.set(what, (this.leftOut.get(what) ?? 0) + 1);
    // Its number is not on the tape, from which a restart resumes.
    this.#isPositionNew = true;
  }

  #wait(trade: FeedTrade): void {
    const waiting = this.#waiting;
    if (waiting.length === 0 || waiting.at(-1)!.id < trade.id) waiting.push(trade);
    else {
      const at = placeOf(waiting, trade.id);
      if (waiting[at]?.id === trade.id) return;
      waiting.splice(at, 0, trade);
    }
    this.#budget.add(1);
  }

  /** Hands out the waiting trades that continue the line. */
  #drain(now: EpochNs): void {
    let count = 0;
    for (; this.#waiting[count] !== undefined; count += 1) {
      const trade = this.#waiting[count]!;
      if (trade.id > this.#next!) break;
      // The trade before it may have come while it waited.
      if (trade.id < this.#next!) this.#budget.free(1);
      else this.#pass(trade, true);
    }
    if (count > 0) {
      this.#waiting = this.#waiting.slice(count);
      if (this.#connectedAt !== null && !this.#hasHole) this.#join();
    }
    if (!this.#hasHole) {
      this.#holeSince = null;
      this.#progressAt = null;
    } else if (this.#holeSince === null || count > 0) {
      this.#holeSince = now;
      this.#tries = 0;
    }
  }

  #join(): void {
    if (this.#connectedAt !== null) this.#isJoined = true;
  }

  #newest(trades: readonly FeedTrade[], now: EpochNs): void {
    if (this.#next !== null) return;
    if (trades.length === 0) {
      // A contract that was never traded has no number to resume from: its line begins with its first trade.
      this.#tryAgainAt = (now + NEVER_TRADED_NS) as EpochNs;
      return;
    }
    for (const trade of trades) {
      this.#next = Math.max(this.#next ?? 0, trade.id + 1);
      const behind = (instantOf(trade) + 1n) as EpochNs;
      this.beginsBehind = later(this.beginsBehind ?? behind, behind);
    }
    this.#isPositionNew = true;
    this.#join();
  }

  /** A venue may not say where its memory begins. In a hole that is looked for, by halves. */
  #forgotten({ fromId, toId }: PageWish, oldestId: number | null, now: EpochNs): void {
    if (oldestId !== null && this.#next !== null && oldestId > this.#next) {
      this.#droppedTo = Math.max(this.#droppedTo, oldestId - 1);
      this.#lose(oldestId, now);
    } else if (oldestId === null && fromId !== null && toId !== null && this.#hasHole) {
      this.#forgottenTo = fromId;
      this.#loseForgotten(now);
    } else this.#tryAgain(now);
  }

  /** All numbers of the hole are known to be forgotten. */
  #loseForgotten(now: EpochNs): void {
    if (this.#behindHole <= this.#forgottenTo + 1) this.#lose(this.#behindHole, now);
  }

  #tryAgain(now: EpochNs, triesMax = TRIES_MAX): void {
    this.#tries += 1;
    const doublings = Math.min(this.#tries, TRIES_MAX) - 1;
    this.#tryAgainAt = (now + TRY_AGAIN_NS * BigInt(2 ** doublings)) as EpochNs;
    if (this.#tries >= triesMax && this.#hasHole) this.giveUp(now);
  }

  /** The numbers before `untilId` are lost. */
  #lose(untilId: number, now: EpochNs): void {
    if (this.#next === null || untilId <= this.#next) return;
    const ids: MissingIds = { firstId: this.#next, lastId: untilId - 1 };
    const { last } = this.#queue;
    const [after] = this.#waiting;
    const from = last === null ? (0n as EpochNs) : ((instantOf(last) + 1n) as EpochNs);
    const to = after === undefined ? from : instantOf(after);
    this.#queue.lose({ from, to, ids, reason: LOST });
    this.#next = untilId;
    this.#isPositionNew = true;
    this.#tries = 0;
    this.#tryAgainAt = null;
    this.#drain(now);
  }
}

function placeOf(trades: readonly FeedTrade[], id: number): number {
  let [low, high] = [0, trades.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (trades[middle]!.id < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
