/** The surroundings of a shared tape's copy: what it needs, and what it reports. */

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
  /** The id of the stream's cluster. */
  readonly cluster: string;
  /** This node's name in writers. */
  readonly node: string;
  readonly mayLead: boolean;
  readonly stream: TapeStream;
  readonly objects: TapeObjects;
  /** For parts of the open day. */
  readonly packing: Packing;
  readonly clock: Clock;
  readonly random: () => number;
  readonly listed: ListedSymbols;
  /** Used only to reject times absurdly far ahead. */
  readonly now: () => EpochNs;
  readonly handler: SharedTapeHandler;
}

export interface SharedTapeHandler {
  /** The newest book and its files have changed. Nothing behind it is applied before this resolves. */
  book(book: TapeBook): void | Promise<void>;
  /** A sealed day was fetched in the background; `left` are still to come. */
  dayFetched(symbol: string, day: UtcDay, left: number): void;
  /** A day was removed because of its age. */
  dayRemoved(symbol: string, day: UtcDay): void;
  /** This node leads: the source may use this intake until the signal is aborted. */
  lead(term: LeadTerm): Promise<void>;
  state(state: SuccessionState): void;
  /** A fault that does not affect trades. */
  fault(what: string, error: unknown): void;
}

export interface LeadTerm {
  readonly intake: TapeWriter;
  /** The day whose log is open and continues; null when there is none. */
  readonly openDay: UtcDay | null;
  readonly signal: AbortSignal;
  /** Files of the book have changed. Resolves when the new book is in the stream. */
  bookChanged(): Promise<void>;
  /** All days that the first streams need are sealed here. */
  setReady(): void;
}
