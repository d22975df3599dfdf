/**
 * Identifies the inputs of results exactly: the trades of every day that may have affected them (or that the tape had
 * none), and the sessions. Equal inputs and the same computation give identical bytes.
 */

import { hash } from 'node:crypto';
import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { firstDayRead } from './look-back.ts';
import type { StudySource } from './run-source.ts';
import { sealedText, type TapeNow } from './sound-tape.ts';

export interface ResultInputs {
  /** From the first relevant day to the last, including the gaps of a partial day; null: not on the tape. */
  readonly days: readonly (readonly [day: UtcDay, digest: string | null])[];
  readonly sessions: string;
}

/** The inputs of one day's result; null unless all of them are sealed: the result may change, or is unavailable. */
export function dayInputs(
  source: StudySource,
  day: UtcDay,
  onTape: TapeNow['onTape'],
): ResultInputs | null {
  if (!onTape.has(day)) return null;
  return inputsOver(source.sessions, firstDayRead(source, day), day, onTape);
}

/** The inputs of anything computed from these days; null if one of them is on the tape and not sealed. */
export function inputsOver(
  sessions: SessionTable,
  first: UtcDay,
  last: UtcDay,
  onTape: TapeNow['onTape'],
): ResultInputs | null {
  const days: (readonly [UtcDay, string | null])[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) {
    const found = onTape.get(day);
    const digest = found === undefined ? null : sealedText(found);
    if (found !== undefined && digest === null) return null;
    days.push([day, digest]);
  }
  return { days, sessions: sessionsDigest(sessions, first, last) };
}

function sessionsDigest(sessions: SessionTable, first: UtcDay, last: UtcDay): string {
  const told: string[] = [];
  const end = epochNs(addDays(last, 1), 0);
  let at: EpochNs = epochNs(first, 0);
  for (;;) {
    const session = sessions.atOrAfter(at);
    if (session === null || session.open > end) return hash('sha256', told.join(''), 'hex');
    const { date, open, close, regular } = session;
    told.push(`${date} ${open} ${close} ${regular?.open ?? ''} ${regular?.close ?? ''}\n`);
    at = close;
  }
}
