/** Tapes at the edges of what a market can do, as columns, with their sessions. */

import { calendarNamed } from '../../src/calendar/calendars.ts';
import { resolveSessions } from '../../src/calendar/resolve-sessions.ts';
import type { Session, SessionKind } from '../../src/calendar/session.ts';
import type { EpochNs, Rank, UtcDay } from '../../src/numbers.ts';
import { allocateBatch, type TradeBatch, type WritableTradeBatch } from '../../src/trade-batch.ts';
import { DAY_NS } from '../../src/units.ts';
import { addDays, epochNs, utcDay } from '../../src/utc-day.ts';

export interface ExtremeTape {
  readonly batches: readonly TradeBatch[];
  sessions(kind: SessionKind): readonly Session[];
  /** Whether the kind of session makes a difference. */
  readonly hasKinds: boolean;
  /** The range of the run: from before the first session to after the last. */
  readonly from: EpochNs;
  readonly until: EpochNs;
}

interface Trade {
  /** Since the midnight of the tape's first day. */
  ns: number;
  price: number;
  size: number;
  side: number;
}

const FIRST = utcDay(20260105);
const MINUTE_NS = 60_000_000_000;
const HOUR_NS = 60 * MINUTE_NS;
const MILLION = 1_000_000;
const SIZE_MAX = 2 ** 31 - 1;
/** Sums of this many trades of the largest size are exact. */
const LARGE_COUNT = 12;

export const EXTREME_TAPES: Readonly<Record<string, () => ExtremeTape>> = {
  'sessions without a trade': () => hourly(3, []),
  'one trade': () => hourly(3, [{ ns: HOUR_NS, price: 0, size: 1, side: 1 }]),
  'one trade in the first and the last nanosecond of sessions': () =>
    hourly(3, [
      { ns: 0, price: -5, size: 1, side: -1 },
      { ns: 2 * HOUR_NS - 1, price: 7, size: 1, side: 0 },
      { ns: 2 * HOUR_NS, price: 7, size: 1, side: 1 },
    ]),
  'a price range of 100,000 ticks': () => inHours(2, 3_400, wideRange),
  'a gap of 5,000 ticks': () => inHours(3, 400, gaps),
  'sizes of 2^31 − 1': () => inHours(2, LARGE_COUNT, largest),
  'a UTC midnight inside a bar': () => aroundMidnight(),
  'a contract that stops trading inside a session': () =>
    inHours(3, 300, (trade, index) => ordinary(trade, index, 17_000_000_000)),
  'a contract that starts trading inside a session': () =>
    inHours(3, 300, (trade, index) => {
      ordinary(trade, index, 17_000_000_000);
      trade.ns += 1.5 * HOUR_NS;
    }),
  'clocks go forward in March': () => ofCalendar('cme-equity', 20260305, 20260310),
  'clocks go back in November': () => ofCalendar('cme-metals', 20261029, 20261103),
  'clocks change, and the market never closes': () =>
    ofCalendar('round-the-clock', 20261031, 20261102),
  'Thanksgiving and the half day after it': () => ofCalendar('cme-equity', 20261124, 20261130),
  'Christmas Eve': () => ofCalendar('cme-rates', 20261222, 20261229),
};

/** A million trades at one instant of the second session, in runs of one side; the first session has a few. */
export function millionAtOnce(): ExtremeTape {
  return inHours(2, MILLION + 100, (trade, index) => {
    ordinary(trade, index, MINUTE_NS / 10);
    if (index < 100) return;
    trade.ns = 1.5 * HOUR_NS;
    trade.side = Math.floor(index / 1_000) % 2 === 0 ? 1 : -1;
  });
}

/** The exact sum of all lots. */
export function volumeOf({ batches }: ExtremeTape): bigint {
  let volume = 0n;
  for (const { size, count } of batches) {
    for (const lots of size.subarray(0, count)) volume += BigInt(lots);
  }
  return volume;
}

function ordinary(trade: Trade, index: number, gapNs: number): void {
  trade.ns = index * gapNs;
  trade.price = 21_000 + ((index * 7_919) % 11) - 5;
  trade.size = 1 + ((index * 104_729) % 9);
  trade.side = ((index * 31) % 7 < 3 ? -1 : 1) * (index % 13 === 0 ? 0 : 1);
}

/** Up and down through the whole range within 200 ms, with jumps from one end to the other. */
function wideRange(trade: Trade, index: number): void {
  ordinary(trade, index, 0);
  trade.ns = HOUR_NS - 100_000_000 + index * 60_000;
  const step = (index * 30) % 200_000;
  const price = step < 100_000 ? step : 200_000 - step;
  trade.price = index % 499 === 0 ? 100_000 - price : price;
}

/** Ordinary trades; at intervals the price jumps away and later back. */
function gaps(trade: Trade, index: number): void {
  ordinary(trade, index, 0);
  trade.ns = index * 25_000_000_000;
  if (Math.floor(index / 50) % 2 === 1) trade.price -= 5_000;
}

function largest(trade: Trade, index: number): void {
  ordinary(trade, index, HOUR_NS / 6);
  trade.size = SIZE_MAX;
}

/** Consecutive sessions of an hour. */
function hourly(sessionCount: number, trades: readonly Trade[]): ExtremeTape {
  return inHours(sessionCount, trades.length, (trade, index) => {
    Object.assign(trade, trades[index]);
  });
}

function inHours(
  sessionCount: number,
  count: number,
  fill: (trade: Trade, index: number) => void,
): ExtremeTape {
  const edge = (hour: number) => epochNs(FIRST, hour * HOUR_NS);
  const sessions = Array.from({ length: sessionCount }, (_, index) => {
    return { date: FIRST, open: edge(index), close: edge(index + 1) };
  });
  return { ...tape(FIRST, count, fill, edge(sessionCount)), sessions: () => sessions };
}

/** One session from 23:30 to 00:30, with three trades every 36 seconds, at midnight itself too. */
function aroundMidnight(): ExtremeTape {
  const openNs = DAY_NS - HOUR_NS / 2;
  const session = {
    date: addDays(FIRST, 1),
    open: epochNs(FIRST, openNs),
    close: epochNs(FIRST, openNs + HOUR_NS),
  };
  const fill = (trade: Trade, index: number) => {
    ordinary(trade, index, 0);
    trade.ns = openNs + Math.floor(index / 3) * 36_000_000_000;
  };
  return { ...tape(FIRST, 300, fill, session.close), sessions: () => [session] };
}

/** A trade every 17 minutes and a bit, day and night, in or out of a session. */
function ofCalendar(name: string, fromDate: number, toDate: number): ExtremeTape {
  const calendar = calendarNamed(name);
  const first = addDays(utcDay(fromDate), -2);
  const days = 2 + Math.round(Number(epochNs(utcDay(toDate), 0) - epochNs(first, 0)) / DAY_NS);
  const gapNs = 1_033_000_000_000;
  const count = Math.floor((days * DAY_NS) / gapNs);
  const fill = (trade: Trade, index: number) => ordinary(trade, index, gapNs);
  return {
    ...tape(first, count, fill, epochNs(first, days * DAY_NS)),
    sessions: (kind) => resolveSessions(calendar, kind, utcDay(fromDate), utcDay(toDate)),
    hasKinds: true,
  };
}

function tape(
  first: UtcDay,
  count: number,
  fill: (trade: Trade, index: number) => void,
  until: EpochNs,
) {
  const trade: Trade = { ns: 0, price: 0, size: 1, side: 0 };
  const batches: WritableTradeBatch[] = [];
  let batch: WritableTradeBatch | null = null;
  let dayEndNs = 0;
  for (let index = 0; index < count; index += 1) {
    fill(trade, index);
    if (batch === null || trade.ns >= dayEndNs) {
      const dayIndex = Math.floor(trade.ns / DAY_NS);
      dayEndNs = (dayIndex + 1) * DAY_NS;
      batch = allocateBatch(addDays(first, dayIndex), 1 as Rank, count - index);
      batches.push(batch);
    }
    batch.ts[batch.count] = trade.ns % DAY_NS;
    batch.price[batch.count] = trade.price;
    batch.size[batch.count] = trade.size;
    batch.side[batch.count] = trade.side;
    batch.count += 1;
  }
  return { batches, from: epochNs(first, 0), until, hasKinds: false };
}
