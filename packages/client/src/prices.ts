/** Prices travel as whole ticks; these turn them into currency, without a rounding error on the way. */

const NANOS_PER_UNIT = 1_000_000_000;
const NANOS_DIGITS = 9;

/** The number nearest to the price: 24421 ticks of 250,000,000 nanos → 6105.25. */
export function priceOf(ticks: number, tickSizeNanos: number): number {
  const nanos = ticks * tickSizeNanos;
  // Both sides of the division are exact, so its result is the nearest number there is.
  if (Number.isSafeInteger(nanos)) return nanos / NANOS_PER_UNIT;
  return Number(priceText(ticks, tickSizeNanos));
}

/** The exact price with as many decimal places as the tick size needs: 20000 ticks of 0.25 → "5000.00". */
export function priceText(ticks: number, tickSizeNanos: number): string {
  const nanos = BigInt(ticks) * BigInt(tickSizeNanos);
  const digits = (nanos < 0n ? -nanos : nanos).toString().padStart(NANOS_DIGITS + 1, '0');
  const units = `${nanos < 0n ? '-' : ''}${digits.slice(0, -NANOS_DIGITS)}`;
  const places = NANOS_DIGITS - trailingZeros(tickSizeNanos);
  if (places <= 0) return units;
  return `${units}.${digits.slice(-NANOS_DIGITS).slice(0, places)}`;
}

function trailingZeros(tickSizeNanos: number): number {
  const text = String(tickSizeNanos);
  return text.length - text.replace(/0+$/, '').length;
}
