/**
 * What a contract's tape is missing, by day, and the one definition of a whole session, for streams and history. A live
 * day is missing its gaps: a session is whole until the first missing time in it. A day that is not on the tape, or an
 * imported day with missing hours, is missing as a whole: its session is not whole from the day's first entry on.
 */

// Streams and history decide alike because a gap is learned before anything after its start is computed: it is durable
// before any trade or watermark beyond its start (`tape-days.ts`). Its end cannot matter before it is reached.

import type { Session } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, earlier, epochNs } from '@tapeloom/core/utc-day';
import type { DaySpan, TapeDay } from '../tape/tape.ts';

/** The missing times of a day, ascending and disjoint; `all`: nothing of it counts as there. */
export type MissingTimes = 'all' | readonly DaySpan[];

/** What a contract is missing on a day. */
export type MissingOn = (day: UtcDay) => MissingTimes;

const NOTHING: readonly DaySpan[] = [];

/** For days without live gaps: each is there as a whole or not at all. */
export function byDay(isOnTape: (day: UtcDay) => boolean): MissingOn {
  return (day) => (isOnTape(day) ? NOTHING : 'all');
}

/** `undefined`: the day is not on the tape. */
export function missingOf(found: TapeDay | undefined): MissingTimes {
  if (found === undefined || found.state === 'damaged') return 'all';
  if (hasLiveGaps(found)) return found.gaps;
  return found.state === 'partial' ? 'all' : NOTHING;
}

/** Whether a day was received live and has gaps. */
export function hasLiveGaps(
  day: TapeDay,
): day is TapeDay & { readonly gaps: NonNullable<TapeDay['gaps']> } {
  return day.origin === undefined && day.gaps !== undefined && day.gaps.length > 0;
}

/** Whether anything of [from, to) on a day is missing. */
export function isMissingIn(
  missingOn: MissingOn,
  day: UtcDay,
  from: EpochNs,
  to: EpochNs,
): boolean {
  const missing = missingOn(day);
  if (missing === 'all') return true;
  return missing.some(([first, end]) => epochNs(day, first) < to && epochNs(day, end) > from);
}

/**
 * Whether a session is whole up to an entry or event at `ns` of `day`, which may be the midnight at its end. Of a live
 * day, everything up to and including the start of a gap is there.
 */
export function isWholeUpTo(
  { open, close }: Session,
  day: UtcDay,
  ns: number,
  missingOn: MissingOn,
): boolean {
  const last = earlierDay(day, lastDayBefore(close));
  const until = epochNs(day, ns);
  for (let one = dayOf(open); one <= last; one = addDays(one, 1)) {
    if (isMissingIn(missingOn, one, open, until)) return false;
  }
  return true;
}

export function isCompleteOn(session: Session, missingOn: MissingOn): boolean {
  const last = lastDayBefore(session.close);
  return isWholeUpTo(session, last, Number(session.close - epochNs(last, 0)), missingOn);
}

/**
 * Since when a session is on the tape without a gap, as seen at position(reached): its open if it is whole so far, else
 * the end of its last missing time, which is a midnight for a missing day. While a gap lasts, the session's close: so
 * far nothing is known to follow.
 */
export function dataSince(session: Session, reached: EpochNs, missingOn: MissingOn): EpochNs {
  const { open, close } = session;
  const first = dayOf(open);
  let day = earlierDay(lastDayBefore(reached), lastDayBefore(close));
  for (; day >= first; day = addDays(day, -1)) {
    const missing = missingOn(day);
    if (missing === 'all') return epochNs(addDays(day, 1), 0);
    const gap = missing.findLast(([from, to]) => {
      return epochNs(day, from) < reached && epochNs(day, from) < close && epochNs(day, to) > open;
    });
    if (gap === undefined) continue;
    const end = epochNs(day, gap[1]);
    return end >= reached ? close : earlier(end, close);
  }
  return open;
}

/** The missing times of [first, to) as a text that is different for other times; `all` days are not in it. */
export function gapsText(missing: Iterable<readonly [UtcDay, MissingTimes]>, to: EpochNs): string {
  const told: string[] = [];
  for (const [day, times] of missing) {
    if (times === 'all') continue;
    for (const [from, end] of times) {
      const start = epochNs(day, from);
      if (start < to) told.push(`${start}-${earlier(epochNs(day, end), to)}`);
    }
  }
  return told.sort().join();
}

/** The last day that a run must know before it reaches position(instant). */
export function lastDayBefore(instant: EpochNs): UtcDay {
  return dayOf((instant - 1n) as EpochNs);
}

function earlierDay(one: UtcDay, other: UtcDay): UtcDay {
  return one < other ? one : other;
}
