/**
 * A venue's decimal text as a whole number of ticks or lots. It is exact and never rounds: what lies off the grid
 * becomes a fraction, which takes the contract down with the number in the message.
 */

import { TICKS_MAX } from '@tapeloom/core/numbers';
import type { FeedTrade } from './lines/line.ts';

/** No price has more digits: a text of a million would take a second. */
const DECIMAL = /^(-?)(\d{1,40})(?:\.(\d{0,40}))?(?:[eE]([+-]?\d{1,2}))?$/;
const NANO_DECIMALS = 9;
const MILLION = 1_000_000n;
/** So many digits are exact in a double. */
const EXACT_DIGITS = 15;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;

/** Not a number: the text is no decimal number. */
export function onGrid(text: string, unitNanos: number): number {
  const quick = quickly(text, unitNanos);
  return Number.isNaN(quick) ? exactly(text, unitNanos) : quick;
}

/** What is wrong with a trade's price or size, for the operator; null: nothing. */
export function offGrid({ id, price, size }: FeedTrade): string | null {
  const isOnGrid = Number.isInteger(price) && Math.abs(price) <= TICKS_MAX;
  if (isOnGrid && Number.isInteger(size)) return null;
  return `Trade ${id} has a price or size off the grid of its contract: ${price} ticks, ${size} lots.`;
}

/** Plain digits that fit a double, on the grid; otherwise not a number. */
function quickly(text: string, unitNanos: number): number {
  const { length } = text;
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (length - start > EXACT_DIGITS || length === start) return Number.NaN;
  let digits = 0;
  let dotAt = -1;
  for (let at = start; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === DOT && dotAt < 0 && at > start) dotAt = at;
    else if (code < ZERO || code > ZERO + 9) return Number.NaN;
    else digits = digits * 10 + code - ZERO;
  }
  const decimals = dotAt < 0 ? 0 : length - dotAt - 1;
  if (decimals > NANO_DECIMALS) return Number.NaN;
  const scaleNanos = 10 ** (NANO_DECIMALS - decimals);
  const units =
    scaleNanos >= unitNanos ? digits * (scaleNanos / unitNanos) : digits / (unitNanos / scaleNanos);
  const isExact =
    (scaleNanos >= unitNanos ? scaleNanos % unitNanos : unitNanos % scaleNanos) === 0 &&
    Number.isSafeInteger(units);
  if (!isExact) return Number.NaN;
  return start === 1 ? -units : units;
}

function exactly(text: string, unitNanos: number): number {
  const match = DECIMAL.exec(text);
  if (match === null) return Number.NaN;
  const [, sign, wholes = '', decimals = '', exponent = '0'] = match;
  const shift = NANO_DECIMALS + Number(exponent) - decimals.length;
  const digits = BigInt(wholes + decimals);
  const scale = 10n ** BigInt(Math.abs(shift));
  const top = shift >= 0 ? digits * scale : digits;
  const bottom = BigInt(unitNanos) * (shift >= 0 ? 1n : scale);
  const whole = Number(top / bottom);
  const rest = top % bottom;
  const units = rest === 0n ? whole : withFraction(whole, Number((rest * MILLION) / bottom) / 1e6);
  return sign === '-' ? -units : units;
}

/** Never whole, however large the units or small the fraction. */
function withFraction(units: number, fraction: number): number {
  const sum = units + fraction;
  return Number.isInteger(sum) ? units + 0.5 : sum;
}
