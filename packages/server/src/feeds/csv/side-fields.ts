/** The aggressor, by a column of words, by two columns of sizes, or by quotes beside the trade. */

import type { DecimalColumn } from '../decimals.ts';
import type { SideMapping, SideWords } from '../feed-mapping.ts';
import type { FieldIndex } from './field-index.ts';
import { NumberFields, textOf } from './number-fields.ts';
import { Reading, ROWS_CUT } from './reading.ts';
import { WordTable } from './word-fields.ts';

const BUY = 1;
const SELL = -1;
const UNKNOWN = 0;

interface SideOptions {
  /** The slots of the mapping's columns, in its order. */
  readonly slots: readonly number[];
  readonly capacity: number;
  readonly decimalSign: string;
  readonly priceDecimals: number;
}

export class SideFields {
  readonly sides: Int8Array;
  readonly #side: SideMapping;
  readonly #slots: readonly number[];
  /** Null if no column of words gives the side. */
  readonly words: WordTable | null;
  readonly #numbers: readonly NumberFields[];

  constructor(side: SideMapping, options: SideOptions) {
    const { slots, capacity, decimalSign, priceDecimals } = options;
    this.#side = side;
    this.#slots = slots;
    this.sides = new Int8Array(capacity);
    this.words = side.kind === 'words' ? new WordTable(sidesOfWords(side)) : null;
    const decimals = side.kind === 'quotes' ? priceDecimals : 0;
    const names = side.kind === 'quotes' ? ['the bid', 'the ask'] : ['the size', 'the size'];
    const columns = side.kind === 'quotes' || side.kind === 'volumes' ? slots : [];
    this.#numbers = columns.map(
      (slot, place) =>
        new NumberFields(names[place]!, { slot, decimals, decimalSign, capacity: 1 }),
    );
  }

  /** Reads rows `from` to `reading.end` into the column, starting at `to`; their prices must be read already. */
  read(
    bytes: Uint8Array,
    fields: FieldIndex,
    { from, to, prices }: { from: number; to: number; prices: DecimalColumn },
    reading: Reading,
  ): void {
    switch (this.#side.kind) {
      case 'none':
        this.sides.fill(UNKNOWN, to, to + reading.end - from);
        return;
      case 'sign':
        // Derived from the sign of sizes by their reader.
        return;
      case 'words':
        this.#readWords(bytes, fields, from, to, reading);
        return;
      case 'quotes':
      case 'volumes':
        this.#readNumbers(bytes, fields, { from, to, prices }, reading);
        return;
      default:
        this.#side satisfies never;
    }
  }

  #readWords(
    bytes: Uint8Array,
    { starts, ends, capacity }: FieldIndex,
    from: number,
    to: number,
    reading: Reading,
  ): void {
    const words = this.words!;
    const place = this.#slots[0]! * capacity;
    for (let row = from; row < reading.end; row += 1) {
      const start = starts[place + row]!;
      const end = ends[place + row]!;
      const side = words.valueOf(bytes, start, end);
      if (side === null) {
        reading.stop(
          row,
          `has the side "${textOf(bytes, start, end)}", which the mapping does not know`,
        );
      } else this.sides[to + row - from] = side;
    }
  }

  /** Row by row, since the decimals of the two numbers may differ between rows. */
  #readNumbers(
    bytes: Uint8Array,
    fields: FieldIndex,
    { from, to, prices }: { from: number; to: number; prices: DecimalColumn },
    reading: Reading,
  ): void {
    const [first, second] = this.#numbers as [NumberFields, NumberFields];
    const isQuotes = this.#side.kind === 'quotes';
    for (let row = from; row < reading.end; row += 1) {
      const one = new Reading(row + 1);
      first.column.restart();
      second.column.restart();
      first.read(bytes, fields, row, 0, one);
      second.read(bytes, fields, row, 0, one);
      if (one.reason !== null && one.reason !== ROWS_CUT) {
        reading.stop(row, one.reason);
        continue;
      }
      if (isQuotes) {
        const price = prices.values[to + row - from]!;
        this.sides[to + row - from] = sideByQuotes(
          price,
          prices.decimals,
          first.column,
          second.column,
        );
      } else if (first.column.values[0]! > 0 && second.column.values[0]! > 0) {
        reading.stop(row, 'was bought and sold: it is a bar and no single trade');
      } else {
        const sold = second.column.values[0]! > 0 ? SELL : UNKNOWN;
        this.sides[to + row - from] = first.column.values[0]! > 0 ? BUY : sold;
      }
    }
  }
}

function sideByQuotes(
  price: number,
  decimals: number,
  bid: DecimalColumn,
  ask: DecimalColumn,
): number {
  const isBought = compare(price, decimals, ask) >= 0;
  const isSold = compare(price, decimals, bid) <= 0;
  // A locked or crossed market does not determine the side.
  if (isBought === isSold) return UNKNOWN;
  return isBought ? BUY : SELL;
}

function compare(price: number, decimals: number, quote: DecimalColumn): number {
  const other = quote.values[0]!;
  if (decimals === quote.decimals) return price - other;
  const most = Math.max(decimals, quote.decimals);
  const difference =
    BigInt(price) * 10n ** BigInt(most - decimals) -
    BigInt(other) * 10n ** BigInt(most - quote.decimals);
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
}

function sidesOfWords({ buy, sell, unknown }: SideWords): ReadonlyMap<string, number> {
  return new Map([
    ...buy.map((word) => [word, BUY] as const),
    ...sell.map((word) => [word, SELL] as const),
    ...unknown.map((word) => [word, UNKNOWN] as const),
  ]);
}
