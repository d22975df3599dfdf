/**
 * Numbers as exact multiples of a unit, a tick or a lot. A stated or known unit is fixed: a number off the grid is
 * rejected with its row. A derived unit starts coarse and becomes finer as numbers require it; the owner of placed
 * numbers then rescales them.
 */

import { type Decimal, decimalText, POWERS } from './decimals.ts';
import { FeedError, type FeedTrades } from './feed-trades.ts';

/** The range of a 32-bit column. */
const PLACE_MAX = 2 ** 31 - 1;
const NANO_DECIMALS = 9;
/** Adding and subtracting this rounds a double below 2^51 to the nearest integer, faster than `Math.round`. */
const ROUNDING = 1.5 * 2 ** 52;

export interface GridRule {
  /** `price` or `size`, and `tick` or `lot`, for messages. */
  readonly what: string;
  readonly unitName: string;
  /** The fixed unit, or the coarsest one to start with; null: the first number. */
  readonly unit: Decimal | null;
  readonly isHeld: boolean;
  /** A sentence that says what to do about a number off a fixed unit. */
  readonly remedy: string;
  /** The coarsest allowed unit that divides both; all are integers of 10^-decimals. */
  readonly finer: (unit: number, value: number) => number;
  /** Placed numbers must be multiplied by `factor`. */
  readonly onFiner: (factor: number) => void;
}

export class Grid {
  readonly #rule: GridRule;
  /** In 10^-decimals; 0 before the first number. */
  #unit: number;
  #decimals: number;
  #largest = 0;

  constructor(rule: GridRule) {
    this.#rule = rule;
    this.#unit = rule.unit?.mantissa ?? 0;
    this.#decimals = rule.unit?.decimals ?? 0;
  }

  /** The unit in 1e-9; 1 for a file without numbers. */
  get nanos(): number {
    const nanos = this.#unit * POWERS[NANO_DECIMALS - this.#decimals]!;
    return nanos === 0 ? 1e9 : nanos;
  }

  get text(): string {
    return decimalText(this.#unit, this.#decimals);
  }

  /** Prepares for numbers with this many decimals; returns the factor to apply before placing them. */
  align(decimals: number): number {
    if (decimals > NANO_DECIMALS) {
      throw new FeedError(
        `A ${this.#rule.what} has ${decimals} decimals; at most ${NANO_DECIMALS} are kept.`,
      );
    }
    if (decimals <= this.#decimals) return POWERS[this.#decimals - decimals]!;
    this.#unit *= POWERS[decimals - this.#decimals]!;
    this.#decimals = decimals;
    return 1;
  }

  /** The multiple of the unit that a number is; `batch` and `index` give its row for errors. */
  place(value: number, batch: Pick<FeedTrades, 'rowOf'>, index: number): number {
    const place = Math.round(value / this.#unit);
    const size = place < 0 ? -place : place;
    const isExact = place * this.#unit === value && Number.isSafeInteger(value);
    if (!isExact || size > PLACE_MAX) return this.#placeFiner(value, batch.rowOf(index));
    if (size > this.#largest) this.#largest = size;
    return place;
  }

  /**
   * Like `place`, for the numbers [from, to) times `factor`, written to `into` starting at `at`. Stops at one that is 0
   * or off the current unit, and returns its index.
   */
  placeMany(
    { values, factor }: { readonly values: Float64Array; readonly factor: number },
    from: number,
    to: number,
    into: Int32Array,
    at: number,
  ): number {
    const unit = this.#unit;
    // Faster than division; a wrong result is detected below as no multiple.
    const perUnit = 1 / unit;
    const shift = at - from;
    let largest = this.#largest;
    let index = from;
    for (; index < to; index += 1) {
      const value = values[index]! * factor;
      const place = value * perUnit + ROUNDING - ROUNDING;
      const size = place < 0 ? -place : place;
      if (place * unit !== value || size > PLACE_MAX || size === 0) break;
      if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) break;
      if (size > largest) largest = size;
      into[index + shift] = place;
    }
    this.#largest = largest;
    return index;
  }

  /** A single price does not show the step, so its last digit determines the unit. */
  settle(): void {
    if (this.#rule.isHeld || this.#largest > 1 || this.#unit === 0) return;
    this.#become(powerDividing(POWERS[this.#decimals]!, this.#unit), 0, 0);
  }

  #placeFiner(value: number, row: number): number {
    const { what, unitName, isHeld, remedy, finer } = this.#rule;
    if (value === 0) return 0;
    const shown = decimalText(value, this.#decimals);
    if (!Number.isSafeInteger(value)) {
      throw new FeedError(`Row ${row} has the ${what} ${shown}, which cannot be exact.`, row);
    }
    const isOff = Math.round(value / this.#unit) * this.#unit !== value;
    if (isHeld && isOff) {
      throw new FeedError(
        `Row ${row} has the ${what} ${shown}, which is no multiple of the ${unitName} ${this.text}. ` +
          remedy,
        row,
      );
    }
    if (isOff) this.#become(finer(this.#unit, value), value, row);
    const place = value / this.#unit;
    this.#refuseLarge(Math.abs(place), value, row);
    this.#largest = Math.max(this.#largest, Math.abs(place));
    return place;
  }

  #become(unit: number, value: number, row: number): void {
    const factor = this.#unit === 0 ? 1 : this.#unit / unit;
    this.#unit = unit;
    this.#refuseLarge(this.#largest * factor, value, row);
    this.#largest *= factor;
    if (factor !== 1) this.#rule.onFiner(factor);
  }

  #refuseLarge(place: number, value: number, row: number): void {
    if (place <= PLACE_MAX) return;
    const { what, unitName } = this.#rule;
    throw new FeedError(
      `Row ${row} has the ${what} ${decimalText(value, this.#decimals)}: with a ${unitName} of ${this.text} ` +
        `the file has a ${what} of more than ${PLACE_MAX} ${unitName}s, which is more than is kept.`,
      row,
    );
  }
}

export function greatestCommonDivisor(unit: number, value: number): number {
  let [a, b] = [Math.abs(value), unit];
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

/** The greatest power of ten, at most `unit`, that divides a value. */
export function powerDividing(unit: number, value: number): number {
  let power = unit;
  while (value % power !== 0) power /= 10;
  return power;
}
