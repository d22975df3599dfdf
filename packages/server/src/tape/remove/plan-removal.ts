/**
 * Plans which days to remove when all before a day should go. A session is kept whole or not at all: a contract is cut
 * at the last midnight, up to the requested day, that no session of the contract spans.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import { sessionTable } from '@tapeloom/core/calendar/session-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import type { Disk } from '../../platform/disk/disk.ts';
import { SessionStore } from '../write/session-store.ts';

export interface RemovalRequest {
  readonly before: UtcDay;
  /** Only this contract; null: all. */
  readonly symbol: string | null;
}

export interface ContractRemoval {
  readonly symbol: string;
  /** The first day that stays, if it exists. */
  readonly keptFrom: UtcDay;
  /** The days to remove, ascending; at least one. */
  readonly days: readonly UtcDay[];
}

/** The sessions by which a contract is cut; several tables when its own is not known. */
export type SessionsOf = (symbol: string) => readonly SessionTable[];

type Days = ReadonlyMap<string, ReadonlyMap<UtcDay, unknown>>;

/** The days of a live tape and the imported ones beside it, which are removed together. */
export function allDays(live: Days, imported: Days): Days {
  const all = new Map([...live].map(([symbol, days]) => [symbol, new Map(days)]));
  for (const [symbol, days] of imported) {
    const of = all.getOrInsertComputed(symbol, () => new Map<UtcDay, unknown>());
    for (const [day, found] of days) of.set(day, found);
  }
  return all;
}

export function planRemoval(
  days: Days,
  { before, symbol }: RemovalRequest,
  sessionsOf: SessionsOf,
): readonly ContractRemoval[] {
  return [...days].flatMap(([one, of]) => {
    if (of.size === 0 || (symbol !== null && one !== symbol)) return [];
    const all = [...of.keys()].sort((a, b) => a - b);
    const keptFrom = firstKeptDay(before, all, sessionsOf(one));
    const gone = all.filter((day) => day < keptFrom);
    return gone.length === 0 ? [] : [{ symbol: one, keptFrom, days: gone }];
  });
}

/** `days` ascend. Without known sessions nothing is removed, since one might span any midnight. */
function firstKeptDay(
  before: UtcDay,
  days: readonly UtcDay[],
  sessions: readonly SessionTable[],
): UtcDay {
  const [first, last] = [days[0]!, days.at(-1)!];
  if (before > last) return addDays(last, 1);
  if (sessions.length === 0) return first;
  let day = before;
  while (day > first && sessions.some((table) => isOpenOverMidnight(table, day))) {
    day = addDays(day, -1);
  }
  return day;
}

function isOpenOverMidnight(sessions: SessionTable, day: UtcDay): boolean {
  const midnight = epochNs(day, 0);
  const session = sessions.atOrBefore((midnight - 1n) as EpochNs);
  return session !== null && session.close > midnight;
}

/** From the session books of a dataset. For a contract of unknown calendar, all books count. */
export async function sessionsByBooks(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  calendarOf: (symbol: string) => string | null,
): Promise<SessionsOf> {
  const store = new SessionStore(disk, tapeRoot, dataset);
  const tables = new Map<string, SessionTable>();
  for (const calendar of await store.calendars()) {
    const book = await store.load(calendar);
    if (book !== null) tables.set(calendar, sessionTable(book, 'full'));
  }
  return (symbol) => {
    const calendar = calendarOf(symbol);
    const own = calendar === null ? undefined : tables.get(calendar);
    return own === undefined ? [...tables.values()] : [own];
  };
}
