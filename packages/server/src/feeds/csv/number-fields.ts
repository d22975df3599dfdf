/**
 * Decimal numbers of a text column, parsed digit by digit into exact doubles. Anything but plain digits with at most
 * one decimal sign, or with more digits than a double surely holds, is parsed as a string.
 */

import { DecimalColumn, parseDecimal, shortest } from '../decimals.ts';
import type { FieldIndex } from './field-index.ts';
import { type Reading, ROWS_CUT } from './reading.ts';

const MINUS = 0x2d;
const ZERO = 0x30;
/** How many digits always fit exactly into a double, and into 32 bits, which are faster. */
export const DIGITS_SURE = 15;
export const DIGITS_SMALL = 9;

interface NumberOptions {
  readonly slot: number;
  /** The column has integers of 10^-decimals. */
  readonly decimals: number;
  readonly decimalSign: string;
  readonly capacity: number;
}

export class NumberFields {
  readonly column: DecimalColumn;
  readonly #slot: number;
  readonly #decimals: number;
  readonly #sign: number;
  readonly #name: string;

  constructor(name: string, { slot, decimals, decimalSign, capacity }: NumberOptions) {
    this.#name = name;
    this.#slot = slot;
    this.#decimals = decimals;
    this.#sign = decimalSign.charCodeAt(0);
    this.column = new DecimalColumn(capacity);
  }

  /** Reads rows `from` to `reading.end` into the column, starting at `to`. */
  read(bytes: Uint8Array, fields: FieldIndex, from: number, to: number, reading: Reading): void {
    const { starts, ends, capacity } = fields;
    const place = this.#slot * capacity;
    const { column } = this;
    const sign = this.#sign;
    const scale = this.#decimals;
    for (let row = from; row < reading.end; row += 1) {
      const end = ends[place + row]!;
      let at = starts[place + row]!;
      const isNegative = bytes[at] === MINUS;
      if (isNegative) at += 1;
      const begin = at;
      let pointAt = -1;
      let small = 0;
      const smallEnd = Math.min(end, begin + DIGITS_SMALL);
      for (; at < smallEnd; at += 1) {
        const byte = bytes[at]!;
        const digit = byte - ZERO;
        if (digit >>> 0 <= 9) small = (small * 10 + digit) | 0;
        else if (byte === sign && pointAt < 0) pointAt = at;
        else break;
      }
      let mantissa = small;
      for (; at >= smallEnd && at < end; at += 1) {
        const byte = bytes[at]!;
        const digit = byte - ZERO;
        if (digit >= 0 && digit <= 9) mantissa = mantissa * 10 + digit;
        else if (byte === sign && pointAt < 0) pointAt = at;
        else break;
      }
      const digits = pointAt < 0 ? end - begin : end - begin - 1;
      const isPlain = at === end && digits > 0 && digits <= DIGITS_SURE;
      const isSet = isPlain
        ? column.set(
            to + row - from,
            isNegative ? 0 - mantissa : mantissa,
            scale + (pointAt < 0 ? 0 : end - pointAt - 1),
          )
        : this.#setText(textOf(bytes, starts[place + row]!, end), to + row - from, row, reading);
      if (!isSet) reading.stop(row, ROWS_CUT);
    }
  }

  #setText(text: string, to: number, row: number, reading: Reading): boolean {
    const sign = String.fromCharCode(this.#sign);
    const isForeign = sign !== '.' && text.includes('.');
    const read = isForeign ? null : parseDecimal(text.replace(sign, '.'));
    const number =
      read === null ? null : shortest(BigInt(read.mantissa), read.decimals + this.#decimals);
    if (number === null) {
      reading.stop(row, `has ${this.#name} "${text}", which is no number that can be kept exactly`);
      return true;
    }
    return this.column.set(to, number.mantissa, number.decimals);
  }
}

export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

/** The number of these digits, 0 without any; -1 for another character. */
export function wholeNumber(bytes: Uint8Array, from: number, to: number): number {
  const smallFrom = Math.max(from, to - DIGITS_SMALL);
  let large = 0;
  for (let at = from; at < smallFrom; at += 1) {
    const digit = bytes[at]! - ZERO;
    if (digit >>> 0 > 9) return -1;
    large = large * 10 + digit;
  }
  let small = 0;
  for (let at = smallFrom; at < to; at += 1) {
    const digit = bytes[at]! - ZERO;
    if (digit >>> 0 > 9) return -1;
    small = (small * 10 + digit) | 0;
  }
  return large * 10 ** DIGITS_SMALL + small;
}
