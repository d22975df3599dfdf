/**
 * Converts typed columns of any file to trades: times with their units, decimals, integers and floats become exact
 * numbers row by row, or the row is rejected. Only values that the mapping calls unknown may be null.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, DAY_SECONDS, SECOND_NS_BIG } from '@tapeloom/core/units';
import { dayFromNumber } from '@tapeloom/core/utc-day';
import { FLOAT_ERROR, NANOS, parseDecimal, shortest } from '../decimals.ts';
import type { NumberMapping } from '../feed-mapping.ts';
import {
  type FeedCounts,
  FeedError,
  type FeedInstrument,
  type FeedTrades,
} from '../feed-trades.ts';
import { noFuture } from '../no-future.ts';
import { printedText } from '../printed-text.ts';
import { WallClock } from '../wall-clock.ts';
import { OrdinaryTableRows } from './ordinary-table-rows.ts';
import { BATCH_ROWS, TableBatch } from './table-batch.ts';
import { type TableColumn, type TableMapping, tableColumns } from './table-mapping.ts';
import { type ExactUnit, UNIT_NS, UNIT_OF_DIGITS } from './time-units.ts';

const DAY_LEAST = 1_096;

export class TableTrades {
  readonly instruments: FeedInstrument[] = [];
  readonly #counts = new Map<string, number>();
  readonly #mapping: TableMapping;
  readonly #clock: WallClock;
  readonly #known = new Map<string, number>();
  readonly #sides: ReadonlyMap<string, number>;
  readonly #batch = new TableBatch();
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

  /** The next `rows` rows of the table, with columns by name. A batch is valid until the next one is requested. */
  *push(columns: ReadonlyMap<string, TableColumn>, rows: number): Generator<FeedTrades> {
    for (const name of tableColumns(this.#mapping)) {
      if (columns.has(name)) continue;
      throw new FeedError(`There is no column "${printedText(name)}".`);
    }
    const ordinary = OrdinaryTableRows.of(this.#mapping, columns, this.#sides, this.#known);
    const batch = this.#batch;
    for (let row = 0; row < rows; row += 1) {
      if (ordinary !== null) {
        const end = Math.min(rows, row + BATCH_ROWS - batch.count);
        row = ordinary.take(row, end, this.#rowsBefore, batch);
        if (batch.count === BATCH_ROWS) yield batch.take();
        if (row === rows) break;
      }
      const number = this.#rowsBefore + row + 1;
      const dropped = this.#droppedAs(columns, row);
      if (dropped !== null) {
        this.#counts.set(dropped, (this.#counts.get(dropped) ?? 0) + 1);
        continue;
      }
      if (!this.#set(columns, row, number)) {
        yield batch.take();
        // Alone in a batch, every number fits.
        this.#set(columns, row, number);
      }
      batch.count += 1;
      if (batch.count === BATCH_ROWS) yield batch.take();
    }
    this.#rowsBefore += rows;
  }

  *finish(): Generator<FeedTrades> {
    if (this.#batch.count > 0) yield this.#batch.take();
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

  /** False if the row needs its own batch. */
  #set(columns: ReadonlyMap<string, TableColumn>, row: number, number: number): boolean {
    const { time, price, size, side, symbol } = this.#mapping;
    const batch = this.#batch;
    const to = batch.count;
    this.#setTime(columns.get(time.column)!, row, number);
    const priced = numberOf('price', price, columns.get(price.column)!, row, number);
    const sized = numberOf('size', size, columns.get(size.column)!, row, number);
    const isSold = sized.mantissa < 0;
    if (isSold && side.kind !== 'sign') throw broken(number, `has a size below zero`);
    if (!batch.prices.set(to, priced.mantissa, priced.decimals)) return false;
    if (!batch.sizes.set(to, Math.abs(sized.mantissa), sized.decimals)) return false;
    if (side.kind === 'words') {
      const word = String(columns.get(side.column)!.at(row) ?? '');
      const found = this.#sides.get(word);
      if (found === undefined)
        throw broken(
          number,
          `has the side "${word}", which the mapping does not know: say with --buy and --sell which words are which`,
        );
      batch.sides[to] = found;
    } else batch.sides[to] = side.kind === 'none' ? 0 : isSold ? -1 : 1;
    batch.instruments[to] =
      symbol === null ? 0 : this.#instrument(columns.get(symbol.column)!.at(row), number);
    batch.rows[to] = number;
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
    const { days, count } = this.#batch;
    days[count] = dayFromNumber(day);
    this.#batch.ns[count] = Number(ns % DAY_NS_BIG);
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
}

/** 10 digits: seconds, 13: milliseconds, 16: microseconds, 19: nanoseconds. */
function unitByDigits(value: bigint, row: number): ExactUnit {
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

/** A float stands for the multiple of a billionth nearest to it within the error, or is rejected. */
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
