/**
 * Decimal numbers as exact doubles: a column of whole numbers of 10^-decimals, where `decimals` is what the finest of
 * its numbers needs. A number that would make another one inexact begins a new column instead.
 */

/** More decimals than any market has. */
const DECIMALS_MAX = 18;
export const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
export const NANOS = 1e9;
const NANO_DECIMALS = 9;
/** A floating number may be off its decimal by so much of itself: what a few operations leave. */
export const FLOAT_ERROR = 2 ** -50;
const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

export class DecimalColumn {
  readonly values: Float64Array;
  /** Grows as finer numbers come. */
  decimals = 0;
  #largest = 0;

  constructor(capacity: number) {
    this.values = new Float64Array(capacity);
  }

  /** From here on, row 0 is the next to be set; what comes is expected to be as fine as what was. */
  restart(): void {
    this.#largest = 0;
  }

  /** Sets a row after all before it to `mantissa` · 10^-`decimals`; false when that needs a column of its own. */
  set(row: number, mantissa: number, decimals: number): boolean {
    if (decimals === this.decimals) {
      this.values[row] = mantissa;
      const size = mantissa < 0 ? -mantissa : mantissa;
      if (size > this.#largest) this.#largest = size;
      return true;
    }
    return this.#setOther(row, mantissa, decimals);
  }

  /**
   * Sets rows from `row` on to whole numbers of 10^-places, up to one that is 0 or needs more decimals than the column has by now;
   * how many were set.
   */
  setWholes(row: number, wholes: Float64Array, count: number, places: number): number {
    const { values } = this;
    const more = this.decimals - places;
    const factor = more >= 0 ? POWERS[more]! : 1;
    const unit = more >= 0 ? 1 : POWERS[-more]!;
    let largest = this.#largest;
    let index = 0;
    for (; index < count; index += 1) {
      const whole = wholes[index]!;
      const value = unit === 1 ? whole * factor : Math.round(whole / unit);
      const size = value < 0 ? -value : value;
      if (!(size <= Number.MAX_SAFE_INTEGER) || size === 0) break;
      if (unit !== 1 && value * unit !== whole) break;
      if (size > largest) largest = size;
      values[row + index] = value;
    }
    this.#largest = largest;
    return index;
  }

  /** The same of floating numbers, each of which stands for the multiple of a billionth that it was made of. */
  setFloats(row: number, floats: Float64Array, count: number): number {
    if (this.decimals > NANO_DECIMALS) return 0;
    const { values } = this;
    const scale = POWERS[this.decimals]!;
    const unit = POWERS[NANO_DECIMALS - this.decimals]!;
    let largest = this.#largest;
    let index = 0;
    for (; index < count; index += 1) {
      const float = floats[index]!;
      const value = Math.round(float * scale);
      const size = value < 0 ? -value : value;
      if (!(size <= Number.MAX_SAFE_INTEGER) || size === 0) break;
      if (Math.trunc(float) !== float) {
        const nanos = value * unit;
        if (nanos !== Math.round(float * NANOS) || !Number.isSafeInteger(nanos)) break;
        if (Math.abs(nanos / NANOS - float) > Math.abs(float) * FLOAT_ERROR) break;
      }
      if (size > largest) largest = size;
      values[row + index] = value;
    }
    this.#largest = largest;
    return index;
  }

  #setOther(row: number, mantissa: number, decimals: number): boolean {
    if (decimals < this.decimals) {
      const value = mantissa * POWERS[this.decimals - decimals]!;
      if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return this.set(row, value, this.decimals);
      if (row > 0) return false;
      this.decimals = decimals;
      return this.set(row, mantissa, decimals);
    }
    const factor = POWERS[decimals - this.decimals]!;
    if (this.#largest * factor > Number.MAX_SAFE_INTEGER) return false;
    for (let before = 0; before < row; before += 1) this.values[before]! *= factor;
    this.#largest *= factor;
    this.decimals = decimals;
    return this.set(row, mantissa, decimals);
  }
}

/** A number in its shortest form. */
export interface Decimal {
  readonly mantissa: number;
  readonly decimals: number;
}

/** What a text says, or null when it is no decimal number, or one with more digits than a double holds exactly. */
export function parseDecimal(text: string): Decimal | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return null;
  return shortest(
    BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`),
    fraction.length - Number(exponent),
  );
}

/** The same as whole numbers of 10^-decimals, 0 to 18 of them, without needless zeros; null where that is not exact. */
export function shortest(whole: bigint, places: number): Decimal | null {
  if (whole === 0n) return { mantissa: 0, decimals: 0 };
  let mantissa = whole;
  let decimals = places;
  while (decimals > 0 && mantissa % 10n === 0n) {
    mantissa /= 10n;
    decimals -= 1;
  }
  if (decimals < -DECIMALS_MAX || decimals > DECIMALS_MAX) return null;
  if (decimals < 0) {
    mantissa *= 10n ** BigInt(-decimals);
    decimals = 0;
  }
  const value = Number(mantissa);
  return Number.isSafeInteger(value) ? { mantissa: value, decimals } : null;
}

/** Without needless zeros. */
export function decimalText(mantissa: number, decimals: number): string {
  const digits = String(Math.abs(mantissa)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const text = decimals === 0 || fraction === '' ? whole : `${whole}.${fraction}`;
  return mantissa < 0 ? `-${text}` : text;
}
