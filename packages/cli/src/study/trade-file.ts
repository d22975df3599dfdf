/**
 * A file of trades read whole: its days, and what is known of its instrument. What is not clear is asked, and what is no
 * file of trades is refused, in the same words whatever it was wanted for.
 */

import { basename } from 'node:path';
import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { DayRows } from '@tapeloom/server/feeds/day-rows';
import { FeedError } from '@tapeloom/server/feeds/feed-trades';
import { tradedRange } from '@tapeloom/server/feeds/file-tape';
import { FileTrades } from '@tapeloom/server/feeds/file-trades';
import { FeedThread } from '@tapeloom/server/feeds/guarded/feed-thread';
import { type OpenFeed, UnclearFeedError } from '@tapeloom/server/feeds/open-feed';
import { CALENDAR_TEMPLATES } from '@tapeloom/server/markets/instruments/templates';
import type { Disk } from '@tapeloom/server/platform/disk';
import type { CommandIo } from '../command.ts';
import { openFile } from '../import/found-files.ts';
import { ProgressLine } from '../progress-line.ts';
import { sizeText } from '../size-text.ts';
import { wholeText } from '../stream/text-format.ts';
import type { FileOptions } from './file-options.ts';
import { questionsText, severalText } from './file-text.ts';
import { readHints } from './read-hints.ts';

const ROUND_THE_CLOCK = 'round-the-clock';

export interface TradeFile {
  readonly path: string;
  readonly options: FileOptions;
  readonly feed: OpenFeed;
  readonly trades: FileTrades;
  /** Those with trades, ascending; there is one. */
  readonly days: readonly DayRows[];
  readonly first: EpochNs;
  readonly last: EpochNs;
  readonly calendar: Calendar;
}

/** Null when somebody has to say first how it is to be read, which was told. */
export async function readTradeFile(
  disk: Disk,
  path: string,
  options: FileOptions,
  io: CommandIo,
): Promise<TradeFile | null> {
  const name = basename(path);
  try {
    const { feed, trades } = await readTrades(disk, path, options, io);
    const days = trades.finish();
    if (days.length === 0) throw noTrades(trades, options);
    const calendar = calendarOf(options.calendar ?? trades.root?.calendar ?? ROUND_THE_CLOCK);
    return { path, options, feed, trades, days, calendar, ...tradedRange(days) };
  } catch (error) {
    if (error instanceof UnclearFeedError) {
      io.stderr(questionsText(name, error.questions));
      return null;
    }
    if (!(error instanceof FeedError)) throw error;
    throw new Error(`${name}: ${error.message}`, { cause: error });
  }
}

async function readTrades(
  disk: Disk,
  path: string,
  options: FileOptions,
  io: CommandIo,
): Promise<{ readonly feed: OpenFeed; readonly trades: FileTrades }> {
  const hints = await readHints(disk, options, io.signal);
  await using feeds = new FeedThread(io.signal);
  await using opened = await openFile(disk, path, hints, feeds);
  const { feed, size, bytesRead } = opened;
  const progress = new ProgressLine(io, {});
  try {
    const trades = new FileTrades(feed, options.trades);
    let count = 0;
    for await (const batch of feed.trades()) {
      trades.add(batch);
      count += batch.count;
      progress.show(() => {
        const read = `${sizeText(bytesRead())} of ${sizeText(size)}`;
        return `reading: ${read}, ${wholeText(count)} trades`;
      });
    }
    return { feed, trades };
  } finally {
    progress.erase();
  }
}

/** The option was checked, and what is known of a root is built in. */
function calendarOf(name: string): Calendar {
  return CALENDAR_TEMPLATES.get(name)!;
}

/** Why there is nothing to run over. */
function noTrades(trades: FileTrades, { trades: { symbol } }: FileOptions): FeedError {
  const { instruments } = trades;
  if (instruments.length === 0) return new FeedError('The file has no trades.');
  if (symbol === null) return new FeedError(severalText(instruments));
  return new FeedError(`The file has no trades of ${symbol}. ${severalText(instruments)}`);
}
