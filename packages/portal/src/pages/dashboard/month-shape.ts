/** The month against its budget, as two panes: above, the month so far with its projection; below, the days. Pure. */

import type { UsageView } from '../../api/portal-shapes.ts';
import { type Month, paceOf, roundAbove } from './usage-pace.ts';

export const CHART_HEIGHT = 252;
const AXIS_WIDTH = 52;
const SUM_TOP = 22;
const SUM_HEIGHT = 132;
const DAYS_TOP = 176;
const DAYS_HEIGHT = 52;

export interface MonthShape {
  readonly right: number;
  /** Grid lines with their values. */
  readonly sumLines: readonly Line[];
  readonly dayLines: readonly Line[];
  /** Null: the plan has no such budget. */
  readonly limit: Line | null;
  /** The month so far as points; empty before the first day. */
  readonly sum: readonly Place[];
  readonly bars: readonly Bar[];
  readonly days: readonly { readonly day: number; readonly x: number }[];
  /** Where the budget runs out at this pace. */
  readonly end: (Place & { readonly atMs: number }) | null;
}

interface Line {
  readonly value: number;
  readonly y: number;
}
interface Place {
  readonly x: number;
  readonly y: number;
}
interface Bar extends Place {
  readonly day: number;
  readonly width: number;
  readonly height: number;
  readonly isToday: boolean;
}

export interface MonthFacts {
  readonly month: Month;
  readonly days: UsageView['days'];
  readonly limit: number;
  readonly nowMs: number;
}

export function monthShape(facts: MonthFacts, width: number): MonthShape {
  const { month, limit, nowMs } = facts;
  const right = Math.max(0, width - AXIS_WIDTH);
  const step = right / month.days;
  const byDay = dayValues(facts);
  const total = byDay.reduce((sum, value) => sum + value, 0);
  const sumTop = limit > 0 ? Math.max(limit, total) : roundAbove(total);
  const dayTop = roundAbove(Math.max(...byDay));
  const sumY = (value: number) => SUM_TOP + (1 - value / sumTop) * SUM_HEIGHT;
  const dayY = (value: number) => DAYS_TOP + (1 - value / dayTop) * DAYS_HEIGHT;
  const middle = (index: number) => index * step + step / 2;
  const today = todayIn(month, nowMs);
  let sum = 0;
  const places = byDay.slice(0, today).map((value, index) => {
    sum += value;
    return { x: middle(index), y: sumY(sum) };
  });
  const pace = today < month.days ? paceOf(total, limit, month, nowMs) : { t: 'lasts' as const };
  const everyDays = width < 500 ? 7 : 2;
  return {
    right,
    sumLines: [0, sumTop / 2, ...(limit > 0 ? [] : [sumTop])].map((value) => ({
      value,
      y: sumY(value),
    })),
    dayLines: (total === 0 ? [0] : [0, dayTop / 2]).map((value) => ({ value, y: dayY(value) })),
    limit: limit > 0 ? { value: limit, y: sumY(limit) } : null,
    sum: places,
    bars: byDay.map((value, index) => ({
      day: index + 1,
      x: index * step + step * 0.18,
      y: dayY(value),
      width: step * 0.64,
      height: dayY(0) - dayY(value),
      isToday: index === today - 1 && nowMs < month.untilMs,
    })),
    days: byDay
      .map((_, index) => ({ day: index + 1, x: middle(index) }))
      .filter(({ day }) => (day - 1) % everyDays === 0),
    end:
      pace.t === 'short'
        ? {
            x: ((pace.atMs - month.fromMs) / (month.untilMs - month.fromMs)) * right,
            y: sumY(limit),
            atMs: pace.atMs,
          }
        : null,
  };
}

/** Compute units per day of the month. */
export function dayValues({ month, days }: Pick<MonthFacts, 'month' | 'days'>): number[] {
  const used = new Map(days.map(({ day, used: { computeUnits } }) => [day, computeUnits]));
  return Array.from({ length: month.days }, (_, index) => {
    const day = `${month.period}-${String(index + 1).padStart(2, '0')}`;
    return used.get(day) ?? 0;
  });
}

/** How many days of the month have begun. */
function todayIn({ fromMs, untilMs, days }: Month, nowMs: number): number {
  if (nowMs >= untilMs) return days;
  return Math.max(0, Math.floor((nowMs - fromMs) / 86_400_000) + 1);
}
