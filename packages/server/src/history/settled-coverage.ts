/**
 * What the tape has of a range, by day and rank. A day is missing when the market was open at some time of
 * the range on it and the tape does not have it whole; of the open day that much is whole which the
 * promise has reached. Weekends and holidays are never missing; before the first session that is known
 * nothing tells them from other days, so there a day that the tape does not have is missing.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import { parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs, nsOfDay } from '@tapeloom/core/utc-day';
import type { Tape, TapeDay } from '../tape/tape.ts';
import { type LookBackRule, missingLookBack } from './look-back-coverage.ts';
import type { Coverage } from './settled-days.ts';

/** A tape with its promise, or one of sealed days only, which needs none. */
export type CoveredTape = Tape & { readonly promise?: EpochNs | null };

/** Days that turned out to be damaged, though their index is sound; each is told until the process ends. */
export class DamagedDays {
  readonly #days = new Map<string, Set<UtcDay>>();

  add(contract: string, day: UtcDay): void {
    this.#days.getOrInsertComputed(contract, () => new Set()).add(day);
  }

  has(contract: string, day: UtcDay): boolean {
    return this.#days.get(contract)?.has(day) ?? false;
  }
}

export interface Covered {
  readonly tape: CoveredTape;
  readonly contract: string;
  readonly fullSessions: SessionTable;
  readonly damaged: DamagedDays;
  /** Where that is known already. */
  readonly now?: TapeNow;
}

/** What a study needs, and from where on it is wanted: at the start of the range or before. */
export interface CoveredLookBack extends LookBackRule {
  readonly from: EpochNs;
}

/** What there is of a contract at one moment. */
export interface TapeNow {
  readonly promise: EpochNs | null;
  readonly onTape: ReadonlyMap<UtcDay, TapeDay>;
}

export async function tapeNow(tape: CoveredTape, contract: string): Promise<TapeNow> {
  // Taken before the days: whatever the promise has reached, they have.
  const promise = tape.promise ?? null;
  return { promise, onTape: await daysByDay(tape, contract) };
}

/** Of [from, to), for a study where one is named. */
export async function coverageOf(
  covered: Covered,
  from: EpochNs,
  to: EpochNs,
  lookBack: CoveredLookBack | null = null,
): Promise<Coverage> {
  const { tape, contract, fullSessions, damaged } = covered;
  const { promise, onTape } = covered.now ?? (await tapeNow(tape, contract));
  const reached = promise !== null && promise < to ? promise : to;
  const days: { day: UtcDay; trades: number }[] = [];
  const missingDays: UtcDay[] = [];
  for (let day = dayOf(from); epochNs(day, 0) < to; day = addDays(day, 1)) {
    const found = onTape.get(day);
    const isSound = found !== undefined && found.state !== 'damaged' && !damaged.has(contract, day);
    if (isSound) days.push({ day, trades: await tradesOf(tape, contract, found, from, to) });
    else if (isOpenIn(fullSessions, day, from, reached)) missingDays.push(day);
  }
  const isOnTape = (day: UtcDay) => onTape.has(day);
  return {
    days,
    trades: days.reduce((sum, { trades }) => sum + trades, 0),
    missingDays,
    missingLookBack: lookBack && missingLookBack(lookBack, lookBack.from, reached, isOnTape),
  };
}

/** Trades after a cursor's entry and before `to`. */
export async function tradesAfterCursor(
  { tape, contract }: Pick<Covered, 'tape' | 'contract'>,
  cursor: string,
  to: EpochNs,
): Promise<number> {
  const after = parseCursor(cursor);
  if (after === null) throw new RangeError(`not a cursor: ${cursor}`);
  const midnight = epochNs(after.day, 0);
  let sum = 0;
  for (const day of (await daysByDay(tape, contract)).values()) {
    if (day.day < after.day || epochNs(day.day, 0) >= to) continue;
    const trades = await tradesOf(tape, contract, day, midnight, to);
    sum += day.day === after.day ? Math.max(0, trades - after.rank) : trades;
  }
  return sum;
}

async function daysByDay(tape: Tape, contract: string): Promise<ReadonlyMap<UtcDay, TapeDay>> {
  return new Map((await tape.days(contract)).map((day) => [day.day, day]));
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
