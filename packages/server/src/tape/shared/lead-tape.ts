/**
 * One term of a node's leadership. Its sequencer resumes from everything that the copy has followed, through a log that
 * rejects a fenced writer. Afterwards the copy holds exactly what was stored, however the term ended.
 */

import type { FencedWriter } from '../stream/fenced-writer.ts';
import { tellLoss } from '../stream/tell-loss.ts';
import type { SequencerCounters } from '../write/sequencer/sequencer-counters.ts';
import type { TapePublisher } from '../write/tape-publisher.ts';
import { TapeWriter } from '../write/tape-writer.ts';
import type { BookKeeper } from './book/book-keeper.ts';
import { commitRowsMax, FencedLog } from './log/fenced-log.ts';
import type { LocalLog } from './log/local-log.ts';
import { keepParts } from './parts/part-keeper.ts';
import type { SharedTapeOptions } from './shared-tape-options.ts';
import type { TapeCopy } from './tape-copy.ts';

export interface LedTape {
  readonly options: SharedTapeOptions;
  readonly copy: TapeCopy;
  readonly local: LocalLog;
  readonly books: BookKeeper;
  readonly counters: SequencerCounters;
  readonly publisher: TapePublisher;
  /** The intake exists: no message is left behind the copy for it to follow. */
  onBegun(): void;
}

/** Runs until the signal or the writer ends it. Rejects with errors that end the node's part in the tape. */
export async function leadTape(
  writer: FencedWriter,
  signal: AbortSignal,
  { options, copy, local, books, counters, publisher, onBegun }: LedTape,
): Promise<void> {
  const { now, handler } = options;
  if (copy.isAhead) await tellLoss(writer);
  const stopped = new AbortController();
  const over = AbortSignal.any([signal, stopped.signal]);
  const sequencer = copy.sequencer.copy(counters, commitRowsMax(writer.bodyBytesMax));
  sequencer.resume();
  const beforeOpening = () => books.append(writer, true);
  const log = new FencedLog({ writer, copy, beforeOpening });
  const intake = new TapeWriter({
    ...{ log, days: copy.days, now, sequencer, counters, publisher },
    onFailure: (error) => stopped.abort(error),
  });
  onBegun();
  try {
    const openDay = copy.end === null || copy.end.isEnded ? null : copy.end.day;
    await Promise.all([
      handler.lead({
        ...{ intake, openDay, signal: over },
        bookChanged: () => books.append(writer),
        setReady: () => books.setReady(),
      }),
      books.lead(writer, over),
      keepParts({ ...options, copy, local, onFault: handler.fault }, over),
    ]);
  } catch (error) {
    // The end of the writer or of the tape is judged below; any other error ends the node's part in the tape.
    if (!over.aborted) stopped.abort(error);
  } finally {
    await intake[Symbol.asyncDispose]();
  }
  counters.failed = 0;
  if (!writer.ended.aborted && stopped.signal.aborted) throw stopped.signal.reason;
}
