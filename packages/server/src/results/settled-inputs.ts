/**
 * What a day's result was computed from, told exactly: the trades of every day that may have decided it, or
 * that the tape had none, and the sessions. Two results with the same inputs, of the same computation, are
 * the same bytes.
 */

import { createHash } from 'node:crypto';
import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { firstDayRead } from '../runs/look-back.ts';
import type { RunSource } from '../runs/run-source.ts';
import type { TapeDay } from '../tape/tape.ts';

/** Tells the digest of a sealed day's trades, as its sidecar has it. */
export type DayDigest = (contract: string, day: UtcDay) => Promise<string>;

export interface ResultInputs {
  /** From the first day that may matter to the result's own; null: not on the tape. */
  readonly days: readonly (readonly [day: UtcDay, digest: string | null])[];
  /** A digest of the sessions over those days. */
  readonly sessions: string;
}

/** Null when not all of it is sealed: the result may change, or is not to be had. */
export async function inputsOf(
  source: RunSource,
  day: UtcDay,
  onTape: ReadonlyMap<UtcDay, TapeDay>,
  digest: DayDigest,
): Promise<ResultInputs | null> {
  if (onTape.get(day)?.state !== 'sealed') return null;
  const first = firstDayRead(source, day);
  const days: (readonly [UtcDay, string | null])[] = [];
  for (let at = first; at <= day; at = addDays(at, 1)) {
    const found = onTape.get(at);
    if (found !== undefined && found.state !== 'sealed') return null;
    days.push([at, found === undefined ? null : await digest(source.contract, at)]);
  }
  return { days, sessions: sessionsDigest(source.sessions, first, day) };
}

function sessionsDigest(sessions: SessionTable, first: UtcDay, last: UtcDay): string {
  const hash = createHash('sha256');
  const end = epochNs(addDays(last, 1), 0);
  let at: EpochNs = epochNs(first, 0);
  for (;;) {
    const session = sessions.atOrAfter(at);
    if (session === null || session.open > end) return hash.digest('hex');
    const { date, open, close, regular } = session;
    hash.update(`${date} ${open} ${close} ${regular?.open ?? ''} ${regular?.close ?? ''}\n`);
    at = close;
  }
}
