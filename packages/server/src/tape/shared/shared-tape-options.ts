/** What the copy of a shared tape needs of its surroundings, and what it tells them. */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { Clock } from '../../platform/clock.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import type { Packing } from '../../platform/zstd-aside.ts';
import type { SuccessionState } from '../stream/succession.ts';
import type { TapeBook } from '../stream/tape-book.ts';
import type { TapeObjects, TapeStream } from '../stream/tape-stream.ts';
import type { ListedSymbols } from '../write/sequencer/listed-on.ts';
import type { TapeWriter } from '../write/tape-writer.ts';

export interface SharedTapeOptions {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly dataset: string;
  /** The id of the cluster that the stream is of. */
  readonly cluster: string;
  /** This node, as writers name it. */
  readonly node: string;
  readonly mayLead: boolean;
  readonly stream: TapeStream;
  readonly objects: TapeObjects;
  /** For parts of the open day. */
  readonly packing: Packing;
  readonly clock: Clock;
  readonly random: () => number;
  readonly listed: ListedSymbols;
  /** Only to refuse times absurdly far ahead. */
  readonly now: () => EpochNs;
  readonly handler: SharedTapeHandler;
}

export interface SharedTapeHandler {
  /** The newest book has changed; the files say it too. Nothing that stands behind it is applied before this resolves. */
  book(book: TapeBook): void | Promise<void>;
  /** A sealed day has come behind the tape's back; so many are still to come. */
  dayFetched(symbol: string, day: UtcDay, left: number): void;
  /** A day has left the tape, because it is too old to be kept. */
  dayRemoved(symbol: string, day: UtcDay): void;
  /** This node appends: the source may run on this intake, until the signal says so. */
  lead(term: LeadTerm): Promise<void>;
  state(state: SuccessionState): void;
  /** Something failed that trades do not depend on. */
  fault(what: string, error: unknown): void;
}

/** The time in which this node appends. */
export interface LeadTerm {
  readonly intake: TapeWriter;
  /** The day whose log is open and goes on; null when there is none. */
  readonly openDay: UtcDay | null;
  readonly signal: AbortSignal;
  /** Files that a book is made of have changed. Resolves when all know of it. */
  bookChanged(): Promise<void>;
  /** All days that the first streams need are sealed here. */
  setReady(): void;
}
