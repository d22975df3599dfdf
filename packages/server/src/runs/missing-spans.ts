/**
 * The missing times of a range, in hours in which the market was open: missing days, unreadable days, and missing hours
 * of partial days and of the open day. Adjacent times with the same reason and only a closed market between them are
 * one gap. The time before the first known session is one gap: the market's hours are unknown there.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, earlier, epochNs, later } from '@tapeloom/core/utc-day';
import type { TapeNow } from './sound-tape.ts';

export interface MissingSpan {
  readonly from: EpochNs;
  /** Exclusive. */
  readonly to: EpochNs;
  /** `partial`: other hours of the day are there, or may be: it can still be open. */
  readonly why: 'missing' | 'damaged' | 'partial';
}

/** The gaps of [from, to), ascending; `knownFrom` is where known sessions begin. */
export function missingSpans(
  now: Pick<TapeNow, 'onTape' | 'damagedDays'>,
  full: SessionTable,
  { from, knownFrom, to }: Readonly<Record<'from' | 'knownFrom' | 'to', EpochNs>>,
): readonly MissingSpan[] {
  const gaps: MissingSpan[] = [];
  const add = (gap: MissingSpan) => {
    const last = gaps.at(-1);
    const goesOn = last?.why === gap.why && nextOpen(full, last.to) === gap.from;
    if (goesOn) gaps[gaps.length - 1] = { ...last, to: gap.to };
    else gaps.push(gap);
  };
  if (from < knownFrom) add({ from, to: earlier(knownFrom, to), why: 'missing' });
  const start = later(from, knownFrom);
  for (let day = dayOf(start); epochNs(day, 0) < to; day = addDays(day, 1)) {
    for (const gap of dayGaps(now, full, day)) {
      const [first, end] = [later(gap.from, start), earlier(gap.to, to)];
      if (first < end) add({ from: first, to: end, why: gap.why });
    }
  }
  return gaps;
}

function dayGaps(
  { onTape, damagedDays }: Pick<TapeNow, 'onTape' | 'damagedDays'>,
  full: SessionTable,
  day: UtcDay,
): readonly MissingSpan[] {
  const found = onTape.get(day);
  if (found !== undefined) {
    const { gaps = [] } = found;
    return gaps.map(([from, to]) => ({
      from: epochNs(day, from),
      to: epochNs(day, to),
      why: 'partial',
    }));
  }
  const why = damagedDays.includes(day) ? 'damaged' : 'missing';
  return [...openHours(full, day)].map((hours) => ({ ...hours, why }));
}

function* openHours(
  full: SessionTable,
  day: UtcDay,
): Generator<{ readonly from: EpochNs; readonly to: EpochNs }> {
  const end = epochNs(addDays(day, 1), 0);
  let at: EpochNs = epochNs(day, 0);
  for (let session = full.atOrAfter(at); session !== null; session = full.atOrAfter(at)) {
    if (session.open >= end) return;
    yield { from: later(session.open, at), to: earlier(session.close, end) };
    if (session.close >= end) return;
    at = session.close;
  }
}

/** When the market is open next, `instant` included; null if unknown. */
function nextOpen(full: SessionTable, instant: EpochNs): EpochNs | null {
  const session = full.atOrAfter(instant);
  return session && later(session.open, instant);
}
