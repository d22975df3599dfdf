/** Prepares a day on the tape of a data directory for a replay. Only reads: a service may run on the directory. */

import type { Session } from '@tapeloom/core/calendar/session';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays, dayOf, epochNs, nsOfDay } from '@tapeloom/core/utc-day';
import { readDay } from '@tapeloom/server/markets/replay/read-day';
import type { Disk } from '@tapeloom/server/platform/disk/disk';
import { missingDays } from '@tapeloom/server/runs/coverage';
import { byDay } from '@tapeloom/server/runs/missing-times';
import { openStoredTape } from '@tapeloom/server/tape/read/stored-tape';
import type { Tape } from '@tapeloom/server/tape/tape';
import { SessionStore } from '@tapeloom/server/tape/write/session-store';
import { type CommandIo, UsageError } from '../command.ts';
import { calendarOf, marketsOf } from '../command-config.ts';
import { dateText, rangesText } from '../day-text.ts';
import { ProgressLine } from '../progress-line.ts';
import { readContract } from '../study/study-request.ts';
import type { Replay } from './replay.ts';
import type { DayToPlay } from './replay-request.ts';

/** How many earlier days stay readable during the replay. */
const PAST_DAYS_MAX = 20;
const DAYS_AROUND = 14;

export async function tapeReplay(
  { name, day, data }: DayToPlay,
  wantedFrom: EpochNs | null,
  disk: Disk,
  io: CommandIo,
): Promise<Replay> {
  const markets = await marketsOf(io, data);
  const contract = readContract('--replay', name, day, markets);
  const { symbol, dataset } = contract;
  const tape = await openStoredTape(disk, `${data}/tape`, dataset);
  const days = (await tape.days(symbol)).filter(({ state }) => state !== 'damaged');
  const states = new Map(days.map((one) => [one.day, one.state]));
  const refuse = (missing: readonly UtcDay[]) => {
    if (missing.length > 0) throw new Error(notThere(contract, missing, [...states.keys()], data));
  };
  refuse(states.has(day) ? [] : [day]);
  const kept = await new SessionStore(disk, `${data}/tape`, dataset).load(contract.calendar);
  const calendar = calendarOf(markets, contract);
  const begin = wantedFrom === null || dayOf(wantedFrom) > day ? day : dayOf(wantedFrom);
  const [first, last] = [addDays(begin, -DAYS_AROUND), addDays(day, DAYS_AROUND)];
  const book = extendSessionBook(kept, calendar, first, last, epochNs(last, 0));
  const session = mainSession(book.full, day);
  if (session === null) throw new UsageError(`--day: the market was closed on ${dateText(day)}`);
  const end = session.close;
  const from = wantedFrom ?? (await firstTrade(tape, symbol, session));
  if (from === null) throw new Error(`${symbol} did not trade in the session of ${dateText(day)}.`);
  if (from >= end) throw new UsageError('--from lies after the end of that day');
  refuse(
    missingDays(
      byDay((one) => states.has(one)),
      sessionTable(book, 'full'),
      from,
      end,
    ),
  );
  const played = daysFrom(dayOf(from), dayOf((end - 1n) as EpochNs));
  const cut = played.filter((one) => states.get(one) === 'partial');
  if (cut.length > 0) {
    io.stderr(
      `Hours of ${rangesText(cut)} are missing on the tape: they are played without trades.\n`,
    );
  }
  const whole = days.filter(({ day: one, state }) => one < dayOf(from) && state === 'sealed');
  const past = whole.slice(-PAST_DAYS_MAX).map((one) => one.day);
  return {
    plan: { contract, calendar, from, end },
    days: readDays(tape, symbol, [...past, ...played], io),
    sessions: kept,
  };
}

async function firstTrade(
  tape: Tape,
  symbol: string,
  { open, close }: Session,
): Promise<EpochNs | null> {
  const rank = await tape.rankBefore(symbol, dayOf(open), nsOfDay(open));
  for await (const { day, ts } of tape.read(symbol, { day: dayOf(open), rank })) {
    const at = epochNs(day, ts[0]!);
    return at < close ? at : null;
  }
  return null;
}

async function* readDays(
  tape: Tape,
  symbol: string,
  days: readonly UtcDay[],
  io: CommandIo,
): AsyncGenerator<TradeBatch> {
  const progress = new ProgressLine(io, {});
  try {
    for (const [index, day] of days.entries()) {
      io.signal.throwIfAborted();
      progress.show(() => `copying ${dateText(day)}, ${index + 1} of ${days.length} days`);
      yield await readDay(tape, symbol, day);
    }
  } finally {
    progress.erase();
  }
}

/** The session that covers most of the day; null when the market was closed. */
function mainSession(sessions: readonly Session[], day: UtcDay): Session | null {
  const [from, to] = [epochNs(day, 0), epochNs(addDays(day, 1), 0)];
  let [found, most]: [Session | null, bigint] = [null, 0n];
  for (const session of sessions) {
    const end = session.close < to ? session.close : to;
    const share = end - (session.open > from ? session.open : from);
    if (share > most) [found, most] = [session, share];
  }
  return found;
}

function notThere(
  { symbol }: Contract,
  missing: readonly UtcDay[],
  onTape: readonly UtcDay[],
  data: string,
): string {
  const there = onTape.length === 0 ? 'none at all' : rangesText(onTape);
  return `${symbol} has no sealed tape of ${rangesText(missing)} in ${data}; it has ${there}.`;
}

function daysFrom(from: UtcDay, to: UtcDay): UtcDay[] {
  const days: UtcDay[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}
