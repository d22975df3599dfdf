/**
 * A line of numbered trades from a venue whose pages have keys instead of numbers. Rows of pages are collected from the
 * trade behind a hole backwards. They get numbers only when they reach the last trade before the hole, and are exactly
 * as many as the hole has numbers: a page that lacks or doubles a row proves nothing.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import {
  type FeedTrade,
  instantOf,
  type Line,
  type LineOutput,
  type PageReading,
  type PageWish,
} from './line.ts';
import type { LineBudget } from './line-budget.ts';
import { NumberedLine, type NumberedLineOptions } from './numbered-line.ts';

const PROVES_NOTHING: PageReading = { kind: 'trades', trades: [], isLast: false };

type KeyedTrade = FeedTrade & { readonly key: string };
/** A trade whose number and key are known. */
type Known = Pick<KeyedTrade, 'id' | 'key'>;

interface Place {
  /** The position of the numbered line. */
  readonly next: string | null;
  readonly known: Known | null;
}

export class KeyedPagesLine implements Line {
  readonly #line: NumberedLine;
  readonly #budget: LineBudget;
  #next: string | null;
  /** The last trade that was handed out: every hole is behind it. */
  #known: Known | null;
  #isKnownNew = false;
  /** The last live trade. */
  #newest: FeedTrade | null = null;
  /** The page that the numbered line has asked for. */
  #asked: PageWish | null = null;
  /** The trade behind the hole, and the rows before it, newest first. */
  #end: KeyedTrade | null = null;
  #rows: FeedTrade[] = [];
  readonly #keys = new Set<string>();

  constructor(options: NumberedLineOptions) {
    const place = options.position === null ? null : (JSON.parse(options.position) as Place);
    this.#next = place?.next ?? null;
    this.#known = place?.known ?? null;
    this.#line = new NumberedLine({ ...options, position: this.#next });
    this.#budget = options.budget;
  }

  get symbol(): string {
    return this.#line.symbol;
  }

  get isWhole(): boolean {
    return this.#line.isWhole;
  }

  get holeSince(): EpochNs | null {
    return this.#line.holeSince;
  }

  get checkWish(): PageWish | null {
    return this.#line.checkWish;
  }

  get beginsBehind(): EpochNs | null {
    return this.#line.beginsBehind;
  }

  get fault(): string | null {
    return this.#line.fault;
  }

  get leftOut(): ReadonlyMap<string, number> {
    return this.#line.leftOut;
  }

  /** Only times can be compared. */
  lacks(trades: readonly FeedTrade[]): boolean {
    if (this.#newest === null) return false;
    const newest = instantOf(this.#newest);
    return trades.some((trade) => instantOf(trade) > newest);
  }

  connected(now: EpochNs): void {
    this.#line.connected(now);
  }

  disconnected(): void {
    this.#line.disconnected();
  }

  live(trades: readonly FeedTrade[], now: EpochNs): void {
    for (const trade of trades) if (trade.id >= (this.#newest?.id ?? 0)) this.#newest = trade;
    this.#line.live(trades, now);
  }

  wanted(now: EpochNs): PageWish | null {
    const wish = this.#line.wanted(now);
    if (wish === null) return null;
    if (this.#known === null) {
      this.#line.page(wish, PROVES_NOTHING, now);
      return null;
    }
    const end = this.#endOf(wish);
    if (end === null) {
      this.#line.pageFailed();
      return null;
    }
    if (end.key !== this.#end?.key) this.#begin(end);
    this.#asked = wish;
    return { ...wish, before: this.#rows.at(-1) ?? end };
  }

  page({ before }: PageWish, reading: PageReading, now: EpochNs): void {
    const asked = this.#asked;
    this.#asked = null;
    if (asked === null) return;
    const hasMore = reading.kind === 'trades' && this.#collect(before!.key!, reading.trades);
    const numbered = this.#numbered();
    const isTooLarge = numbered === null && !this.#budget.hasRoomForPages;
    // The last known trade comes behind the rows of the hole.
    const isOpen = !this.#keys.has(this.#known!.key) && this.#rows.length <= this.#missing;
    if (isOpen && hasMore && !isTooLarge) {
      this.#line.pageFailed();
      return;
    }
    this.#begin(null);
    const proven: PageReading = { kind: 'trades', trades: numbered ?? [], isLast: false };
    this.#line.page(asked, proven, now);
    // A hole that exceeds the memory is never proven, and what waits behind it fills the rest.
    if (isTooLarge) this.#line.giveUp(now);
  }

  pageFailed(): void {
    this.#asked = null;
    this.#line.pageFailed();
  }

  giveUp(now: EpochNs): void {
    this.#line.giveUp(now);
  }

  take(max: number): LineOutput | null {
    const output = this.#line.take(max);
    const last = output?.trades.at(-1);
    if (last?.key !== undefined) {
      this.#known = { id: last.id, key: last.key };
      this.#isKnownNew = true;
    }
    return output;
  }

  takePosition(): string | null {
    const next = this.#line.takePosition();
    if (next === null && !this.#isKnownNew) return null;
    this.#next = next ?? this.#next;
    this.#isKnownNew = false;
    const place: Place = { next: this.#next, known: this.#known };
    return JSON.stringify(place);
  }

  /** How many trades lie between the two known ones. */
  get #missing(): number {
    return this.#end === null || this.#known === null ? 0 : this.#end.id - this.#known.id - 1;
  }

  /** The trade behind the hole. The last live one is known too, even if there was no memory for it. */
  #endOf({ fromId, before }: PageWish): KeyedTrade | null {
    const isPresent = before === null && this.#end !== null && this.#end.id >= fromId!;
    const end = isPresent ? this.#end : (before ?? this.#newest);
    return end !== null && end.id >= fromId! && hasKey(end) ? end : null;
  }

  #begin(end: KeyedTrade | null): void {
    this.#budget.free(this.#rows.length);
    this.#rows = [];
    this.#keys.clear();
    this.#end = end;
    if (end !== null) this.#keys.add(end.key);
  }

  /** Whether there are new rows behind the one with this key. */
  #collect(behind: string, rows: readonly FeedTrade[]): boolean {
    const count = this.#rows.length;
    const at = rows.findIndex(({ key }) => key === behind);
    for (const row of at < 0 ? [] : rows.slice(at + 1)) {
      if (row.key === undefined || this.#keys.has(row.key)) continue;
      this.#keys.add(row.key);
      this.#rows.push(row);
    }
    this.#budget.add(this.#rows.length - count);
    return this.#rows.length > count;
  }

  /** The collected trades with their numbers; null: they prove nothing. */
  #numbered(): readonly FeedTrade[] | null {
    const [known, end] = [this.#known, this.#end];
    const count = this.#missing;
    if (known === null || end === null || this.#rows[count]?.key !== known.key) return null;
    const before = this.#rows.slice(0, count);
    return [end, ...before.map((row, index) => ({ ...row, id: end.id - 1 - index }))];
  }
}

function hasKey(trade: FeedTrade): trade is KeyedTrade {
  return trade.key !== undefined;
}
