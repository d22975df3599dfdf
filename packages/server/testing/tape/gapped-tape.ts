/** Tapes of the studies' naive twins with missing days or hours, and the expected logs. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import {
  DAY_NS,
  dayAt,
  rankTrades,
  type TwinTape,
  type TwinUpdate,
} from '../../../core/testing/twins/twin-tape.ts';
import type { DaySpan } from '../../src/tape/tape.ts';
import {
  type Entry,
  firstDayOf,
  isLeftOut,
  type LeftOut,
  type PartialDays,
} from '../history/settled-world.ts';

const SECOND = 1_000_000_000n;
const HOUR_NS = 3_600_000_000_000;
/** The missing hours of every partial day. */
const HOLE: DaySpan = [6 * HOUR_NS, 23.5 * HOUR_NS];

export type DayLeft = 'whole' | 'partial' | 'missing';

/** What remains of successive days, repeated cyclically. */
export const gaps = fc.array(
  fc.constantFrom<DayLeft>('missing', 'missing', 'partial', 'whole', 'whole', 'whole'),
  { minLength: 1, maxLength: 7 },
);

/** A tape with gaps for the twins: the remaining trades, and sessions that know the gaps. */
export interface Gapped {
  readonly whole: TwinTape;
  readonly leftOut: LeftOut;
  /** The days with these missing hours. */
  readonly partial: PartialDays;
  readonly twin: TwinTape;
  /** The whole days of the tape. */
  readonly onTape: ReadonlySet<number>;
}

export function gapped(tape: TwinTape, gap: readonly DayLeft[]): Gapped {
  // At a whole second, where every flush is closed.
  const until = tape.until - (tape.until % SECOND) + 2n * SECOND;
  const onTape = new Set<number>();
  const partial = new Map<UtcDay, readonly DaySpan[]>();
  const [first, last] = [firstDayOf({ ...tape, until }), dayAt(until)];
  for (let day = first, at = 0; day <= last; day = addDays(day, 1), at += 1) {
    const left = gap[at % gap.length]!;
    if (day === last || left === 'whole') onTape.add(day);
    else if (left === 'partial') partial.set(day, [HOLE]);
  }
  const leftOut: LeftOut = (day) => !onTape.has(day) && !partial.has(day);
  // A closed market has no trades, so omitting a day without a session removes nothing.
  const isOpen = (ns: bigint) => tape.sessions.some(({ open, close }) => ns >= open && ns < close);
  const possible = tape.trades.filter(({ day, ns }) => onTape.has(day) || isOpen(ns));
  const whole = { ...tape, until, trades: rankTrades(possible) };
  const sessions = whole.sessions.map((session) => {
    for (let ns = session.open; ns < session.close; ns = (ns / DAY_NS + 1n) * DAY_NS) {
      if (!onTape.has(dayAt(ns))) return { ...session, missingDay: dayAt(ns) };
    }
    return session;
  });
  const left = whole.trades.filter(({ day, ns }) => {
    return !leftOut(day as UtcDay, 0) && !isLeftOut(partial, day as UtcDay, Number(ns % DAY_NS));
  });
  const twin = { ...whole, trades: rankTrades(left), sessions };
  return { whole, leftOut, partial, twin, onTape };
}

export function entryOf({ day, rank, k, t, object }: TwinUpdate): Entry {
  return { t, cursor: `${day}.${rank}.${k}`, ...object };
}

/** Whether an update is part of position(instant). */
export function isIn({ at, byTrade }: TwinUpdate, instant: bigint): boolean {
  return byTrade ? at < instant : at <= instant;
}
