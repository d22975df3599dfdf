/**
 * Collects all trades of one instrument of a file as days of ticks and lots, the input of a tape. The caller must name
 * one of several instruments; the others are only counted. Trades are taken exactly, or the file is rejected.
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
/** How an instrument is treated; 0 before its first trade. */
const WANTED = 1;
const OTHER = 2;
const SKIPPED = 3;

/** What the caller states about the instrument; null values are known or found. */
export interface FileTradesOptions {
  readonly symbol: string | null;
  readonly tick: Decimal | null;
  readonly lot: Decimal | null;
  /** Null: derived from the symbol, or unknown. */
  readonly product: KnownRoot | null;
  /** Infers unknown sides from the previous price: higher is a buy, lower a sell, equal repeats the last of these. */
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
  /** The numbers of days that had to be sorted by time, and of inferred sides. */
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

  /** The instrument of these trades; null without one, or with several. */
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

  /** Trades by the name of their instrument, most first, without instruments skipped for their kind. */
  get instruments(): readonly (readonly [name: string, trades: number])[] {
    const all = this.#tradesOf.flatMap((trades, index) =>
      this.#kinds[index] === SKIPPED ? [] : [[this.#feed.nameOf(index), trades] as const],
    );
    return all.toSorted((a, b) => b[1] - a[1]);
  }

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

  /** Ends the file; returns its days, ascending, each in order of time. */
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
      // The caller must choose one; from here on trades are only counted.
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
