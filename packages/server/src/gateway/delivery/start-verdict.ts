/**
 * Where a subscription may start: one pure function for each question of a resume, in order. Results never reveal
 * anything this caller may not see, and never leave a gap: a stream that cannot resume exactly gets a `reset` and
 * restarts.
 */

import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG } from '@tapeloom/core/units';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { ResetReason } from '@tapeloom/protocol/server-messages';
import type { RefusalReason } from '../../platform/refusal.ts';
import { answerTo } from '../../platform/refusal-answer.ts';
import { lookAgainMs } from '../../runs/ahead-wait.ts';
import type { CursorPlace } from '../../runs/replay.ts';
import { type ErrorReply, invalid } from '../wire/client-message.ts';

/** Cursors up to this age are caught up free of charge, whether a ring has everything or not. */
export const FREE_RESUME_NS = 15n * MINUTE_NS_BIG;

export interface StreamTimes {
  /** The service's time. */
  readonly now: EpochNs;
  /** How far the tape is known. */
  readonly tape: EpochNs;
  /** How far it is known with this caller's delay. */
  readonly visible: EpochNs;
  /** The service's time less the caller's delay: the caller may see everything before. */
  readonly allowed: EpochNs;
  /** Whether other nodes are known to have more of the tape than this one. */
  readonly isBehind?: boolean;
}

/** What a start depends on besides the times. */
export interface StartRights {
  /** The earliest instant of history that may be seen; null without history. */
  historyFrom(now: EpochNs): EpochNs | null;
  /** The contract that the requested name meant on a day; null when that one does not continue to the present one. */
  contractOn(day: UtcDay): string | null;
  /** Why a cursor is no longer valid (a repair of the tape, a new computation), null when it is valid. */
  epochReset(cursor: Cursor): ResetReason | null;
}

export type StartRefusal = Omit<ErrorReply, 'sub'>;

export type Verdict<T extends string> =
  | { readonly t: T }
  | { readonly t: 'reset'; readonly reason: ResetReason }
  | { readonly t: 'refuse'; readonly reply: StartRefusal };

/**
 * The instant at which a start at a time begins. A time that is not visible yet begins at the visible end. A stream is
 * of one contract: an alias starts in the past only as far back as it has meant the present one.
 */
export function judgeTime(
  time: EpochNs,
  contract: string,
  { now, visible }: StreamTimes,
  rights: Pick<StartRights, 'historyFrom' | 'contractOn'>,
): EpochNs | StartRefusal {
  if (time > now) return refuseTime('Must not be in the future.');
  const historyFrom = rights.historyFrom(now);
  const isToday = time >= midnightOf(now);
  if (!isToday && (historyFrom === null || time < historyFrom)) {
    const message = 'Your plan does not cover history at this time.';
    return { code: 'FORBIDDEN', message };
  }
  const start = time < visible ? time : visible;
  if (rights.contractOn(dayOf(start)) === contract) return start;
  return refuseTime(
    `The alias did not designate ${contract} at that time. Subscribe by the contract's symbol.`,
  );
}

/** The verdict on a cursor's day, before the tape is read. `beyond`: not visible yet, and not of this contract. */
export function judgeDay(
  { day }: Cursor,
  contract: string,
  { visible }: StreamTimes,
  rights: Pick<StartRights, 'contractOn'>,
): Verdict<'locate' | 'beyond'> {
  if (rights.contractOn(day) === contract) return { t: 'locate' };
  return day > dayOf(visible) ? { t: 'beyond' } : { t: 'reset', reason: 'roll' };
}

/**
 * The verdict on a cursor's position, after `waitedMs` of waiting. `beyond`: the position is not visible to this caller
 * yet. After the longest wait the response then depends on the key alone, and never shows whether the tape has that
 * position. If this node has less of the tape than others, the client must reconnect.
 */
export function judgePlace(
  cursor: Cursor,
  place: CursorPlace,
  waitedMs: number,
  { now, allowed, isBehind = false }: StreamTimes,
  rights: Pick<StartRights, 'epochReset'>,
): Verdict<'attach' | 'wait' | 'elsewhere'> {
  if (place.t === 'beyond') {
    if (lookAgainMs(waitedMs) > 0) return { t: 'wait' };
    if (isBehind) return { t: 'elsewhere' };
    const isDelayed = allowed < now;
    return isDelayed
      ? { t: 'reset', reason: 'entitlement_changed' }
      : { t: 'refuse', reply: unknownCursor() };
  }
  const reason = rights.epochReset(cursor);
  return reason === null ? { t: 'attach' } : { t: 'reset', reason };
}

/**
 * How to close the gap behind a cursor that the topic's ring does not cover. A cursor stands at its trade, which may be
 * old if nothing was published since: then the cursor is good, whatever the plan. `probe`: first check whether
 * something was published more than 15 minutes ago.
 */
export function judgeGap(
  cursor: Cursor,
  place: CursorPlace,
  { now, visible }: StreamTimes,
  rights: Pick<StartRights, 'historyFrom'>,
): 'free-replay' | 'charged-replay' | 'probe' | 'expired' | 'gap' {
  if (place.t !== 'on-tape') return place.t === 'gone' && place.isGap ? 'gap' : 'expired';
  if (visible - place.at <= FREE_RESUME_NS) return 'free-replay';
  const historyFrom = rights.historyFrom(now);
  const isCovered = historyFrom !== null && historyFrom <= epochNs(cursor.day, 0);
  return isCovered ? 'charged-replay' : 'probe';
}

/** The error of a replay, as a stream reports it. */
export function replyTo(reason: RefusalReason): StartRefusal {
  const { code, detail, ofReplay = detail } = answerTo(reason);
  return { code, message: ofReplay };
}

/** Midnight UTC of today: everything before it is history. */
export function midnightOf(now: EpochNs): EpochNs {
  return epochNs(dayOf(now), 0);
}

function refuseTime(message: string): StartRefusal {
  return invalid([{ path: '/from/time', message }]);
}

function unknownCursor(): StartRefusal {
  return invalid([{ path: '/from/cursor', message: 'This cursor is ahead of the stream.' }]);
}
