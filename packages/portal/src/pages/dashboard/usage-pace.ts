/** How long a month's budget lasts: the even pace, and when the rest runs out at the present pace. */

import type { UsageView } from '../../api/portal-shapes.ts';
import { short } from '../../components/number-text.ts';

const DAY_MS = 86_400_000;
/** Below this share a pace is not meaningful. */
const SHARE_TELLING = 0.1;

export interface UsageAt {
  readonly usage: UsageView;
  readonly nowMs: number;
}

export interface Month {
  /** `2026-11` */
  readonly period: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly days: number;
}

export function monthOf(period: string): Month {
  const [year, month] = period.split('-').map(Number) as [number, number];
  const fromMs = Date.UTC(year, month - 1, 1);
  const untilMs = Date.UTC(year, month, 1);
  return { period, fromMs, untilMs, days: Math.round((untilMs - fromMs) / DAY_MS) };
}

/** `November 2026` */
export function monthName(period: string): string {
  return named(period, { month: 'long', year: 'numeric' });
}

/** `November` */
export function shortMonthName(period: string): string {
  return named(period, { month: 'long' });
}

/** `Nov` */
export function monthAbbreviation(period: string): string {
  return named(period, { month: 'short' }).slice(0, 3);
}

function named(period: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(
    monthOf(period).fromMs,
  );
}

/** `24 November` */
export function dayAndMonth(ms: number): string {
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  }).format(ms);
}

/** The elapsed share of the month, 0 to 1. */
export function elapsedShare({ fromMs, untilMs }: Month, nowMs: number): number {
  return Math.min(1, Math.max(0, (nowMs - fromMs) / (untilMs - fromMs)));
}

export type Pace =
  | { readonly t: 'lasts' }
  /** It runs out at this instant, before the month ends. */
  | { readonly t: 'short'; readonly atMs: number }
  | { readonly t: 'used-up' };

export function paceOf(used: number, limit: number, month: Month, nowMs: number): Pace {
  if (limit <= 0) return { t: 'lasts' };
  if (used >= limit) return { t: 'used-up' };
  if (used < limit * SHARE_TELLING) return { t: 'lasts' };
  const elapsedMs = Math.max(0, nowMs - month.fromMs);
  const atMs = month.fromMs + (elapsedMs * limit) / used;
  return atMs < month.untilMs ? { t: 'short', atMs } : { t: 'lasts' };
}

/** A round number at or above this one, for the end of a scale: 1, 2 or 5 times a power of ten. */
export function roundAbove(value: number): number {
  if (value <= 0) return 1;
  const step = 10 ** Math.floor(Math.log10(value));
  const found = [1, 2, 5, 10].find((times) => times * step >= value) ?? 10;
  return found * step;
}

/** `20 bn`, `50 m`, `1.5 k`: short, for axes; rounded down as in prose, so that both agree. */
export function axisNumber(value: number): string {
  for (const [from, unit] of [
    [1e9, 'bn'],
    [1e6, 'm'],
    [1e3, 'k'],
  ] as const) {
    if (value >= from) return `${short(value / from)} ${unit}`;
  }
  return String(value);
}
