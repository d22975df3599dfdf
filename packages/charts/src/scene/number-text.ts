/** Numbers as charts write them: grouped, with a true minus, and shortened where only a few figures fit. */

import { formatPrice } from '@tapeloom/core/price';

export const MINUS = '−';
/** Counts from here on are shortened in cells. */
const SHORT_FROM = 10_000;
const HUNDRED_THOUSAND = 100_000;
const MILLION = 1_000_000;
const BILLION = 1_000_000_000;

/** 1,234 */
export function countText(count: number): string {
  const text = String(Math.abs(Math.round(count))).replace(/\B(?=(\d{3})+$)/g, ',');
  return count < 0 ? `${MINUS}${text}` : text;
}

/** +1,234, −1,234 or 0 */
export function signedText(count: number): string {
  return count > 0 ? `+${countText(count)}` : countText(count);
}

/** 1234, 12.4k, 124k, 1.24M */
export function shortText(count: number): string {
  const size = Math.abs(count);
  const sign = count < 0 ? MINUS : '';
  if (size < SHORT_FROM) return `${sign}${size}`;
  // Rounded down, so that 999,999 stays below a million.
  if (size < HUNDRED_THOUSAND) return `${sign}${(Math.floor(size / 100) / 10).toFixed(1)}k`;
  if (size < MILLION) return `${sign}${Math.floor(size / 1000)}k`;
  if (size < BILLION) return `${sign}${(Math.floor(size / 10_000) / 100).toFixed(2)}M`;
  return `${sign}${(Math.floor(size / 10_000_000) / 100).toFixed(2)}B`;
}

/** +12.4k; for cells that hold a delta. */
export function signedShortText(count: number): string {
  return count > 0 ? `+${shortText(count)}` : shortText(count);
}

/** Whole ticks as a price. */
export function priceText(ticks: number, tickSizeNanos: number): string {
  return formatPrice(ticks, tickSizeNanos).replace('-', MINUS);
}

/** A price between ticks, such as a VWAP, with the decimals of the tick. */
export function betweenText(ticks: number, tickSizeNanos: number): string {
  const decimals = priceText(0, tickSizeNanos).split('.')[1]?.length ?? 0;
  return ((ticks * tickSizeNanos) / BILLION).toFixed(decimals).replace('-', MINUS);
}
