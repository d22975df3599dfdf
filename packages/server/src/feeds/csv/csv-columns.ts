/**
 * The columns of a text that a mapping uses, located by the first line, and their rows as a batch of trades. Sizes are
 * read before any other column that may cut the batch, so that all columns end with the same row.
 */

import {
  type ColumnRef,
  type CsvMapping,
  columnsOf,
  sideColumns,
  timeColumns,
} from '../feed-mapping.ts';
import { FeedError, type FeedInstrument, type FeedTrades } from '../feed-trades.ts';
import { printedText } from '../printed-text.ts';
import { FieldIndex } from './field-index.ts';
import { NumberFields } from './number-fields.ts';
import { OrdinaryRows } from './ordinary-rows.ts';
import type { Reading } from './reading.ts';
import { SideFields } from './side-fields.ts';
import { splitLine } from './split-line.ts';
import { TimeFields } from './time-fields.ts';
import { SymbolFields, WordTable } from './word-fields.ts';

/** More columns than the widest dump of an order book has. */
const COLUMN_NUMBER_MAX = 1_000;
const ZERO_SIZE = 'size zero';

interface Drop {
  readonly place: number;
  readonly words: WordTable;
  readonly isDropped: boolean;
  readonly as: string;
}

export class CsvColumns {
  readonly fields: FieldIndex;
  readonly instruments: readonly FeedInstrument[];
  readonly #drops: readonly Drop[];
  readonly #times: TimeFields;
  readonly #prices: NumberFields;
  readonly #sizes: NumberFields;
  readonly #sides: SideFields;
  readonly #isSigned: boolean;
  readonly #symbols: SymbolFields | null;
  readonly #instrumentOfRow: Uint32Array;
  readonly #rows: Float64Array;
  /** Null if the mapping never has ordinary rows. */
  readonly #ordinary: OrdinaryRows | null;
  /** The position after the ordinary rows. */
  ordinaryEnd = 0;

  constructor(mapping: CsvMapping, firstLine: string, capacity: number) {
    const { time, price, size, side, symbol, drop, delimiter, decimalSign, hasHeader } = mapping;
    const names = hasHeader ? splitLine(firstLine, delimiter) : null;
    const slots = new Map(columnsOf(mapping).map((column) => [column, numberOf(column, names)]));
    // References to one column by name and by number share its slot.
    const numbers = [...new Set(slots.values())];
    const slotOf = (column: ColumnRef) => numbers.indexOf(slots.get(column)!);
    const slotOfColumn = new Int16Array(Math.max(...numbers)).fill(-1);
    for (const [slot, number] of numbers.entries()) slotOfColumn[number - 1] = slot;
    this.fields = new FieldIndex({
      capacity,
      delimiter,
      slotOfColumn,
      columns: names?.length ?? 0,
      linesBefore: hasHeader ? 1 : 0,
    });
    const number = (name: string, { column, decimals }: CsvMapping['price']) =>
      new NumberFields(name, { slot: slotOf(column), decimals, decimalSign, capacity });
    this.#times = new TimeFields(time, timeColumns(time).map(slotOf), capacity);
    this.#prices = number('the price', price);
    this.#sizes = number('the size', size);
    this.#sides = new SideFields(side, {
      slots: sideColumns(side).map(slotOf),
      capacity,
      decimalSign,
      priceDecimals: price.decimals,
    });
    this.#isSigned = side.kind === 'sign';
    this.#symbols = symbol && new SymbolFields(symbol, slotOf(symbol.column), capacity);
    this.instruments = this.#symbols?.instruments ?? [{ symbol: null, skipped: null }];
    this.#instrumentOfRow = this.#symbols?.indexes ?? new Uint32Array(capacity);
    this.#rows = new Float64Array(capacity);
    this.#drops = drop.map(({ column, words, when, as }) => ({
      place: slotOf(column) * capacity,
      words: new WordTable(new Map(words.map((word) => [word, 1]))),
      isDropped: when === 'is',
      as,
    }));
    const columnOf = (column: ColumnRef) => slots.get(column)! - 1;
    this.#ordinary = OrdinaryRows.of(mapping, columnOf, {
      times: this.#times,
      prices: this.#prices.column,
      sizes: this.#sizes.column,
      sides: this.#sides,
    });
  }

  /**
   * Reads ordinary rows starting at `from` into the batch, from `first` to at most `to`; returns the new end of the
   * batch. `fields` handles all other rows.
   */
  readOrdinary(bytes: Uint8Array, from: number, end: number, first: number, to: number): number {
    this.ordinaryEnd = from;
    const { fields } = this;
    if (this.#ordinary === null || fields.columns === 0) return first;
    const last = this.#ordinary.take(bytes, { from, end, columns: fields.columns }, first, to);
    for (let row = first; row < last; row += 1) {
      fields.lines += 1;
      this.#rows[row] = fields.lines;
    }
    this.ordinaryEnd = this.#ordinary.at;
    return last;
  }

  drop(bytes: Uint8Array, counts: Map<string, number>): void {
    const { fields } = this;
    for (const { place, words, isDropped, as } of this.#drops) {
      const isKept = new Uint8Array(fields.rows);
      let dropped = 0;
      for (let row = 0; row < fields.rows; row += 1) {
        const start = fields.starts[place + row]!;
        const isWord = words.valueOf(bytes, start, fields.ends[place + row]!) !== null;
        isKept[row] = isWord === isDropped ? 0 : 1;
        dropped += 1 - isKept[row]!;
      }
      if (dropped === 0) continue;
      fields.keep(isKept);
      counts.set(as, (counts.get(as) ?? 0) + dropped);
    }
  }

  /** Reads rows `from` to `reading.end` of the index into the batch, starting at `to`. */
  read(bytes: Uint8Array, from: number, to: number, reading: Reading): void {
    const { fields } = this;
    this.#sizes.read(bytes, fields, from, to, reading);
    if (this.#isSigned) this.#takeSigns(to, to + reading.end - from);
    else this.#refuseNegative(from, to, reading);
    this.#prices.read(bytes, fields, from, to, reading);
    this.#times.read(bytes, fields, from, to, reading);
    this.#symbols?.read(bytes, fields, from, to, reading);
    this.#sides.read(bytes, fields, { from, to, prices: this.#prices.column }, reading);
    for (let row = from; row < reading.end; row += 1) {
      this.#rows[to + row - from] = fields.numbers[row]!;
    }
  }

  /** The sign gives the side, the absolute value the size. */
  #takeSigns(from: number, to: number): void {
    const { values } = this.#sizes.column;
    for (let row = from; row < to; row += 1) {
      this.#sides.sides[row] = values[row]! < 0 ? -1 : 1;
      values[row] = Math.abs(values[row]!);
    }
  }

  #refuseNegative(from: number, to: number, reading: Reading): void {
    const { values } = this.#sizes.column;
    for (let row = from; row < reading.end; row += 1) {
      if (values[to + row - from]! < 0) reading.stop(row, 'has a size below zero');
    }
  }

  /** Drops rows of size 0 between `from` and `to` of the batch; returns the new end of the batch. */
  keepSized(from: number, to: number, counts: Map<string, number>): number {
    const sizes = this.#sizes.column.values;
    const first = sizes.subarray(0, to).indexOf(0, from);
    if (first === -1) return to;
    const columns = [
      sizes,
      this.#prices.column.values,
      this.#times.days,
      this.#times.ns,
      this.#sides.sides,
      this.#instrumentOfRow,
      this.#rows,
    ];
    let end = first;
    for (let row = first; row < to; row += 1) {
      if (sizes[row] === 0) continue;
      for (const column of columns) column[end] = column[row]!;
      end += 1;
    }
    counts.set(ZERO_SIZE, (counts.get(ZERO_SIZE) ?? 0) + to - end);
    return end;
  }

  batch(count: number): FeedTrades {
    return {
      count,
      instruments: this.#instrumentOfRow,
      days: this.#times.days,
      ns: this.#times.ns,
      prices: this.#prices.column.values,
      priceDecimals: this.#prices.column.decimals,
      sizes: this.#sizes.column.values,
      sizeDecimals: this.#sizes.column.decimals,
      sides: this.#sides.sides,
      rowOf: (index) => this.#rows[index]!,
    };
  }

  /** The next row starts a batch. */
  restart(): void {
    this.#prices.column.restart();
    this.#sizes.column.restart();
  }
}

function numberOf(column: ColumnRef, names: readonly string[] | null): number {
  if (typeof column === 'number') {
    if (!(Number.isInteger(column) && column >= 1 && column <= COLUMN_NUMBER_MAX)) {
      throw new FeedError(
        `Columns are numbered from 1 to ${COLUMN_NUMBER_MAX}, and ${column} is none.`,
      );
    }
    if (names === null || column <= names.length) return column;
    throw new FeedError(
      `Column ${column} is asked for, and the header has ${names.length}: ${printedText(names.join(', '))}`,
      1,
    );
  }
  if (names === null) {
    throw new FeedError(
      `The column "${column}" is asked for by its name, and the text has no header.`,
    );
  }
  const places = names.flatMap((name, place) => (name === column ? [place + 1] : []));
  if (places.length === 1) return places[0]!;
  const has = printedText(names.join(', '));
  throw new FeedError(
    places.length === 0
      ? `The header has no column "${column}". It has: ${has}`
      : `The header has ${places.length} columns "${column}": name it by its number. It has: ${has}`,
    1,
  );
}
