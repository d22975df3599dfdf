/**
 * Reads the user's own file as a study's input, without a data directory; writes nothing. It reports everything that
 * was guessed, left out or cut, so that no result looks more certain than it is.
 */

import { sessionTable } from '@tapeloom/core/calendar/session-book';
import { dayOf, earlier, epochNs, later } from '@tapeloom/core/utc-day';
import { FileTape } from '@tapeloom/server/feeds/file-tape';
import type { Disk } from '@tapeloom/server/platform/disk/disk';
import { type CommandIo, UsageError } from '../command.ts';
import { requireRange } from '../time-options.ts';
import { endOf, factsOf, wholeFrom } from './file-sessions.ts';
import { fileText } from './file-text.ts';
import type { StudyInput } from './study-input.ts';
import type { FileSource, StudyRequest } from './study-request.ts';
import { coveringBook } from './study-sessions.ts';
import { readTradeFile } from './trade-file.ts';

/** Null when the user must first clarify how to read the file. */
export async function fileInput(
  request: StudyRequest,
  { words, options, from, to }: FileSource,
  disk: Disk,
  io: CommandIo,
): Promise<StudyInput | null> {
  const file = await readTradeFile(disk, words, options, io);
  if (file === null) return null;
  const { trades, days, first, last } = file;
  const book = coveringBook(null, file.calendar, request, { from: first, to: last });
  const sessions = sessionTable(book, request.indicator.sessionKind(request.params));
  const begin = epochNs(dayOf(first), 0);
  const end = endOf(sessions, last);
  const facts = factsOf(file, sessions, sessionTable(book, 'full'));
  io.stderr(fileText(facts));
  const range = { from: later(from ?? begin, begin), to: earlier(to ?? end, end) };
  if ((from ?? begin) >= end || (to ?? end) <= begin) {
    throw new UsageError('the file has no trades between --from and --to');
  }
  requireRange(range.from, range.to);
  return {
    kind: 'file',
    tape: new FileTape(days, wholeFrom(sessions, first)),
    symbol: trades.name!,
    tickSizeNanos: trades.tick.nanos,
    book,
    ...range,
  };
}
