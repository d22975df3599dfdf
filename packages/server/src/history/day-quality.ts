/**
 * The data quality of a contract by day, as ranges of equal days. Days on which the market was closed belong to no
 * range and do not end one.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import { tradesOnUtcDay } from '@tapeloom/core/calendar/session-table';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays } from '@tapeloom/core/utc-day';
import type { DaySpan, TapeDay } from '../tape/tape.ts';

/** `partial`: hours are missing. `open`: the day still grows, and has everything up to the watermark but its gaps. `damaged`: the day cannot be read. */
export const DAY_STATES = [
  'complete',
  'no-trades',
  'partial',
  'open',
  'damaged',
  'missing',
] as const;
export type DayState = (typeof DAY_STATES)[number];

/** The origin of the trades. */
export const DAY_ORIGINS = ['live', 'imported', 'replaced'] as const;
export type DayOrigin = (typeof DAY_ORIGINS)[number];

export interface DayQuality {
  readonly state: Exclude<DayState, 'missing'>;
  readonly origin: DayOrigin;
  readonly gaps: readonly DaySpan[];
  /** Trades outside of the market's hours; left out if there are none. */
  readonly outside?: number;
}

export interface QualityRange {
  readonly from: UtcDay;
  readonly to: UtcDay;
  readonly state: DayState;
  /** Null if no data can be read. */
  readonly origin: DayOrigin | null;
  /** The missing hours of a partial or open day; a day with some is a range of its own. */
  readonly gaps: readonly DaySpan[];
  /** The number of trades outside of the market's hours; such a day is a range of its own. */
  readonly outside?: number;
}

export function qualityOf({ state, trades, origin, gaps = [], outside }: TapeDay): DayQuality {
  const sealed = trades === 0 ? 'no-trades' : 'complete';
  const found = state === 'sealed' ? sealed : state;
  const quality = { state: found, origin: origin ?? 'live', gaps } as const;
  return outside === undefined ? quality : { ...quality, outside };
}

/** Of all days of [first, last], ascending. */
export function qualityRanges(
  days: ReadonlyMap<UtcDay, DayQuality>,
  full: SessionTable,
  first: UtcDay,
  last: UtcDay,
): readonly QualityRange[] {
  const ranges: QualityRange[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) {
    const found = days.get(day);
    const state = found?.state ?? 'missing';
    // The market can only have been closed in these two states.
    const mayBeClosed = state === 'missing' || state === 'no-trades';
    if (mayBeClosed && !tradesOnUtcDay(full, day)) continue;
    const origin = found === undefined || state === 'damaged' ? null : found.origin;
    const before = ranges.at(-1);
    const outside = found?.outside;
    const { gaps = [] } = found ?? {};
    const hasGaps = gaps.length > 0 || (before?.gaps.length ?? 0) > 0;
    const isOwn =
      state === 'partial' || hasGaps || outside !== undefined || before?.outside !== undefined;
    const isAlike = before?.state === state && before.origin === origin && !isOwn;
    if (isAlike) ranges[ranges.length - 1] = { ...before, to: day };
    else {
      const own = outside === undefined ? {} : { outside };
      ranges.push({ from: day, to: day, state, origin, gaps, ...own });
    }
  }
  return ranges;
}
