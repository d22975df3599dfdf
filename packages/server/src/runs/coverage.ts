/**
 * What the tape has of a range and of the time that a study needs before it, by day and rank; the one definition of a
 * missing day. A day is missing if the market was open at a needed time and the tape does not have the day whole, so
 * partial imported days are missing too, and live days with a gap in the needed time. The open day is known up to the
 * watermark (`promise`). Weekends and holidays are never
 * missing. Days before the first known session always are: without sessions there are no results.
 */

import { hash } from 'node:crypto';
import type { SessionTable } from '@tapeloom/core/calendar/session';
import { type Cursor, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { computationOf } from '@tapeloom/core/studies/computation';
import type { Params } from '@tapeloom/core/studies/indicator';
import { addDays, dayOf, earlier, epochNs, nsOfDay } from '@tapeloom/core/utc-day';
import type { Tape, TapeDay } from '../tape/tape.ts';
import {
  firstDayRead,
  lookBackStart,
  missingLookBack,
  sessionStart,
  sessionsEarlier,
  snapshotStart,
} from './look-back.ts';
import { type MissingSpan, missingSpans } from './missing-spans.ts';
import { isMissingIn, type MissingOn } from './missing-times.ts';
import type { StudySource } from './run-source.ts';
import { SESSIONS_EARLIER_MAX } from './run-start.ts';
import { inputsOver } from './settled-inputs.ts';
import {
  type CoveredTape,
  type DamagedDays,
  daysBefore,
  missingNow,
  replaceableDays,
  type TapeNow,
  tapeNow,
} from './sound-tape.ts';

/** 132 bits. */
const DIGEST_LENGTH = 22;

export interface Coverage extends RangeNeeds {
  /** Trades in [from, to), by UTC day; days without trades included where the tape has them. */
  readonly days: readonly CoveredDay[];
  readonly trades: number;
}

export interface CoveredDay {
  readonly day: UtcDay;
  /** Trades of the day that lie before the range. */
  readonly before: number;
  readonly trades: number;
}

/** What is missing of a range, and for a study of what it reads before; and what its results are made of. */
export interface RangeNeeds {
  /**
   * Days without complete trades on which the market was open: days of the range and, for a study, from the open of the
   * session that contains its start.
   */
  readonly missingDays: readonly UtcDay[];
  /** The missing times within the same period. */
  readonly gaps: readonly MissingSpan[];
  /**
   * For a study that has no complete session in the look-back for some part of the range: the missing days, as far as
   * they are known. Null if the look-back suffices.
   */
  readonly missingLookBack: readonly UtcDay[] | null;
  /** For a study whose objects outlive sessions: the time from which all of them are present. Else null. */
  readonly lookBackFrom: EpochNs | null;
  /**
   * For a study: identifies the days before the range that its results depend on, and the replaceable days of the
   * range. Another text means other results.
   */
  readonly inputs: string;
  /**
   * For a study that reads only sealed days: identifies those days, their sessions and the computation. The same text
   * means the same results forever. Else null.
   */
  readonly sealed: string | null;
}

export interface CoveredStudy {
  readonly indicator: string;
  readonly params: Params;
  /** Where results begin: at the start of the range or before it. Values are needed from there on. */
  readonly from: EpochNs;
  readonly hasSnapshot: boolean;
  /** Whether the results are those of a stream: its numbering depends on earlier sessions. Default: `hasSnapshot`. */
  readonly isStream?: boolean;
}

type RangeStudy = StudySource & Pick<CoveredStudy, 'from' | 'hasSnapshot' | 'isStream'>;

export interface Covered {
  readonly tape: CoveredTape;
  readonly contract: string;
  readonly fullSessions: SessionTable;
  readonly damaged: DamagedDays;
  /** The tape's state, if it is already known. */
  readonly now?: TapeNow;
}

/** The coverage of [from, to), for a study if one is given. */
export async function coverageOf(
  covered: Covered,
  from: EpochNs,
  to: EpochNs,
  study: RangeStudy | null = null,
): Promise<Coverage> {
  const { tape, contract, fullSessions, damaged } = covered;
  const now = covered.now ?? (await tapeNow(tape, contract, damaged));
  const days: CoveredDay[] = [];
  for (const found of now.onTape.values()) {
    const { day } = found;
    if (day < dayOf(from) || epochNs(day, 0) >= to || !hasSessions(fullSessions, day)) continue;
    const before = await dayTradesBefore(tape, contract, found, from);
    const trades = Math.max(0, (await dayTradesBefore(tape, contract, found, to)) - before);
    days.push({ day, before, trades });
  }
  const trades = days.reduce((sum, one) => sum + one.trades, 0);
  return { days, trades, ...needsOf(now, fullSessions, from, to, study) };
}

/** Without counts, so nothing of the tape is read. */
export function needsOf(
  now: TapeNow,
  fullSessions: SessionTable,
  from: EpochNs,
  to: EpochNs,
  study: RangeStudy | null,
): RangeNeeds {
  const { promise, onTape } = now;
  const reached = promise === null ? to : earlier(promise, to);
  if (study === null) {
    const nothing = { missingLookBack: null, inputs: '', sealed: null, lookBackFrom: null };
    return { ...missingIn(now, fullSessions, from, reached), ...nothing };
  }
  const { sessions, indicator, params, hasSnapshot } = study;
  const neededFrom = hasSnapshot ? snapshotStart(sessions, from) : sessionStart(sessions, from);
  const rule = { sessions, sessionsMax: indicator.lookBackSessionsMax(params) };
  const missingOn = missingNow(now);
  const missing = missingIn(now, fullSessions, neededFrom, reached);
  const isCarrying = indicator.objectsOutliveSession === true;
  return {
    ...missing,
    missingLookBack: isCarrying ? null : missingLookBack(rule, study.from, reached, missingOn),
    inputs: inputsText(study, from, to, onTape, missing.gaps),
    sealed: sealedInputs(study, neededFrom, dayOf((to - 1n) as EpochNs), onTape),
    lookBackFrom: isCarrying ? lookBackStart(rule, from, missingOn) : null,
  };
}

function missingIn(
  now: TapeNow,
  full: SessionTable,
  from: EpochNs,
  to: EpochNs,
): Pick<Coverage, 'missingDays' | 'gaps'> {
  const unknown = unknownDays(now, full, from, to);
  const days = [...unknown, ...missingDays(missingNow(now), full, from, to)];
  const last = unknown.at(-1);
  const knownFrom = last === undefined ? from : epochNs(addDays(last, 1), 0);
  return {
    missingDays: days,
    gaps: days.length === 0 ? [] : missingSpans(now, full, { from, knownFrom, to }),
  };
}

function inputsText(
  study: StudySource & Pick<CoveredStudy, 'from'>,
  from: EpochNs,
  to: EpochNs,
  onTape: TapeNow['onTape'],
  gaps: readonly MissingSpan[],
): string {
  const before = daysBefore(onTape, firstDayRead(study, dayOf(study.from)), dayOf(from));
  const replaceable = replaceableDays(onTape, dayOf(from), dayOf((to - 1n) as EpochNs));
  const missing = gaps.map((gap) => `${gap.from} ${gap.to} ${gap.why}`).join();
  return digestOf([before, replaceable, missing].filter((text) => text !== '').join(';'));
}

/** The inputs of a computation from `from` to the end of a day: of whole settled days, or of a stream. */
function sealedInputs(
  study: StudySource & Pick<CoveredStudy, 'from' | 'hasSnapshot' | 'isStream'>,
  from: EpochNs,
  last: UtcDay,
  onTape: TapeNow['onTape'],
): string | null {
  const { sessions, indicator, hasSnapshot, isStream = hasSnapshot } = study;
  const session = isStream ? sessions.atOrBefore(from) : null;
  const begin =
    session === null ? study.from : sessionsEarlier(sessions, session, SESSIONS_EARLIER_MAX).open;
  const inputs = inputsOver(sessions, firstDayRead(study, dayOf(begin)), last, onTape);
  return inputs && digestOf(JSON.stringify([computationOf(indicator), inputs]));
}

/** The days of [from, to) on which the market was open and of which the tape does not have all of this time. */
export function missingDays(
  missingOn: MissingOn,
  full: SessionTable,
  from: EpochNs,
  to: EpochNs,
): readonly UtcDay[] {
  const missing: UtcDay[] = [];
  for (let day = dayOf(from); from < to && epochNs(day, 0) < to; day = addDays(day, 1)) {
    if (isMissingIn(missingOn, day, from, to) && isOpenIn(full, day, from, to)) missing.push(day);
  }
  return missing;
}

/** The days of [from, to) before the first known session. */
function unknownDays(
  { onTape }: TapeNow,
  full: SessionTable,
  from: EpochNs,
  to: EpochNs,
): readonly UtcDay[] {
  const unknown: UtcDay[] = [];
  for (let day = dayOf(from); from < to && epochNs(day, 0) < to; day = addDays(day, 1)) {
    const isKnown = onTape.has(day)
      ? hasSessions(full, day)
      : full.atOrBefore((earlier(to, epochNs(addDays(day, 1), 0)) - 1n) as EpochNs) !== null;
    if (isKnown) break;
    unknown.push(day);
  }
  return unknown;
}

/** Trades of a range after the entry of `after` and, where there is one, not after that of `last`. */
export function tradesBetween(
  { days, trades }: Pick<Coverage, 'days' | 'trades'>,
  after: string | null,
  last: string | null,
): number {
  const left = after === null ? trades : tradesAfter(days, parseCursor(after)!);
  const beyond = last === null ? 0 : tradesAfter(days, parseCursor(last)!);
  return Math.max(0, left - beyond);
}

function tradesAfter(days: Coverage['days'], { day, rank }: Cursor): number {
  return days.reduce((sum, one) => {
    if (one.day < day) return sum;
    const passed = one.day === day ? Math.max(0, rank - one.before) : 0;
    return sum + Math.max(0, one.trades - passed);
  }, 0);
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);
}

/** The trades of one day before an instant. */
export async function dayTradesBefore(
  tape: Tape,
  contract: string,
  { day, trades }: TapeDay,
  instant: EpochNs,
): Promise<number> {
  if (instant <= epochNs(day, 0)) return 0;
  if (instant >= epochNs(addDays(day, 1), 0)) return trades;
  return await tape.rankBefore(contract, day, nsOfDay(instant));
}

/** False for a day before the first known session. Session books always reach beyond the tape. */
export function hasSessions(full: SessionTable, day: UtcDay): boolean {
  return full.atOrBefore(epochNs(addDays(day, 1), -1)) !== null;
}

/** Whether the market was open at some time of [from, to) on this day, according to the known sessions. */
function isOpenIn(full: SessionTable, day: UtcDay, from: EpochNs, to: EpochNs): boolean {
  const midnight = epochNs(day, 0);
  const end = earlier(to, epochNs(addDays(day, 1), 0));
  const session = full.atOrAfter(from > midnight ? from : midnight);
  return session !== null && session.open < end;
}
