/** The input of an import for one file, and its result. */

import type { Contract } from '@tapeloom/core/instrument/contract';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { OpenFeed } from '../feeds/open-feed.ts';
import type { ImportedDay, PlainTrade } from '../tape/imported/imported-manifest.ts';
import type { DaySpan } from '../tape/tape.ts';
import type { SaidCoverage } from './file-coverage.ts';
import type { DayStatus } from './judge-day.ts';
import type { Difference, EqualsAtEdges } from './merge-day.ts';

export interface FileImport {
  readonly path: string;
  readonly feed: OpenFeed;
  readonly contract: Contract | null;
  readonly covers: SaidCoverage;
  readonly hasTickRule: boolean;
  readonly mayReplace: boolean;
  /** The meaning of equal trades where the file meets the tape. */
  readonly equalsAtEdges: EqualsAtEdges;
  /** Rejects, after everything was read, when the file has changed since the begin. */
  readonly requireUnchanged: () => Promise<void>;
  /** Called now and then; may throw to abort. */
  readonly onProgress: (progress: ImportProgress) => void;
}

/** A declaration for all files of an import together. */
export interface Claim {
  /** All files are of this contract; null: the contracts that they have trades of. */
  readonly contract: Contract | null;
  readonly covers: NonNullable<SaidCoverage>;
  readonly mayReplace: boolean;
}

export type JudgedFile = Pick<FileImport, 'hasTickRule' | 'mayReplace' | 'equalsAtEdges'> & {
  readonly sources: readonly string[];
};

export type ImportProgress =
  | { readonly step: 'reading'; readonly trades: number }
  | { readonly step: 'sealing'; readonly symbol: string; readonly day: UtcDay };

export interface ImportedFile {
  readonly path: string;
  readonly trades: number;
  readonly inferredSides: number;
  /** By contract, days ascending. */
  readonly days: readonly DayResult[];
  /** Days with many trades that are all buys or all sells: the sides in the file may be wrong. */
  readonly oneSided: readonly OneSidedDay[];
  readonly leftOut: ReadonlyMap<string, number>;
}

export interface OneSidedDay {
  readonly symbol: string;
  readonly day: UtcDay;
}

export interface DayResult {
  readonly contract: Contract;
  readonly day: UtcDay;
  /** `repaired`: a live day, read from the import from now on. */
  readonly status: DayStatus | 'repaired';
  /** The day afterwards; null when it is rejected. */
  readonly imported: ImportedDay | null;
  readonly difference: Difference | null;
  readonly equalAtEdge: PlainTrade | null;
  /** Reason of a rejection: the live tape may still get trades of the day. */
  readonly isUnfinished?: true;
  /** The file's coverage of the day. */
  readonly covered: readonly DaySpan[];
}
