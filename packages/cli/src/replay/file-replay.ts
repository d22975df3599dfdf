/** Prepares the user's own file for a replay. Its instrument is guessed and reported, as by `tapeloom study --file`. */

import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import type { Contract } from '@tapeloom/core/instrument/contract';
import { PRODUCTS } from '@tapeloom/core/instrument/product';
import { type EpochNs, rank, type UtcDay } from '@tapeloom/core/numbers';
import { allocateBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { Disk } from '@tapeloom/server/platform/disk/disk';
import { isSafeName } from '@tapeloom/server/tape/tape-paths';
import { type CommandIo, UsageError } from '../command.ts';
import { endOf, factsOf, wholeFrom } from '../study/file-sessions.ts';
import { fileText } from '../study/file-text.ts';
import { readTradeFile, type TradeFile } from '../study/trade-file.ts';
import type { Replay } from './replay.ts';
import type { FileToPlay } from './replay-request.ts';

const DATASET = 'FILE';
const UNKNOWN = 'unknown';
/** The code of ISO 4217 for no currency. */
const NO_CURRENCY = 'XXX';
const UNIT_NANOS = 1_000_000_000;
/** How many days of sessions are resolved on each side of the file, to find which of them it covers. */
const DAYS_AROUND = 14;
/** A file does not name its contract's expiry: this keeps the contract listed during the replay. */
const LISTED_DAYS_AFTER = 3_650;
const SYMBOL_LENGTH_MAX = 64;

/** Null when the user must first clarify how to read the file. */
export async function fileReplay(
  { path, options }: FileToPlay,
  from: EpochNs | null,
  disk: Disk,
  io: CommandIo,
): Promise<Replay | null> {
  const file = await readTradeFile(disk, [path], options, io);
  if (file === null) return null;
  const { first, last, calendar } = file;
  const dates = [addDays(dayOf(first), -DAYS_AROUND), addDays(dayOf(last), DAYS_AROUND)] as const;
  const sessions = sessionTable(extendSessionBook(null, calendar, ...dates, last), 'full');
  io.stderr(fileText(factsOf(file, sessions, sessions)));
  const contract = contractOf(file);
  if (contract.symbol !== file.trades.name) {
    io.stderr(`It is played as ${contract.symbol}, a name that the service accepts.\n`);
  }
  const start = from ?? first;
  if (start > last || start < epochNs(dayOf(first), 0)) {
    throw new UsageError(`--from must lie between ${timeText(first)} and ${timeText(last)}`);
  }
  return {
    plan: { contract, calendar, from: start, end: endOf(sessions, last) },
    days: allDays(file.days, pastFrom(wholeFrom(sessions, first), start)),
    sessions: null,
  };
}

/** Days before the start must be whole, because readers cannot see gaps. The first day played may be partial. */
function pastFrom(whole: UtcDay, start: EpochNs): UtcDay {
  return whole < dayOf(start) ? whole : dayOf(start);
}

/** Includes days without trades: the file does not tell what it may have omitted in between. */
function* allDays(days: readonly TradeBatch[], from: UtcDay): Generator<TradeBatch> {
  const byDay = new Map(days.map((batch) => [batch.day, batch]));
  for (let day = from; day <= days.at(-1)!.day; day = addDays(day, 1)) {
    yield byDay.get(day) ?? allocateBatch(day, rank(1), 0);
  }
}

function contractOf({ trades, calendar, last }: TradeFile): Contract {
  const product = PRODUCTS.find(({ root }) => root === trades.root?.root);
  const symbol = safeSymbol(trades.name!);
  return {
    symbol,
    dataset: DATASET,
    root: trades.root?.root ?? symbol,
    name: product?.name ?? symbol,
    exchange: product?.exchange ?? UNKNOWN,
    currency: product?.currency ?? NO_CURRENCY,
    tickSizeNanos: trades.tick.nanos,
    lotSizeNanos: trades.lot.nanos,
    pointValueNanos: product?.pointValueNanos ?? UNIT_NANOS,
    calendar: calendar.name,
    expiresAt: epochNs(addDays(dayOf(last), LISTED_DAYS_AFTER), 0),
  };
}

/** Contract names also serve as file names and as command-line arguments. */
function safeSymbol(name: string): string {
  if (isSafeName(name)) return name;
  const safe = name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return safe === '' ? 'FILE' : safe.slice(0, SYMBOL_LENGTH_MAX);
}

function timeText(instant: EpochNs): string {
  return new Date(Number(instant / MS_NS_BIG)).toISOString();
}
