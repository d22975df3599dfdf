/** Tapes of the studies' naive twins with days left out, and what their logs say of it. */

import { addDays } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import {
  DAY_NS,
  dayAt,
  rankTrades,
  type TwinTape,
  type TwinUpdate,
} from '../../packages/core/testing/twins/twin-tape.ts';
import { type Entry, firstDayOf, type LeftOut } from '../history/settled-world.ts';

const SECOND = 1_000_000_000n;

/** Which days are left out, over and over. */
export const gaps = fc.array(fc.constantFrom(true, false, false), { minLength: 1, maxLength: 7 });

/** A tape with gaps, as the twins see it: what is left of it, and sessions that know what they are. */
export interface Gapped {
  readonly whole: TwinTape;
  readonly leftOut: LeftOut;
  readonly twin: TwinTape;
  /** Its days. */
  readonly onTape: ReadonlySet<number>;
}

export function gapped(tape: TwinTape, gap: readonly boolean[]): Gapped {
  // To a whole second, where every flush is closed.
  const until = tape.until - (tape.until % SECOND) + 2n * SECOND;
  const onTape = new Set<number>();
  const [first, last] = [firstDayOf({ ...tape, until }), dayAt(until)];
  for (let day = first, at = 0; day <= last; day = addDays(day, 1), at += 1) {
    if (day === last || !gap[at % gap.length]!) onTape.add(day);
  }
  const leftOut: LeftOut = (day) => !onTape.has(day);
  // A closed market has no trades, so a day without a session takes nothing away when it is left out.
  const isOpen = (ns: bigint) => tape.sessions.some(({ open, close }) => ns >= open && ns < close);
  const possible = tape.trades.filter(({ day, ns }) => onTape.has(day) || isOpen(ns));
  const whole = { ...tape, until, trades: rankTrades(possible) };
  const sessions = whole.sessions.map((session) => {
    for (let ns = session.open; ns < session.close; ns = (ns / DAY_NS + 1n) * DAY_NS) {
      if (!onTape.has(dayAt(ns))) return { ...session, missingDay: dayAt(ns) };
    }
    return session;
  });
  const trades = whole.trades.filter(({ day }) => onTape.has(day));
  return { whole, leftOut, twin: { ...whole, trades, sessions }, onTape };
}

export function entryOf({ day, rank, k, t, object }: TwinUpdate): Entry {
  return { t, cursor: `${day}.${rank}.${k}`, ...object };
}

/** Whether an update is part of position(instant). */
export function isIn({ at, byTrade }: TwinUpdate, instant: bigint): boolean {
  return byTrade ? at < instant : at <= instant;
}
