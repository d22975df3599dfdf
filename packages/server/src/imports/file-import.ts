/** What an import is told of a file, and what it says of it afterwards. */

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
  /** What equal trades are where the file meets what is there. */
  readonly equalsAtEdges: EqualsAtEdges;
  /** Rejects, after all was read, when the file is not what it was at the begin. */
  readonly requireUnchanged: () => Promise<void>;
  /** Told now and then; may throw to end it. */
  readonly onProgress: (progress: ImportProgress) => void;
}

/** What is said of all files of an import, together. */
export interface Claim {
  /** All files are of this contract; null: of those that they have trades of. */
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
  /** Days on which the file has many trades, all of them bought or all of them sold: its sides may be wrong. */
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
  readonly status: DayStatus;
  /** As it is afterwards; null where it is refused. */
  readonly imported: ImportedDay | null;
  readonly difference: Difference | null;
  readonly equalAtEdge: PlainTrade | null;
  /** What the file has of the day. */
  readonly covered: readonly DaySpan[];
}
