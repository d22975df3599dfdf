/**
 * Where a subscription may start: the questions of a resume, each answered by a pure function, in the
 * order in which they are asked. The answers never show anything this caller may not see, and never
 * leave a gap: what cannot be gone on from exactly starts afresh, after a `reset` that says why.
 */

import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { ResetReason } from '@tapeloom/protocol/server-messages';
import type { CursorPlace } from '../history/replay.ts';
import { type ErrorReply, invalid } from './client-message.ts';

/** How long a cursor ahead of this node is waited for. */
export const AHEAD_MS_MAX = 5_000;
/** Cursors of this age are caught up for nothing, whether a ring has it all or not. */
export const FREE_RESUME_NS = 15n * 60n * 1_000_000_000n;
const MS_NS = 1_000_000n;

export interface StreamTimes {
  /** The service's time. */
  readonly now: EpochNs;
  /** How far the tape is known. */
  readonly tape: EpochNs;
  /** How far it is known with this caller's delay. */
  readonly visible: EpochNs;
  /** What lies before is no secret to this caller: the service's time less its delay. */
  readonly allowed: EpochNs;
}

/** What decides about a start beside the time. */
export interface StartRights {
  /** The earliest instant of history that may be seen; null without history. */
  historyFrom(now: EpochNs): EpochNs | null;
  /** What the name that was asked for meant on a day; null: nothing. */
  contractOn(day: UtcDay): string | null;
  /** Why a cursor is no longer good, if it is not: a repair of the tape, a new computation. */
  epochReset(cursor: Cursor): ResetReason | null;
}

export type StartRefusal = Omit<ErrorReply, 'sub'>;

export type Verdict<T extends string> =
  | { readonly t: T }
  | { readonly t: 'reset'; readonly reason: ResetReason }
  | { readonly t: 'refuse'; readonly reply: StartRefusal };

/** The instant a start at a time begins at; what is not visible yet is waited for at what is. */
export function judgeTime(
  time: EpochNs,
  { now, visible }: StreamTimes,
  rights: Pick<StartRights, 'historyFrom'>,
): EpochNs | StartRefusal {
  if (time > now) return invalid([{ path: '/from/time', message: 'Must not be in the future.' }]);
  const historyFrom = rights.historyFrom(now);
  const isToday = time >= midnightOf(now);
  if (!isToday && (historyFrom === null || time < historyFrom)) {
    const message = 'The plan does not cover history of this time.';
    return { code: 'FORBIDDEN', message };
  }
  return time < visible ? time : visible;
}

/** What a cursor's day tells before the tape is asked. */
export function judgeDay(
  { day }: Cursor,
  contract: string,
  { now, tape, visible }: StreamTimes,
  rights: Pick<StartRights, 'contractOn'>,
): Verdict<'locate'> {
  const latest = (now + BigInt(AHEAD_MS_MAX) * MS_NS) as EpochNs;
  if (day > dayOf(latest)) return { t: 'refuse', reply: unknownCursor() };
  if (day > dayOf(tape) || rights.contractOn(day) === contract) return { t: 'locate' };
  const reason = day > dayOf(visible) ? 'entitlement_changed' : 'roll';
  return { t: 'reset', reason };
}

/** What a cursor's place on the tape tells; `waitedMs`: how long it was waited for already. */
export function judgePlace(
  cursor: Cursor,
  place: CursorPlace,
  waitedMs: number,
  { allowed }: StreamTimes,
  rights: Pick<StartRights, 'epochReset'>,
): Verdict<'attach' | 'wait'> {
  const mayWait = waitedMs < AHEAD_MS_MAX;
  if (place.t === 'beyond') {
    return mayWait ? { t: 'wait' } : { t: 'refuse', reply: unknownCursor() };
  }
  if (place.t === 'on-tape' && place.at >= allowed) {
    const isNear = place.at - allowed <= BigInt(AHEAD_MS_MAX) * MS_NS;
    if (isNear && mayWait) return { t: 'wait' };
    return { t: 'reset', reason: 'entitlement_changed' };
  }
  const reason = rights.epochReset(cursor);
  return reason === null ? { t: 'attach' } : { t: 'reset', reason };
}

/** How the gap behind a cursor is closed that the topic's ring does not cover. */
export function judgeGap(
  cursor: Cursor,
  place: CursorPlace,
  { now, visible }: StreamTimes,
  rights: Pick<StartRights, 'historyFrom'>,
): 'free-replay' | 'charged-replay' | 'expired' {
  if (place.t !== 'on-tape') return 'expired';
  if (visible - place.at <= FREE_RESUME_NS) return 'free-replay';
  const historyFrom = rights.historyFrom(now);
  const isCovered = historyFrom !== null && historyFrom <= epochNs(cursor.day, 0);
  return isCovered ? 'charged-replay' : 'expired';
}

/** Midnight UTC of today: what lies before it is history. */
export function midnightOf(now: EpochNs): EpochNs {
  return epochNs(dayOf(now), 0);
}

function unknownCursor(): StartRefusal {
  return invalid([{ path: '/from/cursor', message: 'No stream has reached this cursor.' }]);
}
