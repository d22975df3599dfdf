/** Values in mails: times in UTC, marked as such, and money with its currency. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { GIB, MS_NS_BIG } from '@tapeloom/core/units';

const DAY = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});
const TIME = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  hour: '2-digit',
  minute: '2-digit',
});

const EXACT_TIME = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

const MONTH = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' });
/** Truncated, not rounded up: a budget must not look used up before it is. */
const CUT = { maximumFractionDigits: 2, roundingMode: 'trunc' } as const;
const COUNT = new Intl.NumberFormat('en', {
  notation: 'compact',
  compactDisplay: 'long',
  ...CUT,
});
const SIZE = new Intl.NumberFormat('en', CUT);

/** `November 2026`, from `2026-11`. */
export function monthText(period: string): string {
  return MONTH.format(new Date(`${period}-01T00:00:00Z`));
}

/** `12.42 billion` */
export function countText(count: number): string {
  return COUNT.format(count);
}

/** `6.8 GiB` */
export function bytesText(bytes: number): string {
  return `${SIZE.format(bytes / GIB)} GiB`;
}

/** `22 November 2026, 14:35 UTC` */
export function momentText(instant: EpochNs): string {
  const ms = Number(instant / MS_NS_BIG);
  return `${DAY.format(ms)}, ${TIME.format(ms)} UTC`;
}

/** `22 November 2026, 14:35:08 UTC` */
export function exactMomentText(instant: EpochNs): string {
  const ms = Number(instant / MS_NS_BIG);
  return `${DAY.format(ms)}, ${EXACT_TIME.format(ms)} UTC`;
}

/** `€29.00`, from cents. */
export function moneyText(amountMinor: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amountMinor / 10 ** digits);
}
