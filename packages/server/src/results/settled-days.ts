/**
 * The port of settled results: the final part of a study's log (final upserts and removes), as ranges of its blocks,
 * for history pages and exports. The part of a UTC day is (D.0.0, (D+1).0.0]; days add up to any range. A day whose
 * trades are sealed always gives the same bytes, so it can be cached.
 */

import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { Params } from '@tapeloom/core/studies/indicator';
import type { BlockParts } from '../blocks/block.ts';
import type { Cover, CoverRequest } from '../runs/cover.ts';
import type { TapeDay } from '../tape/tape.ts';

export interface SettledDaysRequest {
  /** The account in whose slots the work runs; accounts are served round robin. */
  readonly account: string;
  readonly contract: string;
  readonly indicator: string;
  /** Canonical, without `view` parameters. */
  readonly params: Params;
  /** Updates are strictly after position(from). The session that is open there must be whole. */
  readonly from: EpochNs;
  /** Updates are also strictly after this, for example where a previous read ended. */
  readonly after?: Cursor | null;
  /** Updates end at position(until). */
  readonly until: EpochNs;
  /** Updates are not after this. */
  readonly last?: Cursor | null;
  /** Whether to include the objects still forming at `until`; this may cost an additional run. */
  readonly hasTail: boolean;
  /** `frames`: the text compressed for sending unchanged, without its columns. */
  readonly form: 'blocks' | 'frames';
  /**
   * Gaps of the tape are skipped; otherwise they are an error. Of a session with a gap the existing part is read; a
   * study without its look-back has no objects until it has one.
   */
  readonly allowsGaps?: boolean;
  /** How many updates at the beginning are only counted. */
  readonly skip?: number;
  /** Its pages are pulled without pauses: it counts as working until it is closed. */
  readonly isAtOnce?: boolean;
}

/** The result of one `next`: cached parts of some days, or a computed part of one. */
export interface DaysPage {
  /** Ascending, one for each day; the last one may continue in the next page. */
  readonly parts: readonly DayPart[];
  /** For `frames`: zstd frames that expand to the text of all parts except the tail. */
  readonly frames: Uint8Array<ArrayBuffer>;
  /** Everything up to here was given; another read may resume after it. */
  readonly position: Cursor;
  readonly isLast: boolean;
}

export interface DayPart {
  readonly day: UtcDay;
  /** The last covered trade of the day, over this part and earlier ones. */
  readonly rank: number;
  readonly isDayOver: boolean;
  /** False if the study was without its look-back, and so without objects, in a session of the day. */
  readonly isWarm: boolean;
  /** Skipped updates before those of this part. */
  readonly skipped: number;
  readonly updates: number;
  /** Empty for `frames`. */
  readonly blocks: readonly BlockParts[];
  /** If requested: the objects still forming at `until`, with `"final":false`, by cursor. */
  readonly tail: BlockParts | null;
}

export interface DaysRead extends AsyncDisposable {
  /** As `Coverage.inputs`; a read that resumes after another must have the same. */
  readonly inputs?: string;
  /** Before the first `next`: the first page, if a part of it is cached; else null. */
  kept?(): Promise<DaysPage | null>;
  /** Null after the last; one call at a time. */
  next(): Promise<DaysPage | null>;
}

export interface SettledDays {
  /** All that a query needs to know of the tape, for a caller that sees nothing from `visible` on. */
  cover(asked: CoverRequest, visible: EpochNs): Promise<Cover>;
  /** The days of contracts, ascending; those found damaged are marked. */
  daysOf(contracts: readonly string[]): Promise<readonly (readonly TapeDay[])[]>;
  /** By contract, a text that changes with those days; null: only `daysOf` can tell. Cheap. */
  daysVersions(contracts: readonly string[]): Promise<readonly (string | null)[]>;
  /** Rejects, as `next` does, if the tape is missing needed days. */
  read(request: SettledDaysRequest): Promise<DaysRead>;
}
