/**
 * Whether all of a query is on the tape, and what it costs. The cost is counted by rank, from where the page starts to
 * the end of the range, so that the costs of all pages add up to the estimate, whatever the pages are. Cursors ahead of
 * what the caller sees are waited for (`awaited-cover.ts`); the compute threads find all else in one call (`runs/cover.ts`).
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
  /** Where the reading starts: at `from`, or at the cursor of a further page. */
  readonly start: EpochNs;
  /** From the start of the reading to the end of the range. */
  readonly trades: number;
  readonly computeUnits: number;
  /** Of the days from the start of the reading on. */
  readonly coverage: Coverage;
}

export interface CoverMoment extends AwaitedMoment {
  /** Whether the tape is complete as far as it will be. */
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
  /** Of all that is asked for with it, which a refusal tells the cost of. */
  unitsPerTrade = asked.computeUnitsPerTrade,
): Promise<CoveredQuery> {
  if (!moment.isReady()) {
    const detail = 'The service is still reading its tape. Try again soon.';
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

/** From when on carried objects come, as answers say it; null where nothing is carried. */
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
    ? ' A session is returned whole or not at all, so its first days are needed.'
    : '';
  return Refusal.ofQuestion({
    code: 'NOT_COVERED',
    detail: `There is no complete data for ${named(missingDays)}.${why}`,
    members: { computeUnits: trades * computeUnitsPerTrade, ...missingMembers(missingDays) },
  });
}

function named([first, ...others]: readonly UtcDay[]): string {
  if (others.length === 0) return dayText(first!);
  return `${dayText(first!)} and ${others.length} more ${others.length === 1 ? 'day' : 'days'}`;
}
