/**
 * Simulated trades of one busy contract in memory: whole days of ES from the open of a session on,
 * cut off at a number of trades, in batches as the engine gets them, with their sessions. The same
 * arguments always give the same tape.
 */

import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import type { SessionKind, SessionTable } from '@tapeloom/core/calendar/session';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import { rank, type UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { createSimUniverse } from '@tapeloom/server/markets/sim/sim-universe';
import { TradeColumns } from '@tapeloom/server/markets/sim/trades/trade-columns';

const SYMBOL = 'ESH6';
/** A Sunday, without trades before the open. The contract now has nearly all volume of its root. */
const FIRST_DAY = utcDay(20_260_104);
/** The last day before New York's clocks change, so all sessions open at the same UTC time. */
const LAST_DAY = utcDay(20_260_307);
const SEED = 1;
const BATCH_ROWS = 65_536;

export interface SimTape {
  readonly trades: number;
  readonly batches: readonly TradeBatch[];
  readonly firstDay: UtcDay;
  sessions(kind: SessionKind): SessionTable;
}

/** `printsScale` multiplies the usual number of trades. */
export function simulatedTape(trades: number, printsScale = 1): SimTape {
  const { market, book } = createSimUniverse({ seed: SEED, printsScale }, FIRST_DAY);
  const calendar = calendarNamed(book.contract(SYMBOL)!.calendar);
  const sessions = extendSessionBook(null, calendar, FIRST_DAY, LAST_DAY, epochNs(FIRST_DAY, 0));
  const batches: TradeBatch[] = [];
  let left = trades;
  for (let day = FIRST_DAY; left > 0; day = addDays(day, 1)) {
    if (day > LAST_DAY) throw new RangeError(`there are ${trades - left} trades only`);
    const columns = new TradeColumns();
    market.appendDay(SYMBOL, day, columns);
    const count = Math.min(columns.count, left);
    for (let from = 0; from < count; from += BATCH_ROWS) {
      batches.push(batchOf(columns, day, from, Math.min(from + BATCH_ROWS, count)));
    }
    left -= count;
  }
  return { trades, batches, firstDay: FIRST_DAY, sessions: (kind) => sessionTable(sessions, kind) };
}

/** Copies the columns, because they grow by doubling and would hold twice the memory. */
function batchOf(columns: TradeColumns, day: UtcDay, from: number, to: number): TradeBatch {
  return {
    day,
    firstRank: rank(from + 1),
    count: to - from,
    ts: columns.ts.slice(from, to),
    price: columns.price.slice(from, to),
    size: columns.size.slice(from, to),
    side: columns.side.slice(from, to),
  };
}
