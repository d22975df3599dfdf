/**
 * Plans the simulated days that a start makes, as a pure function of the time and of the existing days. Today itself
 * goes through the log, by `SimSource`.
 */

import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { resolveSessions } from '@tapeloom/core/calendar/resolve-sessions';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, earlier, later } from '@tapeloom/core/utc-day';
import type { FillItem, FillPlan } from '../market.ts';
import type { SimUniverse } from './sim-universe.ts';

const ROLL_REACH_DAYS = 2;
const EXPIRED_SESSIONS = 5;
/** The longest closed time between three sessions, with a margin. */
const SESSIONS_REACH_DAYS = 16;
/** Missed days that are filled; a longer absence leaves a gap. */
const MISSED_DAYS_MAX = 60;
/** The root whose past roll and expired contract are filled. */
const SHOWN_ROOT = 'ES';

export interface FillState {
  /** Whether this day of the contract needs nothing: it is sealed, or has a log. */
  isDone(symbol: string, day: UtcDay): boolean;
  /** The day after the newest one that went through a log; null when there is none. */
  readonly missedFrom: UtcDay | null;
}

/**
 * `ready` is what the first streams need: for each streamed contract the days before today, back to the open of the
 * session before the current or last one, and at least yesterday.
 *
 * `rest` follows while the service runs: whole days missed while it was down, the last days (`recentDays`), the days
 * around the newest roll before these, and the last sessions of the newest expired contract. If `recentDays` is 0, only
 * missed days are made. The newest days come first, and within a day the busiest contract.
 */
export function planFill(
  universe: SimUniverse,
  now: EpochNs,
  state: FillState,
  recentDays: number,
): FillPlan {
  const today = dayOf(now);
  const planned = new Set<string>();
  const missing = (items: readonly FillItem[]): FillItem[] =>
    items.filter(({ symbol, day }) => {
      const { firstDay, lastDay } = universe.market.life(symbol);
      const key = `${symbol} ${day}`;
      if (day < firstDay || day > lastDay || day >= today || planned.has(key)) return false;
      planned.add(key);
      return !state.isDone(symbol, day);
    });
  const ready = missing(readyItems(universe, now));
  const rest = [
    ...missing(newestFirst(universe, recentItems(universe, today, state.missedFrom, recentDays))),
    ...(recentDays === 0 ? [] : missing(rollItems(universe, today, recentDays))),
    ...(recentDays === 0 ? [] : missing(expiredItems(universe, today))),
  ];
  return { ready: newestFirst(universe, ready), rest };
}

function readyItems(universe: SimUniverse, now: EpochNs): FillItem[] {
  const today = dayOf(now);
  return universe.streamedOn(today).flatMap(({ symbol, calendar }) => {
    const from = readyFrom(calendar, now);
    return daysFrom(from < today ? from : addDays(today, -1), addDays(today, -1), symbol);
  });
}

/** The day of the open of the session before the current or last one. */
function readyFrom(calendar: string, now: EpochNs): UtcDay {
  const today = dayOf(now);
  const sessions = resolveSessions(
    calendarNamed(calendar),
    'full',
    addDays(today, -SESSIONS_REACH_DAYS),
    addDays(today, 1),
  );
  const current = sessions.findLastIndex(({ open }) => open <= now);
  const before = sessions[current - 1];
  if (before === undefined) throw new RangeError(`${calendar} has no two sessions before ${today}`);
  return dayOf(before.open);
}

function recentItems(
  universe: SimUniverse,
  today: UtcDay,
  missedFrom: UtcDay | null,
  recentDays: number,
): FillItem[] {
  const recent = addDays(today, -recentDays);
  const oldest = addDays(today, -MISSED_DAYS_MAX);
  const from = missedFrom === null ? recent : later(oldest, earlier(recent, missedFrom));
  const items: FillItem[] = [];
  for (let day = from; day < today; day = addDays(day, 1)) {
    const symbols = new Set(universe.streamedOn(day).map(({ symbol }) => symbol));
    if (day >= recent) for (const { symbol } of universe.streamedOn(today)) symbols.add(symbol);
    for (const symbol of symbols) items.push({ symbol, day });
  }
  return items;
}

/** The contracts on both sides of the newest roll whose surrounding days are all over and not recent. */
function rollItems(universe: SimUniverse, today: UtcDay, recentDays: number): FillItem[] {
  const rolls = universe.book.allAliases().find(({ root }) => root === SHOWN_ROOT)?.rolls ?? [];
  const newest = addDays(today, -recentDays - ROLL_REACH_DAYS);
  const index = rolls.findLastIndex(({ from }, i) => i > 0 && from < newest);
  if (index < 0) return [];
  const { from } = rolls[index]!;
  return [rolls[index]!.symbol, rolls[index - 1]!.symbol].flatMap((symbol) =>
    daysFrom(addDays(from, -ROLL_REACH_DAYS), addDays(from, ROLL_REACH_DAYS), symbol),
  );
}

function expiredItems(universe: SimUniverse, today: UtcDay): FillItem[] {
  const expired = universe.contracts.findLast(
    (contract) => contract.root === SHOWN_ROOT && dayOf(contract.expiresAt) < today,
  );
  if (expired === undefined) return [];
  return daysFrom(lastSessionsFrom(expired), dayOf(expired.expiresAt), expired.symbol).reverse();
}

/** The day on which the contract's fifth last session opens. */
function lastSessionsFrom({ calendar, expiresAt }: Contract): UtcDay {
  const last = dayOf(expiresAt);
  const from = addDays(last, -SESSIONS_REACH_DAYS);
  const sessions = resolveSessions(calendarNamed(calendar), 'full', from, last);
  return dayOf(sessions.filter(({ open }) => open < expiresAt).at(-EXPIRED_SESSIONS)!.open);
}

function daysFrom(from: UtcDay, to: UtcDay, symbol: string): FillItem[] {
  const items: FillItem[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) items.push({ symbol, day });
  return items;
}

function newestFirst(universe: SimUniverse, items: readonly FillItem[]): FillItem[] {
  const prints = ({ symbol, day }: FillItem) => universe.market.expectedPrints(symbol, day);
  return [...items].sort((a, b) => b.day - a.day || prints(b) - prints(a));
}
