/**
 * The hot loops for nearly all rows of a table, a column at a time: values as stored, on the previous trade's day, with
 * prices and sizes no finer than before, and known sides and symbols. They stop at any other row, which is then read
 * alone, so every error has one origin (`table-trades.ts`).
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import { dayNumber } from '@tapeloom/core/utc-day';
import type { DecimalColumn } from '../decimals.ts';
import { loadNumbers, NO_WORD, type StoredValues } from './stored-values.ts';
import type { TableBatch } from './table-batch.ts';
import type { TableColumn, TableMapping } from './table-mapping.ts';
import { type ExactUnit, UNIT_OF_DIGITS } from './time-units.ts';

/** Rows per slice: if a later column stops, the earlier columns' work on the rest of the slice is lost. */
const SLICE_ROWS = 512;
const HIGH = 2 ** 32;
const UNITS_PER_DAY = { s: 86_400, ms: 86_400_000, us: 86_400_000_000, ns: DAY_NS } as const;
/** Between these days, all times of a day have the same number of digits. */
const DIGITS_AFTER = 20_010_909;
const DIGITS_BEFORE = 22_860_101;
const NO_SIDE = 2;
/** Sides may be small integers. */
const NUMBERED_SIDES = Array.from({ length: 256 }, (_, number) => String(number));
const UNKNOWN = 0xffff_ffff;

type Halves = Extract<StoredValues, { kind: 'halves' }>;
type Words = Extract<StoredValues, { kind: 'words' }>;

interface OrdinaryNumbers {
  readonly stored: Exclude<StoredValues, { kind: 'words' }>;
  /** Null for floats. */
  readonly places: number | null;
}

/** The side of each code; `NO_SIDE` if the row must be read alone. */
interface OrdinarySides {
  readonly codes: Uint32Array | Uint8Array | Int8Array | Uint16Array | Int16Array | Int32Array;
  readonly sideOf: Int8Array;
  readonly sideOfNone: number;
}

interface OrdinarySymbols extends Words {
  /** The instrument of each code, if known. */
  readonly instruments: Uint32Array;
}

/** Rows with a set code are dropped. */
interface OrdinaryDrop {
  readonly codes: Uint32Array;
  readonly isDropped: Uint8Array;
  readonly isNoneDropped: boolean;
}

export class OrdinaryTableRows {
  readonly #time: Halves;
  readonly #unit: ExactUnit | 'by-digits';
  readonly #price: OrdinaryNumbers;
  readonly #size: OrdinaryNumbers;
  readonly #side: OrdinarySides | null;
  readonly #symbol: OrdinarySymbols | null;
  readonly #drops: readonly OrdinaryDrop[];
  readonly #known: ReadonlyMap<string, number>;
  readonly #numbers = new Float64Array(SLICE_ROWS);
  #day = 0;
  #midnightLow = 0;
  #midnightHigh = 0;
  #unitsPerDay = 0;

  private constructor(
    { time, unit }: { readonly time: Halves; readonly unit: ExactUnit | 'by-digits' },
    numbers: { readonly price: OrdinaryNumbers; readonly size: OrdinaryNumbers },
    words: {
      readonly side: OrdinarySides | null;
      readonly symbol: OrdinarySymbols | null;
      readonly drops: readonly OrdinaryDrop[];
    },
    known: ReadonlyMap<string, number>,
  ) {
    this.#time = time;
    this.#unit = unit;
    this.#price = numbers.price;
    this.#size = numbers.size;
    this.#side = words.side;
    this.#symbol = words.symbol;
    this.#drops = words.drops;
    this.#known = known;
  }

  /** Null if a column is not stored in a suitable form. `known` maps symbols to instruments. */
  static of(
    mapping: TableMapping,
    columns: ReadonlyMap<string, TableColumn>,
    sides: ReadonlyMap<string, number>,
    known: ReadonlyMap<string, number>,
  ): OrdinaryTableRows | null {
    const column = (name: string) => columns.get(name)!;
    const time = timesOf(column(mapping.time.column), mapping.time);
    const price = numbersOf(column(mapping.price.column), mapping.price.decimals);
    const size = numbersOf(column(mapping.size.column), mapping.size.decimals);
    if (time === null || price === null || size === null) return null;
    const { side, symbol } = mapping;
    // A negative size is handled row by row.
    if (side.kind === 'sign') return null;
    const ordinarySide = side.kind === 'none' ? null : sidesOf(column(side.column), sides);
    if (side.kind === 'words' && ordinarySide === null) return null;
    const symbols = symbol === null ? null : wordsOf(column(symbol.column));
    if (symbol !== null && symbols === null) return null;
    const drops: OrdinaryDrop[] = [];
    for (const { column: name, words, when } of mapping.drop) {
      const stored = wordsOf(column(name));
      if (stored === null) return null;
      const isDropped = (word: string) => words.includes(word) === (when === 'is');
      drops.push({
        codes: stored.codes,
        isDropped: Uint8Array.from(stored.words, (word) => (isDropped(word) ? 1 : 0)),
        isNoneDropped: isDropped(''),
      });
    }
    const ordinarySymbol =
      symbols === null
        ? null
        : { ...symbols, instruments: new Uint32Array(symbols.words.length).fill(UNKNOWN) };
    return new OrdinaryTableRows(
      time,
      { price, size },
      { side: ordinarySide, symbol: ordinarySymbol, drops },
      known,
    );
  }

  /**
   * Appends rows starting at `from` to the batch, while there are rows and space. Stops at a row that is not ordinary
   * and returns its index. `rowsBefore` counts the file's rows before this part of the table.
   */
  take(from: number, to: number, rowsBefore: number, batch: TableBatch): number {
    let row = from;
    while (row < to) {
      const end = Math.min(to, row + SLICE_ROWS);
      const next = this.#takeSlice(row, end, rowsBefore, batch);
      if (next < end) return next;
      row = next;
    }
    return row;
  }

  #takeSlice(from: number, to: number, rowsBefore: number, batch: TableBatch): number {
    if (batch.count === 0 && this.#day === 0) return from;
    let end = to;
    for (const drop of this.#drops) end = keptEnd(drop, from, end);
    if (end === from || !this.#turnTo(batch, from)) return from;
    end = this.#takeSides(from, end, batch);
    end = this.#takeSymbols(from, end, batch);
    end = this.#takeTimes(from, end, batch);
    end = this.#takeNumbers(this.#size, batch.sizes, from, end, batch.count);
    end = positiveEnd(batch.sizes.values, from, end, batch.count);
    end = this.#takeNumbers(this.#price, batch.prices, from, end, batch.count);
    const { count, rows, days } = batch;
    for (let row = from; row < end; row += 1) rows[count + row - from] = rowsBefore + row + 1;
    days.fill(this.#day, count, count + end - from);
    batch.count = count + end - from;
    return end;
  }

  /** Moves to the day of the last trade; false if the halves of its times do not suffice. */
  #turnTo({ count, days }: TableBatch, row: number): boolean {
    const day = count === 0 ? this.#day : days[count - 1]!;
    if (day === this.#day && this.#unitsPerDay > 0) return true;
    this.#day = day;
    const unit = this.#unit === 'by-digits' ? this.#unitByDigits(row) : this.#unit;
    this.#unitsPerDay = unit === null ? 0 : UNITS_PER_DAY[unit];
    const midnight = BigInt(dayNumber(day as UtcDay)) * BigInt(this.#unitsPerDay);
    this.#midnightLow = Number(midnight & 0xffff_ffffn);
    this.#midnightHigh = Number(midnight >> 32n);
    return unit !== null;
  }

  #unitByDigits(row: number): ExactUnit | null {
    if (this.#day <= DIGITS_AFTER || this.#day >= DIGITS_BEFORE) return null;
    const { values } = this.#time;
    const time = (BigInt(values[2 * row + 1]!) << 32n) | BigInt(values[2 * row]!);
    return UNIT_OF_DIGITS.get(String(time).length) ?? null;
  }

  #takeTimes(from: number, to: number, { ns, count }: TableBatch): number {
    const { values } = this.#time;
    const [low, high, units] = [this.#midnightLow, this.#midnightHigh, this.#unitsPerDay];
    const unitNs = DAY_NS / units;
    const shift = count - from;
    let row = from;
    for (; row < to; row += 1) {
      const since = (values[2 * row + 1]! - high) * HIGH + (values[2 * row]! - low);
      if (since < 0 || since >= units) break;
      ns[row + shift] = since * unitNs;
    }
    return row;
  }

  #takeSides(from: number, to: number, { sides, count }: TableBatch): number {
    if (this.#side === null) {
      sides.fill(0, count, count + to - from);
      return to;
    }
    const { codes, sideOf, sideOfNone } = this.#side;
    const shift = count - from;
    let row = from;
    for (; row < to; row += 1) {
      const code = codes[row]!;
      const isCode = code >= 0 && code < sideOf.length;
      const side = isCode ? sideOf[code]! : code === NO_WORD ? sideOfNone : NO_SIDE;
      if (side === NO_SIDE) break;
      sides[row + shift] = side;
    }
    return row;
  }

  #takeSymbols(from: number, to: number, { instruments, count }: TableBatch): number {
    if (this.#symbol === null) {
      instruments.fill(0, count, count + to - from);
      return to;
    }
    const { codes, words, instruments: known } = this.#symbol;
    const shift = count - from;
    let row = from;
    for (; row < to; row += 1) {
      const code = codes[row]!;
      if (code >= known.length) break;
      let instrument = known[code]!;
      if (instrument === UNKNOWN) {
        const found = this.#known.get(words[code]!);
        if (found === undefined) break;
        instrument = found;
        known[code] = found;
      }
      instruments[row + shift] = instrument;
    }
    return row;
  }

  #takeNumbers(
    { stored, places }: OrdinaryNumbers,
    into: DecimalColumn,
    from: number,
    to: number,
    at: number,
  ): number {
    const numbers = this.#numbers;
    loadNumbers(stored, from, to, numbers);
    return places === null
      ? from + into.setFloats(at, numbers, to - from)
      : from + into.setWholes(at, numbers, to - from, places);
  }
}

function timesOf({ type, stored }: TableColumn, { unit, zone }: TableMapping['time']) {
  if (stored?.kind !== 'halves') return null;
  if (type.kind !== 'timestamp') return unit === null ? null : { time: stored, unit };
  // Wall clocks of other zones are handled row by row.
  return type.isUtc || zone === 'UTC' ? { time: stored, unit: type.unit } : null;
}

function numbersOf({ type, stored }: TableColumn, decimals: number): OrdinaryNumbers | null {
  if (stored === null || stored.kind === 'words') return null;
  if (type.kind === 'float') return decimals === 0 ? { stored, places: null } : null;
  if (type.kind !== 'whole' && type.kind !== 'decimal') return null;
  const places = decimals + (type.kind === 'decimal' ? type.decimals : 0);
  return places >= 0 ? { stored, places } : null;
}

function wordsOf({ stored }: TableColumn): Words | null {
  return stored?.kind === 'words' ? stored : null;
}

function sidesOf({ stored }: TableColumn, sides: ReadonlyMap<string, number>) {
  const sideOf = (word: string) => sides.get(word) ?? NO_SIDE;
  const sideOfNone = sideOf('');
  if (stored?.kind === 'words') {
    return { codes: stored.codes, sideOf: Int8Array.from(stored.words, sideOf), sideOfNone };
  }
  if (stored?.kind !== 'numbers') return null;
  const { values } = stored;
  if (values instanceof Float64Array || values instanceof Float32Array) return null;
  return { codes: values, sideOf: Int8Array.from(NUMBERED_SIDES, sideOf), sideOfNone: NO_SIDE };
}

function keptEnd(
  { codes, isDropped, isNoneDropped }: OrdinaryDrop,
  from: number,
  to: number,
): number {
  let row = from;
  for (; row < to; row += 1) {
    const code = codes[row]!;
    if (code === NO_WORD ? isNoneDropped : isDropped[code] === 1) break;
  }
  return row;
}

function positiveEnd(values: Float64Array, from: number, to: number, at: number): number {
  const shift = at - from;
  let row = from;
  while (row < to && values[row + shift]! > 0) row += 1;
  return row;
}
