/**
 * Where a study has to start so that its state is right: at the open of the current session (the last
 * one while the market is shut), or as many sessions earlier as its look-back needs. A study that takes a
 * value over from the past starts at the newest complete session that leaves it with one: what came
 * before can make no difference any more. Objects that outlive their session come from every session, and
 * are removed by the trades of every session, as far as they are on the tape.
 */

import type { Session, SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import { lastDayBefore, type TapeDays } from './tape-days.ts';

export interface LookBack {
  /** The sessions of the kind the study runs over (`Indicator.sessionKind`). */
  readonly sessions: SessionTable;
  readonly days: TapeDays;
  readonly indicator: Indicator;
  readonly params: Params;
}

/** How runs of one kind begin and go on. */
export interface RunMaker<Run> {
  /** At a session's open, or between sessions. */
  begin(at: EpochNs): Promise<Run>;
  /** To position(instant). */
  readTo(run: Run, instant: EpochNs): Promise<void>;
}

/** A run at `start`, a session's open or between sessions, with what it needs of the past if that can be had. */
export async function beginWarm<Run extends { readonly warm: boolean }>(
  { sessions, days, indicator, params }: LookBack,
  start: EpochNs,
  maker: RunMaker<Run>,
): Promise<Run> {
  const sessionsMax = indicator.lookBackSessionsMax(params);
  if (sessionsMax > 0) await days.learn(lastDayBefore(start));
  let session = sessionBefore(sessions, start);
  for (let back = 1; back <= sessionsMax && session !== null; back += 1) {
    if (days.isComplete(session)) {
      const run = await maker.begin(session.open);
      await maker.readTo(run, start);
      if (run.warm) return run;
    }
    session = sessionBefore(sessions, session.open);
  }
  return await maker.begin(start);
}

/**
 * Where a run that carries objects for `sessionsMax` sessions starts so that it is right, and numbers
 * right, from the midnight before the current open on: that many sessions before the first one that
 * reaches into that day, or at the first of the table.
 */
export function carriedFrom(table: SessionTable, current: Session, sessionsMax: number): EpochNs {
  const first = table.atOrAfter(epochNs(dayOf(current.open), 0)) ?? current;
  return sessionsEarlier(table, first, sessionsMax).open;
}

/** The session so many before another one, or the first of the table. */
export function sessionsEarlier(table: SessionTable, from: Session, count: number): Session {
  let session = from;
  for (let back = 0; back < count; back += 1) {
    const earlier = sessionBefore(table, session.open);
    if (earlier === null) break;
    session = earlier;
  }
  return session;
}

/** The last session that opens before an instant. */
export function sessionBefore(table: SessionTable, instant: EpochNs): Session | null {
  return table.atOrBefore((instant - 1n) as EpochNs);
}
