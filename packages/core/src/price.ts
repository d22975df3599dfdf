/**
 * Inside the service prices are whole ticks; decimals appear only on screens and at a feed's edge. All conversions use
 * integers (nanos, 1e-9 of the currency unit), so none rounds silently.
 */

import { TICKS_MAX, type Ticks } from './numbers.ts';

const NANOS_PER_UNIT = 1_000_000_000n;

/** The price in ticks; null if it is off the tick grid or out of range. */
export function ticksFromNanos(priceNanos: bigint, tickSizeNanos: number): Ticks | null {
  const tick = BigInt(tickSizeNanos);
  if (priceNanos % tick !== 0n) return null;
  const value = Number(priceNanos / tick);
  if (value > TICKS_MAX || value < -TICKS_MAX - 1) return null;
  return value as Ticks;
}

export function nanosFromTicks(price: number, tickSizeNanos: number): bigint {
  return BigInt(price) * BigInt(tickSizeNanos);
}

/** Decimal text with as many places as the tick size needs: 20001 ticks of 0.25 → "5000.25". */
export function formatPrice(price: number, tickSizeNanos: number): string {
  const nanos = nanosFromTicks(price, tickSizeNanos);
  const places = decimalPlaces(tickSizeNanos);
  const absolute = nanos < 0n ? -nanos : nanos;
  const sign = nanos < 0n ? '-' : '';
  const units = absolute / NANOS_PER_UNIT;
  if (places === 0) return `${sign}${units}`;
  const fraction = (absolute % NANOS_PER_UNIT).toString().padStart(9, '0').slice(0, places);
  return `${sign}${units}.${fraction}`;
}

/** The nanos of a plain decimal text; null if it is none, or finer than a nano. */
export function parseDecimalNanos(text: string): bigint | null {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text);
  if (match === null) return null;
  const whole = BigInt(match[2]!) * NANOS_PER_UNIT + BigInt((match[3] ?? '').padEnd(9, '0'));
  return match[1] === '-' ? -whole : whole;
}

function decimalPlaces(tickSizeNanos: number): number {
  let places = 9;
  let rest = tickSizeNanos;
  while (places > 0 && rest % 10 === 0) {
    rest /= 10;
    places -= 1;
  }
  return places;
}
