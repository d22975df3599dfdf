/**
 * What the tape has of a range, by day and rank, and of what a study needs before it. A day is missing when
 * the market was open at some needed time of it and the tape does not have it whole; of the open day that
 * much is whole which the promise has reached. Weekends and holidays are never missing. A day before the
 * first session that is known is missing, whatever the tape has: without sessions it has no results.
 */

import { createHash } from 'node:crypto';
import type { SessionTable } from '@tapeloom/core/calendar/session';
import { parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs, nsOfDay } from '@tapeloom/core/utc-day';
import {
  type LookBackRule,
  lookBackStart,
  missingLookBack,
  sessionStart,
  snapshotStart,
} from '../runs/look-back-coverage.ts';
import {
  type CoveredTape,
  type DamagedDays,
  daysBefore,
  type TapeNow,
  tapeNow,
} from '../runs/sound-tape.ts';
import type { Tape, TapeDay } from '../tape/tape.ts';
import type { Coverage } from './settled-days.ts';

/** 132 bits. */
const DIGEST_LENGTH = 22;

export interface Covered {
  readonly tape: CoveredTape;
  readonly contract: string;
  readonly fullSessions: SessionTable;
  readonly damaged: DamagedDays;
  /** Where that is known already. */
  readonly now?: TapeNow;
}

/** What a study that begins at the start of the range needs besides. */
export interface CoveredNeeds extends LookBackRule {
  /** The first day that may matter to its results. */
  readonly firstDayRead: UtcDay;
  /** From where on values of earlier sessions are wanted: at the start of the range or before. */
  readonly valuesFrom: EpochNs;
  /** Whether `sessionsMax` is of objects that are carried, not of a value. */
  readonly isCarrying: boolean;
  /** Whether it begins with a snapshot. */
  readonly hasSnapshot: boolean;
}

/** Of [from, to), for a study where one is named. */
export async function coverageOf(
  covered: Covered,
  from: EpochNs,
  to: EpochNs,
  study: CoveredNeeds | null = null,
): Promise<Coverage> {
  const { tape, contract, fullSessions, damaged } = covered;
  const { promise, onTape } = covered.now ?? (await tapeNow(tape, contract, damaged));
  const reached = promise !== null && promise < to ? promise : to;
  const neededFrom = study === null ? from : startOf(study, from);
  const days: { day: UtcDay; trades: number }[] = [];
  const missingDays: UtcDay[] = [];
  for (let day = dayOf(neededFrom); epochNs(day, 0) < to; day = addDays(day, 1)) {
    const found = hasSessions(fullSessions, day) ? onTape.get(day) : undefined;
    if (found === undefined) {
      if (isOpenIn(fullSessions, day, neededFrom, reached)) missingDays.push(day);
    } else if (day >= dayOf(from)) {
      days.push({ day, trades: await tradesOf(tape, contract, found, from, to) });
    }
  }
  const isOnTape = (day: UtcDay) => onTape.has(day);
  const isCarrying = study?.isCarrying === true;
  return {
    days,
    trades: days.reduce((sum, { trades }) => sum + trades, 0),
    missingDays,
    missingLookBack:
      study === null || isCarrying
        ? null
        : missingLookBack(study, study.valuesFrom, reached, isOnTape),
    inputs: study === null ? '' : digestOf(daysBefore(onTape, study.firstDayRead, dayOf(from))),
    lookBackFrom: isCarrying ? lookBackStart(study, from, isOnTape) : null,
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH);
}

function startOf({ sessions, hasSnapshot }: CoveredNeeds, from: EpochNs): EpochNs {
  return hasSnapshot ? snapshotStart(sessions, from) : sessionStart(sessions, from);
}

/** Trades after a cursor's entry and before `to`. */
export async function tradesAfterCursor(
  { tape, contract, damaged }: Covered,
  cursor: string,
  to: EpochNs,
): Promise<number> {
  const after = parseCursor(cursor);
  if (after === null) throw new RangeError(`not a cursor: ${cursor}`);
  const midnight = epochNs(after.day, 0);
  let sum = 0;
  const { onTape } = await tapeNow(tape, contract, damaged);
  for (const day of onTape.values()) {
    if (day.day < after.day || epochNs(day.day, 0) >= to) continue;
    const trades = await tradesOf(tape, contract, day, midnight, to);
    sum += day.day === after.day ? Math.max(0, trades - after.rank) : trades;
  }
  return sum;
}

/** Of one day, those in [from, to). */
async function tradesOf(
  tape: Tape,
  contract: string,
  { day, trades }: TapeDay,
  from: EpochNs,
  to: EpochNs,
): Promise<number> {
  const before = async (instant: EpochNs) => {
    if (instant <= epochNs(day, 0)) return 0;
    if (instant >= epochNs(addDays(day, 1), 0)) return trades;
    return await tape.rankBefore(contract, day, nsOfDay(instant));
  };
  return Math.max(0, (await before(to)) - (await before(from)));
}

/** Whether a day is none before the first session that is known; the books are always ahead of the tape. */
function hasSessions(full: SessionTable, day: UtcDay): boolean {
  return full.atOrBefore(epochNs(addDays(day, 1), -1)) !== null;
}

/** Whether the market was open at some time of [from, to) on this day, as far as is known. */
function isOpenIn(full: SessionTable, day: UtcDay, from: EpochNs, to: EpochNs): boolean {
  const [midnight, next] = [epochNs(day, 0), epochNs(addDays(day, 1), 0)];
  const start = from > midnight ? from : midnight;
  const end = to < next ? to : next;
  if (start >= end) return false;
  if (full.atOrBefore((end - 1n) as EpochNs) === null) return true;
  const session = full.atOrAfter(start);
  return session !== null && session.open < end;
}
