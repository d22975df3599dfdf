/**
 * Decimal numbers as exact doubles: a column of integers of 10^-decimals, where `decimals` is what the finest number
 * needs. A number that would make another one inexact starts a new column.
 */

/** More than any market uses. */
const DECIMALS_MAX = 18;
export const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
export const NANOS = 1e9;
const NANO_DECIMALS = 9;
/** The accepted relative error of a floating number: what a few operations leave. */
export const FLOAT_ERROR = 2 ** -50;
const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

export class DecimalColumn {
  readonly values: Float64Array;
  /** Grows when finer numbers arrive. */
  decimals = 0;
  #largest = 0;

  constructor(capacity: number) {
    this.values = new Float64Array(capacity);
  }

  /** Restarts at row 0; keeps `decimals`, since further numbers are probably as fine. */
  restart(): void {
    this.#largest = 0;
  }

  /** Sets the row after all previous ones to `mantissa` · 10^-`decimals`; false if that needs a new column. */
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
   * Sets rows from `row` on to integers of 10^-places. Stops at one that is 0, or that needs more decimals than the
   * column has. Returns the number of rows set.
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

  /** Like `setWholes`, for floats that each stand for a multiple of a billionth. */
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

export interface Decimal {
  readonly mantissa: number;
  readonly decimals: number;
}

/** Null unless the text is a decimal number whose digits a double holds exactly. */
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

/** The shortest form, with 0 to 18 decimals; null if that is not exact. */
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

/** Without trailing zeros. */
export function decimalText(mantissa: number, decimals: number): string {
  const digits = String(Math.abs(mantissa)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const text = decimals === 0 || fraction === '' ? whole : `${whole}.${fraction}`;
  return mantissa < 0 ? `-${text}` : text;
}
