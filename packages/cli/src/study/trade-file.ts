/**
 * Reads a whole file of trades: its days, and what is known about its instrument. All commands ask the same questions
 * about an unclear file and reject other files with the same messages.
 */

import { basename } from 'node:path';
import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import type { DayRows } from '@tapeloom/server/feeds/day-rows';
import { FeedError, type FeedTrades } from '@tapeloom/server/feeds/feed-trades';
import { tradedRange } from '@tapeloom/server/feeds/file-tape';
import { FileTrades } from '@tapeloom/server/feeds/file-trades';
import { FeedThread } from '@tapeloom/server/feeds/guarded/feed-thread';
import { JoinedFeed } from '@tapeloom/server/feeds/joined-feed';
import { UnclearFeedError } from '@tapeloom/server/feeds/open-feed';
import { CALENDAR_TEMPLATES } from '@tapeloom/server/markets/instruments/templates';
import type { Disk } from '@tapeloom/server/platform/disk/disk';
import type { CommandIo } from '../command.ts';
import { FileFault, foundFiles, inOrder, named, openFile } from '../import/found-files.ts';
import { ProgressLine } from '../progress-line.ts';
import { sizeText } from '../size-text.ts';
import { wholeText } from '../stream/text-format.ts';
import type { FileOptions } from './file-options.ts';
import { questionsText, severalText } from './file-text.ts';
import { PIPED, pipedFile } from './piped-file.ts';
import { readHints } from './read-hints.ts';

const ROUND_THE_CLOCK = 'round-the-clock';

export interface TradeFile {
  /** The first file's name, and the number of further files. */
  readonly name: string;
  readonly options: FileOptions;
  readonly format: string;
  readonly reasons: readonly string[];
  readonly trades: FileTrades;
  /** Days with trades, ascending; at least one. */
  readonly days: readonly DayRows[];
  readonly first: EpochNs;
  readonly last: EpochNs;
  readonly calendar: Calendar;
}

/** Null when the user must first clarify how to read the file; the questions are then printed. */
export async function readTradeFile(
  disk: Disk,
  words: readonly string[],
  options: FileOptions,
  io: CommandIo,
): Promise<TradeFile | null> {
  await using piped = words.includes(PIPED) ? await pipedFile(io) : null;
  const given = words.map((word) => (word === PIPED ? piped!.path : word));
  const paths = await foundFiles(disk, given);
  const name = namesText(paths);
  try {
    const { trades, ...told } = await readTrades(disk, paths, options, io);
    const days = trades.finish();
    if (days.length === 0) throw noTrades(trades, options);
    const calendar = calendarOf(options.calendar ?? trades.root?.calendar ?? ROUND_THE_CLOCK);
    return { name, options, ...told, trades, days, calendar, ...tradedRange(days) };
  } catch (error) {
    if (error instanceof FileFault && error.cause instanceof UnclearFeedError) {
      io.stderr(questionsText(error.fileName, error.cause.questions));
      return null;
    }
    if (error instanceof FeedError) {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

async function readTrades(
  disk: Disk,
  paths: readonly string[],
  options: FileOptions,
  io: CommandIo,
): Promise<Pick<TradeFile, 'trades' | 'format' | 'reasons'>> {
  const hints = await readHints(disk, options, io.signal);
  await using feeds = new FeedThread(io.signal);
  const ordered = await inOrder(disk, paths, hints, feeds);
  const joined = new JoinedFeed();
  const progress = new ProgressLine(io, {});
  const formats = new Set<string>();
  const reasons = new Set<string>();
  let trades: FileTrades | null = null;
  let count = 0;
  let lastPath = '';
  let last: EpochNs | null = null;
  try {
    for (const path of ordered) {
      await named(path, async () => {
        await using opened = await openFile(disk, path, hints, feeds);
        const { feed, size, bytesRead } = opened;
        joined.follow(feed);
        // Only a single file may rename its only instrument part way.
        trades ??= new FileTrades(paths.length === 1 ? feed : joined, options.trades);
        let isFirst = true;
        for await (const batch of feed.trades()) {
          if (isFirst && batch.count > 0 && last !== null && instantOf(batch, 0) < last) {
            reasons.add(
              `${basename(lastPath)} and ${basename(path)} overlap in time: trades that both have count twice.`,
            );
          }
          isFirst &&= batch.count === 0;
          trades.add(paths.length === 1 ? batch : joined.taken(batch));
          if (batch.count > 0) last = instantOf(batch, batch.count - 1);
          count += batch.count;
          progress.show(() => {
            const read = `${sizeText(bytesRead())} of ${sizeText(size)}`;
            return `reading: ${read}, ${wholeText(count)} trades`;
          });
        }
        lastPath = path;
        formats.add(feed.format());
        for (const reason of feed.reasons) reasons.add(reason);
      });
    }
  } finally {
    progress.erase();
  }
  return { trades: trades!, format: [...formats].join('; '), reasons: [...reasons] };
}

function instantOf({ days, ns }: FeedTrades, row: number): EpochNs {
  return epochNs(days[row]! as UtcDay, ns[row]!);
}

function namesText(paths: readonly string[]): string {
  const name = basename(paths[0]!);
  return paths.length === 1 ? name : `${name} and ${paths.length - 1} more`;
}

/** The option was checked, and the calendars of known roots are built in. */
function calendarOf(name: string): Calendar {
  return CALENDAR_TEMPLATES.get(name)!;
}

/** Why there are no trades to run over. */
function noTrades(trades: FileTrades, { trades: { symbol } }: FileOptions): FeedError {
  const { instruments } = trades;
  if (instruments.length === 0) return new FeedError('The file has no trades.');
  if (symbol === null) return new FeedError(severalText(instruments));
  return new FeedError(`The file has no trades of ${symbol}. ${severalText(instruments)}`);
}
