/**
 * Checks that the tape covers a query, and computes its cost. The cost counts ranks from the start of the page to the
 * end of the range, so the costs of all pages add up to the estimate, whatever their sizes. `awaited-cover.ts` waits
 * for cursors that the caller cannot see yet; one call to the compute threads (`runs/cover.ts`) finds everything else.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import { Refusal } from '../platform/refusal.ts';
import { dayText, missingMembers, NOT_WARM_DETAIL } from '../platform/refusal-answer.ts';
import type { Outside, RangeEnd } from '../runs/cover.ts';
import { type Coverage, tradesBetween } from '../runs/coverage.ts';
import { type AwaitedMoment, awaitedCover, type CoverSources } from './awaited-cover.ts';
import { type HistoryQuery, untilBeforeFrom } from './history-query.ts';

export interface CoveredQuery extends Omit<RangeEnd, 'isGone'> {
  readonly query: HistoryQuery;
  /** Where the read starts: at `from`, or at the cursor of a further page. */
  readonly start: EpochNs;
  /** From the start of the read to the end of the range. */
  readonly trades: number;
  readonly computeUnits: number;
  /** Of the days from the start of the read on. */
  readonly coverage: Coverage;
}

export interface CoverMoment extends AwaitedMoment {
  /** Whether the tape is completely loaded. */
  readonly isReady: () => boolean;
}

const REFUSALS: Readonly<Record<Outside, () => Refusal>> = {
  'until-before-from': untilBeforeFrom,
  'cursor-gone': () => {
    const detail = 'The day of the cursor is no longer on the tape.';
    return Refusal.ofQuestion({ code: 'CURSOR_EXPIRED', detail });
  },
  'cursor-after-end': () => ofField('/cursor', 'must not be after the end of the range'),
  'cursor-before-from': () => ofField('/cursor', 'must not be before /from'),
};

export async function coverQuery(
  asked: HistoryQuery,
  sources: CoverSources,
  moment: CoverMoment,
  /** Of all studies in the request: an error names their cost together. */
  unitsPerTrade = asked.computeUnitsPerTrade,
): Promise<CoveredQuery> {
  if (!moment.isReady()) {
    const detail =
      'The service is still reading its tape, or waits for the first trades of a new one. Try again soon.';
    throw Refusal.ofQuestion({ code: 'WARMING', detail });
  }
  const { query, cover } = await awaitedCover(asked, sources, moment);
  if (cover.t === 'outside') throw REFUSALS[cover.why]();
  const {
    start,
    coverage,
    end: { isGone, ...end },
  } = cover;
  const refusesGaps = query.allowsGaps !== true;
  if (refusesGaps && coverage.missingDays.length > 0) {
    throw notCovered(coverage, start, unitsPerTrade);
  }
  if (isGone) throw ofField('/untilCursor', 'is not on the tape');
  if (refusesGaps && coverage.missingLookBack !== null) throw notWarm(coverage, unitsPerTrade);
  const trades = tradesBetween(coverage, query.cursor, query.untilCursor);
  const computeUnits = trades * query.computeUnitsPerTrade;
  return { query, start, ...end, trades, computeUnits, coverage };
}

/** The time from which carried objects are complete, as responses write it; null if the study carries none. */
export function lookBackText({ lookBackFrom }: Coverage): string | null {
  return lookBackFrom === null ? null : String(lookBackFrom);
}

function ofField(path: string, message: string): Refusal {
  return Refusal.ofFields([{ path, message }]);
}

function notWarm({ trades, missingLookBack }: Coverage, computeUnitsPerTrade: number): Refusal {
  const days =
    missingLookBack!.length === 0 ? '' : ` There is no data for ${named(missingLookBack!)}.`;
  return Refusal.ofQuestion({
    code: 'NOT_COVERED',
    detail: `${NOT_WARM_DETAIL}${days}`,
    members: { computeUnits: trades * computeUnitsPerTrade, ...missingMembers(missingLookBack!) },
  });
}

function notCovered(
  { trades, missingDays }: Coverage,
  start: EpochNs,
  computeUnitsPerTrade: number,
): Refusal {
  const isBefore = missingDays[0]! < dayOf(start);
  const why = isBefore
    ? ' The session at the start of the range is computed from its open, so the days since then are needed.'
    : '';
  return Refusal.ofQuestion({
    code: 'NOT_COVERED',
    detail: `There is no complete data for ${named(missingDays)}.${why} With gaps=allow you get the data that exists.`,
    members: { computeUnits: trades * computeUnitsPerTrade, ...missingMembers(missingDays) },
  });
}

function named([first, ...others]: readonly UtcDay[]): string {
  if (others.length === 0) return dayText(first!);
  return `${dayText(first!)} and ${others.length} more ${others.length === 1 ? 'day' : 'days'}`;
}
