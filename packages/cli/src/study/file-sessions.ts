/** How a file of trades covers the sessions of its market: which are whole, and where the file's results end. */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG, SECOND_NS } from '@tapeloom/core/units';
import { addDays, dayOf, earlier, epochNs } from '@tapeloom/core/utc-day';
import { isOneSided } from '@tapeloom/server/feeds/day-rows';
import { missingDays } from '@tapeloom/server/runs/coverage';
import { byDay } from '@tapeloom/server/runs/missing-times';
import type { FileFacts } from './file-text.ts';
import type { TradeFile } from './trade-file.ts';

/** A session counts as cut if its first trade comes later, or its last one ends earlier, than this. */
const EDGE_NS = MINUTE_NS_BIG;
/** With fewer trades, one a second may be chance. */
const BARS_MIN = 100;

/** The facts reported about a file. */
export function factsOf(
  { name, options, format, reasons, trades, days, first, last, calendar }: TradeFile,
  sessions: SessionTable,
  fullSessions: SessionTable,
): FileFacts {
  const traded = new Set(days.map(({ day }) => day));
  return {
    name,
    format,
    reasons,
    trades,
    calendar: calendar.name,
    outside: outsideOf(days, fullSessions),
    count: days.reduce((sum, { count }) => sum + count, 0),
    first,
    last,
    cutAtBegin: cutAtBegin(sessions, first),
    cutAtEnd: endOf(sessions, last) > last + 1n ? null : sessionAt(sessions, last),
    emptyDays: missingDays(
      byDay((day) => traded.has(day)),
      fullSessions,
      first,
      last,
    ),
    oneSidedDays: days.filter(isOneSided).map(({ day }) => day),
    isLikeBars: areLikeBars(days),
    hasTickRule: options.trades.hasTickRule,
    isTickSaid: options.trades.tick !== null,
    isLotSaid: options.trades.lot !== null,
    isCalendarSaid: options.calendar !== null,
  };
}

/** True if there is at most one trade a second, each exactly on the second: these are bars, not trades. */
function areLikeBars(days: TradeFile['days']): boolean {
  let count = 0;
  for (const { ts, count: rows } of days) {
    for (let row = 0; row < rows; row += 1) {
      if (ts[row]! % SECOND_NS !== 0 || (row > 0 && ts[row] === ts[row - 1])) return false;
    }
    count += rows;
  }
  return count >= BARS_MIN;
}

/** The number of trades outside any session. */
function outsideOf(days: TradeFile['days'], sessions: SessionTable): number {
  let outside = 0;
  for (const { day, ts, count } of days) {
    let [open, close] = [0, 0];
    for (let row = 0; row < count; row += 1) {
      const ns = ts[row]!;
      if (ns >= close) {
        const session = sessions.atOrAfter(epochNs(day, ns));
        const midnight = epochNs(day, 0);
        [open, close] = [session?.open, session?.close].map((edge) =>
          edge === undefined ? Number.POSITIVE_INFINITY : Number(edge - midnight),
        ) as [number, number];
      }
      if (ns < open) outside += 1;
    }
  }
  return outside;
}

/** The end of the results: the end of the session or day if the trades reach it, else just after the last trade. */
export function endOf(sessions: SessionTable, last: EpochNs): EpochNs {
  const midnight = epochNs(addDays(dayOf(last), 1), 0);
  const close = sessionAt(sessions, last)?.close ?? midnight;
  const edge = earlier(close, midnight);
  return edge - last <= EDGE_NS ? edge : ((last + 1n) as EpochNs);
}

function cutAtBegin(sessions: SessionTable, first: EpochNs) {
  const session = sessionAt(sessions, first);
  return session !== null && first - session.open > EDGE_NS ? session : null;
}

/** The first day that sessions may treat as whole: not a day with only a cut session. */
export function wholeFrom(sessions: SessionTable, first: EpochNs): UtcDay {
  const cut = cutAtBegin(sessions, first);
  const next = cut === null ? null : sessions.atOrAfter(cut.close);
  const isCutAllDay = cut !== null && (next === null || dayOf(next.open) > dayOf(first));
  return isCutAllDay ? addDays(dayOf(first), 1) : dayOf(first);
}

function sessionAt(sessions: SessionTable, instant: EpochNs) {
  const session = sessions.atOrAfter(instant);
  return session !== null && session.open <= instant ? session : null;
}
