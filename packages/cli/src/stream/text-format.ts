/** Renders numbers and times for people. All times are UTC. */

import { MS_NS_BIG, SECOND_NS_BIG } from '@tapeloom/core/units';

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** 1234567 → "1,234,567". */
export function wholeText(value: number): string {
  return WHOLE.format(value);
}

/** `1 trade`, `2 trades`. */
export function tradesText(count: number): string {
  return `${wholeText(count)} ${count === 1 ? 'trade' : 'trades'}`;
}

/** Signed, except 0: +12, −5, 0. */
export function signedText(value: number): string {
  if (value === 0) return '0';
  return value > 0 ? `+${wholeText(value)}` : `−${wholeText(-value)}`;
}

/** Nanoseconds since 1970 → "14:31:07". */
export function clockText(ns: bigint): string {
  return iso(ns).slice(11, 19);
}

/** Nanoseconds since 1970 → "14:31:07.204". */
export function exactClockText(ns: bigint): string {
  return iso(ns).slice(11, 23);
}

/** Nanoseconds since 1970 → "Sunday 2026-11-15 23:00 UTC". */
export function dateText(ns: bigint): string {
  const weekday = new Date(Number(ns / MS_NS_BIG)).toLocaleDateString('en-US', {
    weekday: 'long',
    timeZone: 'UTC',
  });
  return `${weekday} ${iso(ns).slice(0, 10)} ${iso(ns).slice(11, 16)} UTC`;
}

/** A span as its two largest parts: "2 d 5 h", "3 h 20 min", "45 s". */
export function spanText(ns: bigint): string {
  const seconds = Number(ns / SECOND_NS_BIG);
  const parts: readonly (readonly [number, string])[] = [
    [Math.trunc(seconds / 86_400), 'd'],
    [Math.trunc(seconds / 3_600) % 24, 'h'],
    [Math.trunc(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

function iso(ns: bigint): string {
  return new Date(Number(ns / MS_NS_BIG)).toISOString();
}
