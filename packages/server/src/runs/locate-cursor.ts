/**
 * Where a cursor lies on a contract's tape, by day and rank. A rank that the day does not have is `beyond`. So is
 * everything that the caller may not see yet: that limit is checked first, so neither the result nor its timing reveals
 * whether the trade exists. A day without trading need not be on the tape, yet its midnight `D.0.k` is a valid
 * position, as is the present midnight once the watermark (`promise`) has reached it. A damaged day counts as missing.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import { tradesOnUtcDay } from '@tapeloom/core/calendar/session-table';
import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf, epochNs, nsOfDay } from '@tapeloom/core/utc-day';
import type { TapeDay } from '../tape/tape.ts';
import { TapeDamagedError } from '../tape/tape-errors.ts';
import type { Covered } from './coverage.ts';
import { entryTime } from './entry-time.ts';
import type { CursorPlace } from './replay.ts';
import { damagedDay } from './sound-tape.ts';

/** A trading day is missing. */
export const GAP: CursorPlace = { t: 'gone', isGap: true };

/** A day that turns out to be damaged on the way is reported. */
export async function locateCursor(
  covered: Covered,
  cursor: Cursor,
  seenUntil: EpochNs | null = null,
): Promise<CursorPlace> {
  try {
    return await located(covered, cursor, seenUntil);
  } catch (error) {
    if (!(error instanceof TapeDamagedError)) throw error;
    const day = damagedDay(error);
    if (day !== null) covered.damaged.found(covered.contract, day, error);
    return GAP;
  }
}

async function located(
  { tape, contract, fullSessions }: Covered,
  { day, rank }: Cursor,
  seenUntil: EpochNs | null,
): Promise<CursorPlace> {
  if (seenUntil !== null) {
    const lastDay = dayOf(seenUntil);
    if (day > lastDay) return { t: 'beyond' };
    const isOfLastDay = day === lastDay;
    if (isOfLastDay && rank > (await tape.rankBefore(contract, day, nsOfDay(seenUntil)))) {
      return { t: 'beyond' };
    }
  }
  // Must be read before the days: they then contain everything up to this watermark.
  const promise = tape.promiseOf?.(contract) ?? null;
  const days = await tape.days(contract);
  const onTape = days.find((one) => one.day === day);
  const midnight = epochNs(day, 0);
  const isReached = promise !== null && midnight <= promise;
  if (onTape === undefined) {
    if (!isReached) return { t: 'beyond' };
    if (isPassedEmpty(days, day, fullSessions)) {
      return rank === 0 ? { t: 'on-tape', at: midnight } : { t: 'gone' };
    }
    const isBefore = days[0] === undefined || day < days[0].day;
    return isBefore ? { t: 'gone' } : GAP;
  }
  if (onTape.state === 'damaged') return GAP;
  if (rank > onTape.trades) return { t: 'beyond' };
  if (rank > 0) {
    const at = await entryTime(tape, contract, { day, rank });
    if (at === null)
      throw new Error(`${contract} lacks trade ${day}.${rank} though its day has it`);
    return { t: 'on-tape', at };
  }
  return isReached || onTape.trades > 0 ? { t: 'on-tape', at: midnight } : { t: 'beyond' };
}

/** If gaps are allowed, the midnights of missing days are valid positions. */
export function passingGaps(place: CursorPlace, { day, rank }: Cursor): CursorPlace {
  const isPassed = place.t === 'gone' && rank === 0;
  return isPassed ? { t: 'on-tape', at: epochNs(day, 0) } : place;
}

/** Whether a stream passes a day that is not on the tape: a day off, or one after the last. */
function isPassedEmpty(days: readonly TapeDay[], day: UtcDay, full: SessionTable): boolean {
  const first = days[0];
  if (first === undefined || day < first.day) return false;
  return day > days.at(-1)!.day || !tradesOnUtcDay(full, day);
}
