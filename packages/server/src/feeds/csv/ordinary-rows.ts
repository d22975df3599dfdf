/**
 * The hot loop for nearly all rows of archives: plain numbers, a time in digits since 1970 on the previous row's day, a
 * word for the side, no quotes and no padding. Each byte is read once, and its value goes straight into the columns.
 * The loop stops before any other row, valid or not; the general reader handles that one.
 */

import { SECOND_NS } from '@tapeloom/core/units';
import { type DecimalColumn, POWERS } from '../decimals.ts';
import type { ColumnRef, CsvMapping, TimeUnit } from '../feed-mapping.ts';
import { DIGITS_SMALL, DIGITS_SURE } from './number-fields.ts';
import type { SideFields } from './side-fields.ts';
import { DIGITS_MAX, SECOND_DIGITS, type TimeFields, UNIT_DIGITS } from './time-fields.ts';

const QUOTE = 0x22;
const SPACE = 0x20;
const ZERO = 0x30;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const PASSED_OVER = 0;
const TIME = 1;
const PRICE = 2;
const SIZE = 3;
const SIDE = 4;

/** More columns than an intact row has. */
const COLUMNS_MAX = 1_024;

interface OrdinaryColumns {
  readonly times: TimeFields;
  readonly prices: DecimalColumn;
  readonly sizes: DecimalColumn;
  readonly sides: SideFields;
}

interface RowsPlace {
  readonly from: number;
  readonly end: number;
  readonly columns: number;
}

export class OrdinaryRows {
  readonly #columns: OrdinaryColumns;
  readonly #kinds: Uint8Array;
  readonly #delimiter: number;
  readonly #sign: number;
  readonly #priceScale: number;
  readonly #sizeScale: number;
  readonly #isUnitOpen: boolean;
  /** The number of digits of a time; for an open unit, as in the last times. */
  #timeDigits = 0;
  #fractionNs = 0;
  #lastColumn = 0;
  at = 0;

  /** Null if the mapping never has ordinary rows. `columnOf` returns a column's index from 0. */
  static of(
    mapping: CsvMapping,
    columnOf: (column: ColumnRef) => number,
    columns: OrdinaryColumns,
  ): OrdinaryRows | null {
    const { time, price, size, side, symbol, drop, delimiter, decimalSign } = mapping;
    const isPlain = time.kind === 'epoch' && (side.kind === 'words' || side.kind === 'none');
    if (!isPlain || symbol !== null || drop.length > 0 || delimiter === decimalSign) return null;
    const kinds = new Uint8Array(COLUMNS_MAX);
    kinds[columnOf(time.column)] = TIME;
    kinds[columnOf(price.column)] = PRICE;
    kinds[columnOf(size.column)] = SIZE;
    if (side.kind === 'words') kinds[columnOf(side.column)] = SIDE;
    const wanted = side.kind === 'words' ? 4 : 3;
    // A column with two meanings needs the general reader.
    const isOnce =
      kinds.reduce((count, kind) => count + (kind === PASSED_OVER ? 0 : 1), 0) === wanted;
    return isOnce ? new OrdinaryRows(mapping, time.unit, kinds, columns) : null;
  }

  private constructor(
    { delimiter, decimalSign, price, size }: CsvMapping,
    unit: TimeUnit,
    kinds: Uint8Array,
    columns: OrdinaryColumns,
  ) {
    this.#columns = columns;
    this.#kinds = kinds;
    this.#delimiter = delimiter.charCodeAt(0);
    this.#sign = decimalSign.charCodeAt(0);
    this.#priceScale = price.decimals;
    this.#sizeScale = size.decimals;
    this.#isUnitOpen = unit === 'by-digits';
    this.#setDigits(SECOND_DIGITS + (unit === 'by-digits' ? 0 : UNIT_DIGITS[unit]));
  }

  /** Reads rows into the columns, from `first` to at most `to`; returns the row after the last. */
  take(bytes: Uint8Array, { from, end, columns }: RowsPlace, first: number, to: number): number {
    const { times, sides } = this.#columns;
    this.at = from;
    if (columns > COLUMNS_MAX) return first;
    this.#lastColumn = columns - 1;
    let row = first;
    for (; this.at < end && row < to; row += 1) {
      const next = this.#takeRow(bytes, this.at, row);
      if (next < 0) break;
      this.at = next;
    }
    times.days.fill(times.day, first, row);
    if (sides.words === null) sides.sides.fill(0, first, row);
    return row;
  }

  /** Reads the row at `from` into `row`; returns the position after it, or -1 if it is not ordinary. */
  #takeRow(bytes: Uint8Array, from: number, row: number): number {
    const kinds = this.#kinds;
    const delimiter = this.#delimiter;
    const lastColumn = this.#lastColumn;
    const { prices, sizes } = this.#columns;
    let at = from;
    for (let column = 0; column <= lastColumn; column += 1) {
      const kind = kinds[column]!;
      if (kind === PASSED_OVER) at = this.#passOver(bytes, at);
      else if (kind === TIME) at = this.#takeTime(bytes, at, row);
      else if (kind === PRICE) at = this.#takeNumber(bytes, at, row, prices, this.#priceScale);
      else if (kind === SIZE) at = this.#takeNumber(bytes, at, row, sizes, this.#sizeScale);
      else at = this.#takeSide(bytes, at, row);
      if (at < 0) return -1;
      if (column === lastColumn) break;
      if (bytes[at] !== delimiter) return -1;
      at += 1;
    }
    if (bytes[at] === CARRIAGE_RETURN) at += 1;
    return bytes[at] === LINE_FEED ? at + 1 : -1;
  }

  #passOver(bytes: Uint8Array, from: number): number {
    const delimiter = this.#delimiter;
    let at = from;
    let byte = bytes[at]!;
    if (byte === SPACE || byte === QUOTE) return -1;
    while (byte !== delimiter && byte !== LINE_FEED) {
      at += 1;
      byte = bytes[at]!;
    }
    return at;
  }

  #takeSide(bytes: Uint8Array, from: number, row: number): number {
    const at = this.#passOver(bytes, from);
    if (at < 0) return -1;
    const end = bytes[at] === LINE_FEED && bytes[at - 1] === CARRIAGE_RETURN ? at - 1 : at;
    if (bytes[end - 1] === SPACE) return -1;
    const side = this.#columns.sides.words!.valueOf(bytes, from, end);
    if (side === null) return -1;
    this.#columns.sides.sides[row] = side;
    return end;
  }

  #takeNumber(
    bytes: Uint8Array,
    from: number,
    row: number,
    column: DecimalColumn,
    scale: number,
  ): number {
    const sign = this.#sign;
    let at = from;
    let pointAt = -1;
    let small = 0;
    const smallEnd = from + DIGITS_SMALL;
    let byte = bytes[at]!;
    for (; at < smallEnd; byte = bytes[++at]!) {
      const digit = byte - ZERO;
      if (digit >>> 0 <= 9) small = (small * 10 + digit) | 0;
      else if (byte === sign && pointAt < 0) pointAt = at;
      else break;
    }
    let mantissa = small;
    for (; at >= smallEnd; byte = bytes[++at]!) {
      const digit = byte - ZERO;
      if (digit >>> 0 <= 9) mantissa = mantissa * 10 + digit;
      else if (byte === sign && pointAt < 0) pointAt = at;
      else break;
    }
    const digits = pointAt < 0 ? at - from : at - from - 1;
    if (digits <= 0 || digits > DIGITS_SURE) return -1;
    const decimals = scale + (pointAt < 0 ? 0 : at - pointAt - 1);
    return column.set(row, mantissa, decimals) ? at : -1;
  }

  /** The time must be on the previous row's day. */
  #takeTime(bytes: Uint8Array, from: number, row: number): number {
    if (this.#isUnitOpen && isDigit(bytes[from + this.#timeDigits]!))
      this.#countDigits(bytes, from);
    const end = from + this.#timeDigits;
    // Nine digits fit into 32 bits; the tenth is the last digit of the seconds.
    const tensEnd = from + SECOND_DIGITS - 1;
    let tens = 0;
    let at = from;
    for (; at < tensEnd; at += 1) {
      const digit = bytes[at]! - ZERO;
      if (digit >>> 0 > 9) return -1;
      tens = (tens * 10 + digit) | 0;
    }
    const ones = bytes[at]! - ZERO;
    if (ones >>> 0 > 9) return -1;
    let fraction = 0;
    for (at += 1; at < end; at += 1) {
      const digit = bytes[at]! - ZERO;
      if (digit >>> 0 > 9) return -1;
      fraction = (fraction * 10 + digit) | 0;
    }
    const { dayBegin, dayEnd, ns } = this.#columns.times;
    const seconds = tens * 10 + ones;
    if (!(seconds >= dayBegin && seconds < dayEnd)) return -1;
    ns[row] = (seconds - dayBegin) * SECOND_NS + fraction * this.#fractionNs;
    return end;
  }

  /** Times have another number of digits than before. */
  #countDigits(bytes: Uint8Array, from: number): void {
    let digits = 0;
    while (digits <= DIGITS_MAX && isDigit(bytes[from + digits]!)) digits += 1;
    const isUnit = digits >= SECOND_DIGITS && digits <= DIGITS_MAX;
    if (isUnit && (digits - SECOND_DIGITS) % 3 === 0) this.#setDigits(digits);
  }

  #setDigits(digits: number): void {
    this.#timeDigits = digits;
    this.#fractionNs = POWERS[DIGITS_MAX - digits]!;
  }
}

function isDigit(byte: number): boolean {
  return (byte - ZERO) >>> 0 <= 9;
}
