/**
 * Somebody's own file as what a study runs over: no data directory, nothing is written. Everything that was guessed, left
 * out or cut is told, so that nobody takes a number for more than it is.
 */

import { basename } from 'node:path';
import type { SessionTable } from '@tapeloom/core/calendar/session';
import { sessionTable } from '@tapeloom/core/calendar/session-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG } from '@tapeloom/core/units';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import { judgeMapping } from '@tapeloom/server/feeds/csv/judge-mapping';
import type { CsvMapping } from '@tapeloom/server/feeds/feed-mapping';
import { FeedError } from '@tapeloom/server/feeds/feed-trades';
import { FileTape, tradedRange } from '@tapeloom/server/feeds/file-tape';
import { FileTrades } from '@tapeloom/server/feeds/file-trades';
import { type OpenFeed, openFeed } from '@tapeloom/server/feeds/open-feed';
import type { ByteSource } from '@tapeloom/server/feeds/packed/byte-source';
import { type Disk, readFileWhole } from '@tapeloom/server/platform/disk';
import { missingDays } from '@tapeloom/server/runs/coverage';
import { type CommandIo, UsageError } from '../command.ts';
import { ProgressLine } from '../progress-line.ts';
import { sizeText } from '../size-text.ts';
import { wholeText } from '../stream/text-format.ts';
import { requireRange } from '../time-options.ts';
import type { FileOptions } from './file-options.ts';
import { type FileFacts, fileText, severalText } from './file-text.ts';
import type { StudyInput } from './study-input.ts';
import type { FileSource, StudyRequest } from './study-request.ts';
import { coveringBook } from './study-sessions.ts';

/** A session whose first trade comes later than this is taken for cut, and so is one that ends earlier. */
const EDGE_NS = MINUTE_NS_BIG;
const ROUND_THE_CLOCK = 'round-the-clock';

export async function fileInput(
  request: StudyRequest,
  { path, options, from, to }: FileSource,
  disk: Disk,
  io: CommandIo,
): Promise<StudyInput> {
  const { feed, trades } = await readTrades(disk, path, options, io);
  const batches = trades.finish();
  if (batches.length === 0) throw noTrades(trades, options);
  const { first, last } = tradedRange(batches);
  const calendar = trades.root?.calendar ?? ROUND_THE_CLOCK;
  const book = coveringBook(null, calendar, request, { from: first, to: last });
  const sessions = sessionTable(book, request.indicator.sessionKind(request.params));
  const begin = epochNs(dayOf(first), 0);
  const end = endOf(sessions, last);
  const traded = new Set(batches.map(({ day }) => day));
  const facts: FileFacts = {
    name: basename(path),
    format: feed.format(),
    reasons: feed.reasons,
    trades,
    calendar,
    count: batches.reduce((sum, { count }) => sum + count, 0),
    first,
    last,
    cutAtBegin: cutAtBegin(sessions, first),
    cutAtEnd: end > last + 1n ? null : sessionAt(sessions, last),
    emptyDays: missingDays((day) => traded.has(day), sessionTable(book, 'full'), first, last),
    hasTickRule: options.trades.hasTickRule,
    isTickSaid: options.trades.tick !== null,
    isLotSaid: options.trades.lot !== null,
  };
  io.stderr(fileText(facts));
  const range = { from: later(from ?? begin, begin), to: earlier(to ?? end, end) };
  if ((from ?? begin) >= end || (to ?? end) <= begin) {
    throw new UsageError('the file has no trades between --from and --to');
  }
  requireRange(range.from, range.to);
  return {
    kind: 'file',
    tape: new FileTape(batches, wholeFrom(sessions, first)),
    symbol: trades.name!,
    tickSizeNanos: trades.tick.nanos,
    book,
    ...range,
  };
}

async function readTrades(
  disk: Disk,
  path: string,
  { trades: wanted, hints, mappingPath }: FileOptions,
  io: CommandIo,
): Promise<{ readonly feed: OpenFeed; readonly trades: FileTrades }> {
  const entry = await disk.stat(path);
  if (entry === null) throw new FeedError('There is no such file.');
  if (entry.kind !== 'file') throw new FeedError('This is a directory: give a file in it.');
  const mapping = mappingPath === null ? null : await readMapping(disk, mappingPath);
  await using file = await disk.open(path, 'read');
  const progress = new ProgressLine(io, {});
  let bytesRead = 0;
  const source: ByteSource = {
    size: entry.size,
    read: async (into, position) => {
      io.signal.throwIfAborted();
      const count = await file.read(into, position);
      bytesRead += count;
      return count;
    },
  };
  try {
    const feed = await openFeed(source, path, { ...hints, ...(mapping !== null && { mapping }) });
    const trades = new FileTrades(feed, wanted);
    let count = 0;
    for await (const batch of feed.trades()) {
      trades.add(batch);
      count += batch.count;
      progress.show(() => {
        const read = sizeText(Math.min(bytesRead, entry.size));
        return `reading: ${read} of ${sizeText(entry.size)}, ${wholeText(count)} trades`;
      });
    }
    return { feed, trades };
  } finally {
    progress.erase();
  }
}

async function readMapping(disk: Disk, path: string): Promise<CsvMapping> {
  const bytes = await readFileWhole(disk, path);
  if (bytes === null) throw new UsageError(`--mapping: there is no file ${path}`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new UsageError(`--mapping: ${path} is no JSON: ${(cause as Error).message}`, { cause });
  }
  const judged = judgeMapping(value);
  if (judged.mapping !== null) return judged.mapping;
  throw new UsageError(`--mapping ${path}:\n  ${judged.faults.join('\n  ')}`);
}

/** Why there is nothing to run over. */
function noTrades(trades: FileTrades, { trades: { symbol } }: FileOptions): FeedError {
  const { instruments } = trades;
  if (instruments.length === 0) return new FeedError('The file has no trades.');
  if (symbol === null) return new FeedError(severalText(instruments));
  return new FeedError(`The file has no trades of ${symbol}. ${severalText(instruments)}`);
}

/** Where what is told ends: with the session or the day, where the trades reach up to it, else with the last trade. */
function endOf(sessions: SessionTable, last: EpochNs): EpochNs {
  const midnight = epochNs(addDays(dayOf(last), 1), 0);
  const close = sessionAt(sessions, last)?.close ?? midnight;
  const edge = earlier(close, midnight);
  return edge - last <= EDGE_NS ? edge : ((last + 1n) as EpochNs);
}

function cutAtBegin(sessions: SessionTable, first: EpochNs) {
  const session = sessionAt(sessions, first);
  return session !== null && first - session.open > EDGE_NS ? session : null;
}

/** The first day that sessions may take for whole: not the one on which only a cut one was open. */
function wholeFrom(sessions: SessionTable, first: EpochNs): UtcDay {
  const cut = cutAtBegin(sessions, first);
  const next = cut === null ? null : sessions.atOrAfter(cut.close);
  const isCutAllDay = cut !== null && (next === null || dayOf(next.open) > dayOf(first));
  return isCutAllDay ? addDays(dayOf(first), 1) : dayOf(first);
}

function sessionAt(sessions: SessionTable, instant: EpochNs) {
  const session = sessions.atOrAfter(instant);
  return session !== null && session.open <= instant ? session : null;
}

function later(one: EpochNs, other: EpochNs): EpochNs {
  return one > other ? one : other;
}

function earlier(one: EpochNs, other: EpochNs): EpochNs {
  return one < other ? one : other;
}
