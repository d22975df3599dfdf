/**
 * Everything that a query needs to know of the tape before it is charged, found over the same days in one call: where
 * its cursors lie, where its range begins and ends, how many trades it has, which days are missing. A cursor beyond
 * `visible` is `ahead`, whether the tape has it or not. The caller decides about errors, waits and charges.
 */

import { type Cursor, compareCursors, parseCursor } from '@tapeloom/core/cursor';
import { type EpochNs, RANK_MAX, type Rank } from '@tapeloom/core/numbers';
import { wholeSecond } from '@tapeloom/core/studies/flush-step';
import { SECOND_NS } from '@tapeloom/core/units';
import { addDays, dayOf, earlier, epochNs } from '@tapeloom/core/utc-day';
import { type Coverage, type Covered, coverageOf, dayTradesBefore } from './coverage.ts';
import { locateCursor, passingGaps } from './locate-cursor.ts';
import type { CursorPlace } from './replay.ts';
import type { StudyName, StudySource } from './run-source.ts';
import { type TapeNow, tapeNow } from './sound-tape.ts';

/** A range of one study: from `cursor`, else `from`, to `untilCursor`, else `to`. */
export interface CoverRequest extends StudyName {
  readonly from: EpochNs;
  readonly to: EpochNs;
  /** Whether `to` does not depend on the time of the request. */
  readonly hasEnd?: boolean;
  readonly cursor: string | null;
  /** Included. */
  readonly untilCursor: string | null;
  /** Whether the results are the messages of a stream; without `cursor` they begin with a snapshot. */
  readonly hasSnapshot: boolean;
  readonly allowsGaps?: boolean;
}

export interface RangeEnd {
  /** The range ends at position(until) at the latest; `untilCursor` may end it earlier. */
  readonly until: EpochNs;
  /** The flushes of a stream up to here contain the whole range. */
  readonly publishedUntil: EpochNs;
  /** Whether neither depends on the time of the request. */
  readonly isEndFixed: boolean;
  /** Whether the day of `untilCursor` is not on the tape. */
  readonly isGone: boolean;
}

/** Why a cursor cannot bound the range. */
export type Outside =
  | 'until-before-from'
  | 'cursor-gone'
  | 'cursor-after-end'
  | 'cursor-before-from';

export type Cover =
  | { readonly t: 'ahead'; readonly cursor: 'cursor' | 'untilCursor' }
  | { readonly t: 'outside'; readonly end: RangeEnd; readonly why: Outside }
  | {
      readonly t: 'range';
      readonly end: RangeEnd;
      /** Where the read starts: at `from`, or at `cursor`. */
      readonly start: EpochNs;
      /** Of the days from there on. */
      readonly coverage: Coverage;
    };

/** A cursor and where it lies. */
interface Placed {
  readonly cursor: Cursor;
  readonly place: CursorPlace;
}

/** How far the tape must reach for a cover: a range that ended long ago does not wait for the newest trades. */
export function tapeNeeded({ to, untilCursor }: CoverRequest, visible: EpochNs): EpochNs {
  if (untilCursor === null) return earlier(to, visible);
  // The flush of the day's last update closes at most one second after the day.
  return earlier(epochNs(addDays(parseCursor(untilCursor)!.day, 1), SECOND_NS), visible);
}

export async function coverOf(
  covered: Covered,
  study: StudySource,
  asked: CoverRequest,
  visible: EpochNs,
): Promise<Cover> {
  const { from, to, hasEnd = false, hasSnapshot: isStream } = asked;
  const last = await placed(asked.untilCursor);
  if (last?.place.t === 'beyond') return { t: 'ahead', cursor: 'untilCursor' };
  const first = await placed(asked.cursor);
  if (first?.place.t === 'beyond') return { t: 'ahead', cursor: 'cursor' };
  const end =
    last === null
      ? { until: to, publishedUntil: to, isEndFixed: hasEnd, isGone: false }
      : await endOf(covered, last, visible);
  const now = await tapeNow(covered.tape, covered.contract, covered.damaged);
  const why = await outside();
  if (why !== null) return { t: 'outside', end, why };
  const start = first?.place.t === 'on-tape' ? first.place.at : from;
  // Settled results are read by whole days, those of a stream from its start.
  const resultsFrom = isStream ? start : epochNs(dayOf(start), 0);
  const hasSnapshot = isStream && first === null;
  const subject = { ...study, from: resultsFrom, hasSnapshot, isStream };
  const coverage = await coverageOf({ ...covered, now }, start, end.until, subject);
  return { t: 'range', end, start, coverage };

  /** If gaps are allowed, midnights of missing days are valid positions. */
  async function placed(text: string | null): Promise<Placed | null> {
    if (text === null) return null;
    const cursor = parseCursor(text)!;
    const place = await locateCursor(covered, cursor, visible);
    return { cursor, place: asked.allowsGaps === true ? passingGaps(place, cursor) : place };
  }

  async function outside(): Promise<Outside | null> {
    if (last !== null && (await isBefore(covered, now, last.cursor, from))) {
      return 'until-before-from';
    }
    if (first === null) return null;
    const { cursor, place } = first;
    if (place.t !== 'on-tape') return 'cursor-gone';
    const isAfterLast = last !== null && compareCursors(cursor, last.cursor) > 0;
    const isInside = cursor.rank === 0 ? place.at <= end.until : place.at < end.until;
    if (isAfterLast || !isInside) return 'cursor-after-end';
    return (await isBefore(covered, now, cursor, from)) ? 'cursor-before-from' : null;
  }
}

/** A range to a cursor ends before the next entry of its day, and includes the flush that published the cursor. */
async function endOf(
  covered: Covered,
  { cursor, place }: Placed,
  visible: EpochNs,
): Promise<RangeEnd> {
  const dayEnd = epochNs(addDays(cursor.day, 1), 0);
  if (place.t !== 'on-tape') {
    const until = earlier(dayEnd, visible);
    return { until, publishedUntil: until, isEndFixed: false, isGone: true };
  }
  const next = await nextEntry(covered, cursor, place.at, visible);
  const until = earlier(next ?? dayEnd, visible);
  // A flush closes at most one second after the updates in it.
  const closed = (wholeSecond(until) + BigInt(SECOND_NS)) as EpochNs;
  const isEndFixed = closed <= visible;
  return { until, publishedUntil: isEndFixed ? closed : visible, isEndFixed, isGone: false };
}

/** The instant of the next entry of the cursor's day; null if no further entry is visible. */
async function nextEntry(
  covered: Covered,
  { day, rank }: Cursor,
  at: EpochNs,
  visible: EpochNs,
): Promise<EpochNs | null> {
  if (rank >= RANK_MAX) return null;
  const next = await locateCursor(covered, { day, rank: (rank + 1) as Rank, k: 0 }, visible);
  if (next.t !== 'on-tape') return null;
  // Trades of one nanosecond are read together.
  return next.at > at ? next.at : ((at + 1n) as EpochNs);
}

/** Whether a trade lies between a cursor and `from`. */
async function isBefore(
  { tape, contract }: Covered,
  { onTape }: TapeNow,
  { day, rank }: Cursor,
  from: EpochNs,
): Promise<boolean> {
  if (day !== dayOf(from)) return day < dayOf(from);
  const found = onTape.get(day);
  return found !== undefined && rank < (await dayTradesBefore(tape, contract, found, from));
}
