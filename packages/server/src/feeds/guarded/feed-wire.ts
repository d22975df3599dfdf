/** The messages between the thread that reads a foreign file and its owner. One file is open at a time. */

import type { ThreadShape } from '../../platform/threads/thread.ts';
import type { DefinitionPiece } from '../dbn/definition-file.ts';
import type { FeedHints, OpenFeed } from '../open-feed.ts';
import type { SaidRange } from '../said-range.ts';
import type { RefusalError } from './feed-refusal.ts';

export interface CopiedTrades {
  readonly count: number;
  readonly instruments: Uint32Array;
  readonly days: Uint32Array;
  readonly ns: Float64Array;
  readonly prices: Float64Array;
  readonly priceDecimals: number;
  readonly sizes: Float64Array;
  readonly sizeDecimals: number;
  readonly sides: Int8Array;
  readonly rows: Float64Array;
}

export interface FeedState {
  readonly format: string | null;
  /** The names of instruments from this index on; those before it are unchanged. */
  readonly namesFrom: number;
  readonly names: readonly (readonly string[])[];
  readonly skipped: readonly (string | null)[];
  readonly counts: ReadonlyMap<string, number>;
  readonly said: SaidRange | null;
  readonly bytesRead: number;
}

export interface FeedShape extends ThreadShape {
  readonly calls: {
    /** Returns how the file was understood, and closes the previous file. */
    open(path: string, size: number, hints: FeedHints): Pick<OpenFeed, 'reasons' | 'mapping'>;
    /** `batch` is null at the end of the file. */
    next(): { readonly batch: CopiedTrades | null; readonly state: FeedState };
    /** Opens a file of definitions and closes the open file. */
    openDefinitions(path: string, size: number): void;
    /** Null at the end of the file. */
    nextDefinitions(): DefinitionPiece | null;
    close(): void;
  };
  readonly orders: never;
  /** The part of the file that is read next. */
  readonly news: string;
  readonly refusal: RefusalError;
}
