/**
 * Prices are sent in ticks: integers for trades, fractions for averages. These functions convert them to currency
 * without rounding errors on the way.
 */

const NANOS_PER_UNIT = 1_000_000_000;
const NANOS_DIGITS = 9;

/** The number nearest to the price: 24421 ticks of 250,000,000 nanos → 6105.25. */
export function priceOf(ticks: number, tickSizeNanos: number): number {
  const nanos = ticks * tickSizeNanos;
  // With exact operands the quotient is the nearest number. A fraction of a tick was rounded before, far more coarsely.
  if (Number.isSafeInteger(nanos) || !Number.isInteger(ticks)) return nanos / NANOS_PER_UNIT;
  return Number(priceText(ticks, tickSizeNanos));
}

/**
 * The price with as many decimal places as the tick size needs: 20000 ticks of 0.25 → "5000.00". Whole ticks are exact.
 * A value between two ticks, such as a VWAP, is rounded to those places: 24421.333333 → "6105.33".
 */
export function priceText(ticks: number, tickSizeNanos: number): string {
  const places = Math.max(0, NANOS_DIGITS - trailingZeros(tickSizeNanos));
  // In units of the last decimal place.
  const steps = roundedSteps(Math.abs(ticks), tickSizeNanos, 10n ** BigInt(NANOS_DIGITS - places));
  const digits = steps.toString().padStart(places + 1, '0');
  const sign = ticks < 0 && steps > 0n ? '-' : '';
  if (places === 0) return `${sign}${digits}`;
  return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

function roundedSteps(ticks: number, tickSizeNanos: number, stepNanos: bigint): bigint {
  const whole = Math.trunc(ticks);
  const fraction = BigInt(Math.round((ticks - whole) * tickSizeNanos));
  const nanos = BigInt(whole) * BigInt(tickSizeNanos) + fraction;
  return (nanos + stepNanos / 2n) / stepNanos;
}

function trailingZeros(tickSizeNanos: number): number {
  const text = String(tickSizeNanos);
  return text.length - text.replace(/0+$/, '').length;
}
