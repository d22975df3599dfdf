/**
 * Trades out of typed columns, whatever file they come from: times with their units, decimals, whole and floating
 * numbers become exact numbers, row by row, or the row is refused. Nothing is null but what the mapping calls unknown.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, DAY_SECONDS, SECOND_NS_BIG } from '@tapeloom/core/units';
import { dayFromNumber } from '@tapeloom/core/utc-day';
import { DecimalColumn, parseDecimal, shortest } from '../decimals.ts';
import type {
  DropRule,
  NumberMapping,
  SideWords,
  SymbolMapping,
  TimeUnit,
} from '../feed-mapping.ts';
import {
  type FeedCounts,
  FeedError,
  type FeedInstrument,
  type FeedTrades,
} from '../feed-trades.ts';
import { noFuture } from '../no-future.ts';
import { printedText } from '../printed-text.ts';
import { WallClock } from '../wall-clock.ts';

const BATCH_ROWS = 8_192;
const NANOS = 1e9;
/** A floating number may be off its decimal by so much of itself: what a few operations leave. */
const FLOAT_ERROR = 2 ** -50;
const DAY_LEAST = 1_096;
const UNIT_NS = { s: SECOND_NS_BIG, ms: 1_000_000n, us: 1_000n, ns: 1n } as const;

const UNIT_OF_DIGITS: ReadonlyMap<number, keyof typeof UNIT_NS> = new Map([
  [10, 's'],
  [13, 'ms'],
  [16, 'us'],
  [19, 'ns'],
]);

export interface TableMapping {
  readonly time: {
    readonly column: string;
    /** Of whole numbers since 1970; timestamps say theirs. */
    readonly unit: TimeUnit | null;
    /** IANA, of timestamps that are by a wall clock; others are in UTC. */
    readonly zone: string | null;
  };
  readonly price: NumberMapping & { readonly column: string };
  readonly size: NumberMapping & { readonly column: string };
  readonly side:
    | (SideWords & { readonly column: string })
    | { readonly kind: 'sign' }
    | { readonly kind: 'none' };
  readonly symbol: (SymbolMapping & { readonly column: string }) | null;
  readonly drop: readonly (DropRule & { readonly column: string })[];
}

/** What the values of a column are. */
export type TableType =
  | { readonly kind: 'timestamp'; readonly unit: keyof typeof UNIT_NS; readonly isUtc: boolean }
  | { readonly kind: 'decimal'; readonly decimals: number }
  /** A whole number in so many bytes, the least first. */
  | { readonly kind: 'raw'; readonly bytes: number }
  | { readonly kind: 'whole' | 'float' | 'text' | 'boolean' };

export interface TableColumn {
  readonly type: TableType;
  /** Bigints or numbers, texts or booleans, as the type says; null or undefined where there is none. */
  at(row: number): unknown;
}

/** The names of all columns a mapping reads. */
export function tableColumns({ time, price, size, side, symbol, drop }: TableMapping): Set<string> {
  const names = [time.column, price.column, size.column, ...drop.map(({ column }) => column)];
  if (side.kind === 'words') names.push(side.column);
  if (symbol !== null) names.push(symbol.column);
  return new Set(names);
}

export class TableTrades {
  readonly instruments: FeedInstrument[] = [];
  readonly #counts = new Map<string, number>();
  readonly #mapping: TableMapping;
  readonly #clock: WallClock;
  readonly #known = new Map<string, number>();
  readonly #sides: ReadonlyMap<string, number>;
  readonly #days = new Uint32Array(BATCH_ROWS);
  readonly #ns = new Float64Array(BATCH_ROWS);
  readonly #prices = new DecimalColumn(BATCH_ROWS);
  readonly #sizes = new DecimalColumn(BATCH_ROWS);
  readonly #sideOfRow = new Int8Array(BATCH_ROWS);
  readonly #instrumentOfRow = new Uint32Array(BATCH_ROWS);
  readonly #rows = new Float64Array(BATCH_ROWS);
  #count = 0;
  #rowsBefore = 0;

  constructor(mapping: TableMapping) {
    this.#mapping = mapping;
    this.#clock = new WallClock(mapping.time.zone ?? 'UTC');
    const { side } = mapping;
    const words = side.kind === 'words' ? side : { buy: [], sell: [], unknown: [] };
    this.#sides = new Map([
      ...words.buy.map((word) => [word, 1] as const),
      ...words.sell.map((word) => [word, -1] as const),
      ...words.unknown.map((word) => [word, 0] as const),
    ]);
    if (mapping.symbol === null) this.instruments.push({ symbol: null, skipped: null });
  }

  get counts(): FeedCounts {
    return this.#counts;
  }

  /** The next `rows` rows of the table; columns by their names. A batch holds until the next one is asked for. */
  *push(columns: ReadonlyMap<string, TableColumn>, rows: number): Generator<FeedTrades> {
    for (const name of tableColumns(this.#mapping)) {
      if (columns.has(name)) continue;
      throw new FeedError(`There is no column "${printedText(name)}".`);
    }
    for (let row = 0; row < rows; row += 1) {
      const number = this.#rowsBefore + row + 1;
      const dropped = this.#droppedAs(columns, row);
      if (dropped !== null) {
        this.#counts.set(dropped, (this.#counts.get(dropped) ?? 0) + 1);
        continue;
      }
      if (!this.#set(columns, row, number)) {
        yield this.#take();
        // Alone in its batch every number has room.
        this.#set(columns, row, number);
      }
      this.#count += 1;
      if (this.#count === BATCH_ROWS) yield this.#take();
    }
    this.#rowsBefore += rows;
  }

  *finish(): Generator<FeedTrades> {
    if (this.#count > 0) yield this.#take();
  }

  #droppedAs(columns: ReadonlyMap<string, TableColumn>, row: number): string | null {
    const { drop, size } = this.#mapping;
    for (const { column, words, when, as } of drop) {
      const isWord = words.includes(String(columns.get(column)!.at(row) ?? ''));
      if (isWord === (when === 'is')) return as;
    }
    const value = columns.get(size.column)!.at(row);
    return value === 0 || value === 0n ? 'size zero' : null;
  }

  /** False when the row needs a batch of its own. */
  #set(columns: ReadonlyMap<string, TableColumn>, row: number, number: number): boolean {
    const { time, price, size, side, symbol } = this.#mapping;
    const to = this.#count;
    this.#setTime(columns.get(time.column)!, row, number);
    const priced = numberOf('price', price, columns.get(price.column)!, row, number);
    const sized = numberOf('size', size, columns.get(size.column)!, row, number);
    const isSold = sized.mantissa < 0;
    if (isSold && side.kind !== 'sign') throw broken(number, `has a size below zero`);
    if (!this.#prices.set(to, priced.mantissa, priced.decimals)) return false;
    if (!this.#sizes.set(to, Math.abs(sized.mantissa), sized.decimals)) return false;
    if (side.kind === 'words') {
      const word = String(columns.get(side.column)!.at(row) ?? '');
      const found = this.#sides.get(word);
      if (found === undefined)
        throw broken(number, `has the side "${word}", which the mapping does not know`);
      this.#sideOfRow[to] = found;
    } else this.#sideOfRow[to] = side.kind === 'none' ? 0 : isSold ? -1 : 1;
    this.#instrumentOfRow[to] =
      symbol === null ? 0 : this.#instrument(columns.get(symbol.column)!.at(row), number);
    this.#rows[to] = number;
    return true;
  }

  #setTime({ type, at }: TableColumn, row: number, number: number): void {
    const { unit, zone } = this.#mapping.time;
    const value = at(row);
    if (typeof value !== 'bigint' && !Number.isInteger(value)) {
      throw broken(number, `has the time "${value}", which is no whole number and no timestamp`);
    }
    const itsUnit = type.kind === 'timestamp' ? type.unit : unit;
    if (itsUnit === null) throw new FeedError('Times are whole numbers: say in which unit.');
    const isWall = type.kind === 'timestamp' && !type.isUtc;
    if (isWall && zone === null) {
      throw new FeedError('Times are timestamps by a wall clock: say of which zone, or UTC.');
    }
    const whole = BigInt(value as bigint);
    let ns = whole * UNIT_NS[itsUnit === 'by-digits' ? unitByDigits(whole, number) : itsUnit];
    if (isWall && ns >= 0n) {
      const secondOfDay = Number((ns % DAY_NS_BIG) / SECOND_NS_BIG);
      const date = dayFromNumber(Math.min(Number(ns / DAY_NS_BIG), 2_932_896)) as UtcDay;
      const ahead = this.#clock.aheadSeconds(date, secondOfDay);
      if (Number.isNaN(ahead)) {
        throw broken(
          number,
          `has a time at which the clocks of ${zone} change, so that it is none or two`,
        );
      }
      ns -= BigInt(ahead) * SECOND_NS_BIG;
    }
    const day = Number(ns / DAY_NS_BIG);
    if (ns < 0n || day < DAY_LEAST || day * DAY_SECONDS > 253_402_300_799) {
      throw broken(number, 'has a time before 1973 or after 9999: is its unit right?');
    }
    this.#days[this.#count] = dayFromNumber(day);
    this.#ns[this.#count] = Number(ns % DAY_NS_BIG);
  }

  #instrument(value: unknown, number: number): number {
    if (value === null || value === undefined) throw broken(number, 'has no symbol');
    const symbol = String(value);
    let index = this.#known.get(symbol);
    if (index === undefined) {
      index = this.instruments.length;
      this.#known.set(symbol, index);
      const isFuturesOnly = this.#mapping.symbol?.isFuturesOnly ?? false;
      this.instruments.push({ symbol, skipped: isFuturesOnly ? noFuture(symbol) : null });
    }
    return index;
  }

  #take(): FeedTrades {
    const count = this.#count;
    this.#count = 0;
    const batch = {
      count,
      instruments: this.#instrumentOfRow,
      days: this.#days,
      ns: this.#ns,
      prices: this.#prices.values,
      priceDecimals: this.#prices.decimals,
      sizes: this.#sizes.values,
      sizeDecimals: this.#sizes.decimals,
      sides: this.#sideOfRow,
      rowOf: (index: number) => this.#rows[index]!,
    };
    this.#prices.restart();
    this.#sizes.restart();
    return batch;
  }
}

/** 10 digits are seconds, 13 milliseconds, 16 microseconds, 19 nanoseconds. */
function unitByDigits(value: bigint, row: number): keyof typeof UNIT_NS {
  const unit = UNIT_OF_DIGITS.get(String(value).length);
  if (unit !== undefined) return unit;
  throw broken(row, `has the time "${value}", whose unit cannot be told by its digits`);
}

function numberOf(
  what: string,
  { decimals }: NumberMapping,
  { type, at }: TableColumn,
  row: number,
  number: number,
) {
  const value = at(row);
  const places = decimals + (type.kind === 'decimal' ? type.decimals : 0);
  const exact =
    typeof value === 'bigint'
      ? shortest(value, places)
      : typeof value === 'string'
        ? parseDecimal(value)
        : ofFloat(value, places);
  if (exact !== null) return exact;
  throw broken(number, `has the ${what} "${value}", which is no number that can be kept exactly`);
}

/** A floating number stands for the multiple of a billionth that it was made of, or for none. */
function ofFloat(value: unknown, places: number) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  if (Number.isSafeInteger(value)) return shortest(BigInt(value), places);
  const nanos = Math.round(value * NANOS);
  if (!Number.isSafeInteger(nanos)) {
    const exact = parseDecimal(String(value));
    return exact === null || exact.decimals > 9 ? null : exact;
  }
  const isWhole = Math.abs(nanos / NANOS - value) <= Math.abs(value) * FLOAT_ERROR;
  return isWhole ? shortest(BigInt(nanos), 9 + places) : null;
}

function broken(row: number, reason: string): FeedError {
  return new FeedError(`Row ${row} ${printedText(reason)}.`, row);
}
