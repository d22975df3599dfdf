/**
 * All trades of one instrument of a file, as days of ticks and lots: what a tape is made of. Which instrument it is must be
 * said where the file has several; the others are counted. Every trade is taken exactly as it stands, or the file is refused.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { DayRows } from './day-rows.ts';
import { type Decimal, shortest } from './decimals.ts';
import type { FeedTrades } from './feed-trades.ts';
import { Grid, greatestCommonDivisor, powerDividing } from './grid.ts';
import type { FeedNames } from './joined-feed.ts';
import { type KnownRoot, knownRoot } from './known-roots.ts';

const ONE: Decimal = { mantissa: 1, decimals: 0 };
const NANO_DECIMALS = 9;
const ZERO_SIZE = 'size zero';
/** What an instrument is to the reader; 0 before it was met. */
const WANTED = 1;
const OTHER = 2;
const SKIPPED = 3;

/** What somebody has said of the instrument; the rest is known or found. */
export interface FileTradesOptions {
  readonly symbol: string | null;
  readonly tick: Decimal | null;
  readonly lot: Decimal | null;
  /** The product they are of; null: known by the symbol, or not at all. */
  readonly product: KnownRoot | null;
  /** Unknown sides follow from the price before: higher a buy, lower a sell, the same as the last of these. */
  readonly hasTickRule: boolean;
}

export class FileTrades {
  readonly #feed: FeedNames;
  readonly #options: FileTradesOptions;
  readonly #days = new Map<number, DayRows>();
  readonly #kinds: number[] = [];
  readonly #tradesOf: number[] = [];
  readonly #prices: Grid[] = [];
  readonly #sizes: Grid;
  #chosen: number | null = null;
  #root: KnownRoot | null = null;
  #isSeveral = false;
  #zeroSizes = 0;
  #lastDay: DayRows | null = null;
  /** Days whose trades were not in the order of time, and sides that were inferred. */
  sortedDays = 0;
  inferredSides = 0;

  constructor(feed: FeedNames, options: FileTradesOptions) {
    this.#feed = feed;
    this.#options = options;
    this.#sizes = new Grid({
      what: 'size',
      unitName: 'lot',
      unit: options.lot ?? ONE,
      isHeld: options.lot !== null,
      remedy: 'Another one can be said with --lot.',
      finer: powerDividing,
      onFiner: (factor) => this.#rescale('size', factor),
    });
  }

  /** The instrument whose trades these are; null as long as there is none, or where there are several. */
  get name(): string | null {
    return this.#isSeveral || this.#chosen === null ? null : this.#feed.nameOf(this.#chosen);
  }

  get root(): KnownRoot | null {
    return this.#root;
  }

  get tick(): Grid {
    return this.#prices[0]!;
  }

  get lot(): Grid {
    return this.#sizes;
  }

  /** Trades by the name of their instrument, the most first; those that are left out by their kind are not among them. */
  get instruments(): readonly (readonly [name: string, trades: number])[] {
    const all = this.#tradesOf.flatMap((trades, index) =>
      this.#kinds[index] === SKIPPED ? [] : [[this.#feed.nameOf(index), trades] as const],
    );
    return all.toSorted((a, b) => b[1] - a[1]);
  }

  /** What was left out, and how often. */
  get leftOut(): ReadonlyMap<string, number> {
    const counts = new Map(this.#feed.counts());
    if (this.#zeroSizes > 0) {
      counts.set(ZERO_SIZE, (counts.get(ZERO_SIZE) ?? 0) + this.#zeroSizes);
    }
    for (const [index, trades] of this.#tradesOf.entries()) {
      const kind = this.#kinds[index];
      const name = this.#feed.nameOf(index);
      if (kind === SKIPPED) {
        counts.set(`trades of ${name}, ${this.#feed.skippedAs(index)}`, trades);
      } else if (kind === OTHER) counts.set(`trades of ${name}, another instrument`, trades);
    }
    return counts;
  }

  add(batch: FeedTrades): void {
    const { count, instruments, days, ns, prices, sizes, sides } = batch;
    let priceFactor = 0;
    const sizeFactor = this.#sizes.align(batch.sizeDecimals);
    for (let row = 0; row < count; row += 1) {
      const instrument = instruments[row]!;
      const kind = this.#kinds[instrument] ?? this.#meet(instrument);
      this.#tradesOf[instrument]! += 1;
      if (kind !== WANTED || this.#isSeveral) continue;
      if (sizes[row] === 0) {
        this.#zeroSizes += 1;
        continue;
      }
      const grid = this.#prices[0]!;
      if (priceFactor === 0) priceFactor = grid.align(batch.priceDecimals);
      const place = grid.place(prices[row]! * priceFactor, batch, row);
      const lots = this.#sizes.place(sizes[row]! * sizeFactor, batch, row);
      this.#dayOf(days[row]!).add(ns[row]!, place, lots, sides[row]!);
    }
  }

  /** The file has ended: its days, ascending, each in the order of time. */
  finish(): readonly DayRows[] {
    this.#prices[0]?.settle();
    const days = [...this.#days.values()].toSorted((a, b) => a.day - b.day);
    for (const day of days) {
      if (day.sort()) this.sortedDays += 1;
    }
    if (this.#options.hasTickRule) this.#inferSides(days);
    return days;
  }

  #dayOf(day: number): DayRows {
    if (this.#lastDay?.day === day) return this.#lastDay;
    let found = this.#days.get(day);
    if (found === undefined) {
      found = new DayRows(day as UtcDay);
      this.#days.set(day, found);
    }
    this.#lastDay = found;
    return found;
  }

  #meet(index: number): number {
    const kind = this.#kindOf(index);
    this.#kinds[index] = kind;
    this.#tradesOf[index] = 0;
    if (kind !== WANTED) return kind;
    if (this.#chosen !== null) {
      // Which one is meant must be said; from here on they are counted only.
      this.#isSeveral = true;
      this.#days.clear();
      this.#lastDay = null;
      return kind;
    }
    this.#chosen = index;
    const { product } = this.#options;
    this.#root = product ?? this.#feed.namesOf(index).map(knownRoot).find(Boolean) ?? null;
    this.#prices.push(this.#priceGrid());
    return kind;
  }

  #kindOf(index: number): number {
    if (this.#feed.skippedAs(index) !== null) return SKIPPED;
    const { symbol } = this.#options;
    return symbol === null || this.#feed.namesOf(index).includes(symbol) ? WANTED : OTHER;
  }

  #priceGrid(): Grid {
    const nanos = this.#root?.tickSizeNanos ?? null;
    const known = nanos === null ? null : shortest(BigInt(nanos), NANO_DECIMALS);
    const unit = this.#options.tick ?? known;
    return new Grid({
      what: 'price',
      unitName: 'tick',
      unit,
      isHeld: unit !== null,
      remedy: 'Another one can be said with --tick.',
      finer: greatestCommonDivisor,
      onFiner: (factor) => this.#rescale('price', factor),
    });
  }

  #rescale(column: 'price' | 'size', factor: number): void {
    for (const day of this.#days.values()) {
      const values = day[column];
      for (let row = 0; row < day.count; row += 1) values[row]! *= factor;
    }
  }

  #inferSides(days: readonly DayRows[]): void {
    let before: number | null = null;
    let direction = 0;
    for (const { price, side, count } of days) {
      for (let row = 0; row < count; row += 1) {
        const now = price[row]!;
        if (before !== null && now !== before) direction = now > before ? 1 : -1;
        before = now;
        if (side[row] !== 0 || direction === 0) continue;
        side[row] = direction;
        this.inferredSides += 1;
      }
    }
  }
}
