/**
 * What only the tape can tell of a query: whether its cursors are places of this contract inside the range,
 * whether all of it is there, and what it costs. The cost is counted by rank, from where the page starts
 * to the end of the range, so that the costs of all pages add up to the estimate, whatever the pages are.
 *
 * The delay holds for cursors too: one ahead of what the caller may see is answered like one that does not
 * exist, after the same wait (`awaited-cursors.ts`).
 */

import { type Cursor, compareCursors, formatCursor, parseCursor } from '@tapeloom/core/cursor';
import { type EpochNs, RANK_MAX, type Rank, type UtcDay } from '@tapeloom/core/numbers';
import { wholeSecond } from '@tapeloom/core/studies/flush-step';
import { SECOND_NS } from '@tapeloom/core/units';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import { Refusal } from '../platform/refusal.ts';
import { dayText, missingMembers, NOT_WARM_DETAIL } from '../platform/refusal-answer.ts';
import type { SettledDays } from '../results/settled-days.ts';
import type { Coverage, CoveredStudy } from '../runs/coverage.ts';
import { passingGaps } from '../runs/locate-cursor.ts';
import type { CursorPlace, Replays } from '../runs/replay.ts';
import { type AwaitedMoment, awaitCursors, CursorWait } from './awaited-cursors.ts';
import { type HistoryQuery, untilBeforeFrom } from './history-query.ts';

/** Between two looks whether a watermark has come. */
const WATERMARK_LOOK_MS = 20;

export interface CoveredQuery {
  readonly query: HistoryQuery;
  /** Where the reading starts: at `from`, or at the cursor of a further page. */
  readonly start: EpochNs;
  /** Nothing after position(until) is part of the range; of what is, an `untilCursor` may cut more. */
  readonly until: EpochNs;
  /** The same for what a stream published: its flushes up to here contain all of the range. */
  readonly publishedUntil: EpochNs;
  /** Whether both are the same whenever this is asked. */
  readonly isEndFixed: boolean;
  /** From the start of the reading to the end of the range. */
  readonly trades: number;
  readonly computeUnits: number;
  /** Of the days from the start of the reading on. */
  readonly coverage: Coverage;
}

export interface CoverSources {
  readonly days: Pick<SettledDays, 'coverage' | 'tradesAfter'>;
  readonly replays: Pick<Replays, 'locate'>;
}

export interface CoverMoment extends AwaitedMoment {
  /** How far he would have seen it when the request arrived, by the clock or by the tape. */
  readonly arrived: EpochNs;
  /** Whether the tape is complete as far as it will be. */
  readonly isReady: () => boolean;
}

interface RangeEnd {
  readonly until: EpochNs;
  readonly publishedUntil: EpochNs;
  readonly isEndFixed: boolean;
  /** Whether the day of the cursor it ends at is not on the tape. */
  readonly isGone: boolean;
}

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
  using wait = new CursorWait(moment);
  const query = await withEnd(asked, moment, wait);
  await awaitCursors(query, sources.replays, moment, wait);
  const end = await endOf(query, sources, moment, wait);
  const start = await startOf(query, end.until, sources, moment.visible());
  const { contract, computeUnitsPerTrade } = query;
  const { until, publishedUntil, isEndFixed } = end;
  const study = studyOf(query, start);
  const coverage = await sources.days.coverage(contract, start, until, study);
  const refusesGaps = query.allowsGaps !== true;
  if (refusesGaps && coverage.missingDays.length > 0) {
    throw notCovered(coverage, start, unitsPerTrade);
  }
  if (end.isGone) {
    throw Refusal.ofFields([{ path: '/untilCursor', message: 'is not on the tape' }]);
  }
  if (refusesGaps && coverage.missingLookBack !== null) throw notWarm(coverage, unitsPerTrade);
  const trades = query.cursor === null ? coverage.trades : await tradesAfter(query.cursor);
  const beyond = query.untilCursor === null ? 0 : await tradesAfter(query.untilCursor);
  const own = Math.max(0, trades - beyond);
  const computeUnits = own * computeUnitsPerTrade;
  const range = { start, until, publishedUntil, isEndFixed };
  return { query, ...range, trades: own, computeUnits, coverage };

  async function tradesAfter(cursor: string): Promise<number> {
    return await sources.days.tradesAfter(contract, cursor, until);
  }
}

/** From when on carried objects come, as answers say it; null where nothing is carried. */
export function lookBackText({ lookBackFrom }: Coverage): string | null {
  return lookBackFrom === null ? null : String(lookBackFrom);
}

/** Trades of the range after a place in it: what is left to be charged when a page ends there. */
export async function tradesLeft(
  covered: CoveredQuery,
  after: string,
  days: Pick<SettledDays, 'tradesAfter'>,
): Promise<number> {
  const { query, until, trades } = covered;
  const { contract, cursor, untilCursor } = query;
  const [place, start] = [parseCursor(after)!, cursor === null ? null : parseCursor(cursor)!];
  if (start?.day === place.day) return Math.max(0, trades - (place.rank - start.rank));
  const left = knownAfter(covered, place) ?? (await days.tradesAfter(contract, after, until));
  if (untilCursor === null) return left;
  const beyond =
    knownAfter(covered, parseCursor(untilCursor)!) ??
    (await days.tradesAfter(contract, untilCursor, until));
  return Math.max(0, left - beyond);
}

/** Null of the first day, where the reading starts in its middle: how many trades are before that is not known. */
function knownAfter({ start, coverage }: CoveredQuery, { day, rank }: Cursor): number | null {
  if (epochNs(day, 0) < start) return null;
  return coverage.days.reduce((sum, one) => {
    if (one.day < day) return sum;
    return sum + (one.day === day ? Math.max(0, one.trades - rank) : one.trades);
  }, 0);
}

/** Where a cursor of a query lies; with gaps allowed, the midnights of days that are not there are places too. */
async function located(
  { contract, allowsGaps }: HistoryQuery,
  { replays }: CoverSources,
  cursor: string,
  visible: EpochNs,
): Promise<CursorPlace> {
  const place = await replays.locate(contract, cursor, visible);
  return allowsGaps === true ? passingGaps(place, parseCursor(cursor)!) : place;
}

/** A further page ends where the first one did, also where that was told by a node that is ahead. */
async function withEnd(
  { endAhead, ...query }: HistoryQuery,
  moment: CoverMoment,
  wait: CursorWait,
): Promise<HistoryQuery> {
  // Where nobody else has the tape, no page was told an end that is not seen.
  if (endAhead === undefined || moment.isBehind === undefined) return query;
  if (await sees(endAhead, moment, wait)) return { ...query, to: endAhead, hasEnd: true };
  if (moment.isBehind()) throw new Refusal({ t: 'behind' });
  return query;
}

async function endOf(
  query: HistoryQuery,
  sources: CoverSources,
  moment: CoverMoment,
  wait: CursorWait,
): Promise<RangeEnd> {
  const { contract, to, hasEnd = false, untilCursor } = query;
  const { replays } = sources;
  if (untilCursor === null) {
    return { until: to, publishedUntil: to, isEndFixed: hasEnd, isGone: false };
  }
  const cursor = parseCursor(untilCursor)!;
  const dayEnd = epochNs(addDays(cursor.day, 1), 0);
  for (;;) {
    const visible = moment.visible();
    const place = await located(query, sources, untilCursor, visible);
    if (place.t !== 'on-tape') {
      const until = dayEnd < visible ? dayEnd : visible;
      return { until, publishedUntil: until, isEndFixed: false, isGone: true };
    }
    const next = (await nextEntry(replays, contract, cursor, place.at, visible)) ?? dayEnd;
    const end: RangeEnd =
      next <= visible
        ? { until: next, ...publishedBy(next, visible), isGone: false }
        : { until: visible, publishedUntil: visible, isEndFixed: false, isGone: false };
    // The flush that the cursor was given in may not be over here, or time events that it stands for may not have come.
    if (end.isEndFixed || visible >= moment.arrived) return end;
    if (!(await sees(moment.arrived, moment, wait))) {
      // Another node may have given it for what has not come here, or has and is not seen yet.
      if (moment.isBehind !== undefined) throw new Refusal({ t: 'behind' });
      return end;
    }
  }
}

/** The watermark of now is requested and comes within some hundredths of a second; looking for it costs nothing. */
async function sees(
  instant: EpochNs,
  { visible }: CoverMoment,
  wait: CursorWait,
): Promise<boolean> {
  while (visible() < instant) {
    if (!(await wait.again(WATERMARK_LOOK_MS))) return false;
  }
  return true;
}

/** Every update up to an instant is in a flush that is closed a second later at most. */
function publishedBy(
  until: EpochNs,
  visible: EpochNs,
): Pick<RangeEnd, 'publishedUntil' | 'isEndFixed'> {
  const closed = (wholeSecond(until) + BigInt(SECOND_NS)) as EpochNs;
  const isEndFixed = closed <= visible;
  return { publishedUntil: isEndFixed ? closed : visible, isEndFixed };
}

/** Until when no other entry of its day follows a cursor's; null when none can be seen. */
async function nextEntry(
  replays: CoverSources['replays'],
  contract: string,
  { day, rank }: Cursor,
  at: EpochNs,
  visible: EpochNs,
): Promise<EpochNs | null> {
  if (rank >= RANK_MAX) return null;
  const next = formatCursor({ day, rank: (rank + 1) as Rank, k: 0 });
  const place = await replays.locate(contract, next, visible);
  if (place.t !== 'on-tape') return null;
  // Of trades of the same nanosecond the first is only known when all are.
  return place.at > at ? place.at : ((at + 1n) as EpochNs);
}

async function startOf(
  query: HistoryQuery,
  until: EpochNs,
  sources: CoverSources,
  visible: EpochNs,
): Promise<EpochNs> {
  const { contract, from, cursor, untilCursor } = query;
  if (untilCursor !== null && (await isBeforeFrom(untilCursor))) {
    throw untilBeforeFrom();
  }
  if (cursor === null) return from;
  const parsed = parseCursor(cursor)!;
  const place = await located(query, sources, cursor, visible);
  if (place.t === 'gone') {
    const detail = 'The day of the cursor is no longer on the tape.';
    throw Refusal.ofQuestion({ code: 'CURSOR_EXPIRED', detail });
  }
  const last = untilCursor === null ? null : parseCursor(untilCursor)!;
  const isInside = last === null || compareCursors(parsed, last) <= 0;
  if (!isInside || !isBefore(place, parsed, until)) {
    throw Refusal.ofFields([
      { path: '/cursor', message: 'must not be after the end of the range' },
    ]);
  }
  if (await isBeforeFrom(cursor)) {
    throw Refusal.ofFields([{ path: '/cursor', message: 'must not be before /from' }]);
  }
  return place.at;

  /** Whether a trade lies between a cursor and `from`, the day being the same. */
  async function isBeforeFrom(text: string): Promise<boolean> {
    const { day } = parseCursor(text)!;
    if (day > dayOf(from)) return false;
    return (await sources.days.tradesAfter(contract, text, from)) > 0;
  }
}

/** Whether the entry of a cursor is part of position(instant). */
function isBefore(
  place: CursorPlace,
  { rank }: Cursor,
  instant: EpochNs,
): place is Extract<CursorPlace, { t: 'on-tape' }> {
  if (place.t !== 'on-tape') return false;
  return rank === 0 ? place.at <= instant : place.at < instant;
}

/** Settled results come by whole days, those of a stream from its start on. */
function studyOf(query: HistoryQuery, at: EpochNs): CoveredStudy {
  const { indicator, params, hasSnapshot: isStream, cursor } = query;
  const from = isStream ? at : epochNs(dayOf(at), 0);
  return { indicator, params, from, hasSnapshot: isStream && cursor === null, isStream };
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
