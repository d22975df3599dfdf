/**
 * The port of settled results: the part of a study's log that is final (final upserts and removes), as
 * ranges of its blocks, for history pages and exports. A UTC day's part is (D.0.0, (D+1).0.0]; days add up to
 * any range, and a day whose trades are sealed always gives the same bytes, so it can be kept.
 */

import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { Params } from '@tapeloom/core/studies/indicator';
import type { BlockParts } from '../blocks/block.ts';
import type { Coverage, CoveredStudy } from '../runs/coverage.ts';
import type { TapeDay } from '../tape/tape.ts';

export interface SettledDaysRequest {
  /** Whose turn it is: work of different accounts takes turns. */
  readonly account: string;
  readonly contract: string;
  readonly indicator: string;
  /** Canonical, without `view` parameters. */
  readonly params: Params;
  /** Updates are strictly after position(from), which needs the session that is open there whole. */
  readonly from: EpochNs;
  /** And strictly after this: where another read of the same ended, for one. */
  readonly after?: Cursor | null;
  /** They end at position(until), */
  readonly until: EpochNs;
  /** and are not after this. */
  readonly last?: Cursor | null;
  /** Whether the objects still forming at `until` are wanted; they may cost a run that the rest does not. */
  readonly hasTail: boolean;
  /** `frames`: the text comes compressed, to be sent on as it is, and without its columns. */
  readonly form: 'blocks' | 'frames';
  /**
   * What the tape lacks is passed over, not refused. A session with a gap is given as far as it is there; a study
   * without its look-back has no objects until it has one.
   */
  readonly allowsGaps?: boolean;
  /** So many updates at the beginning are only counted. */
  readonly skip?: number;
  /** Pulled at once, not as a client reads: it counts as at work until it is closed. */
  readonly isAtOnce?: boolean;
}

/** What one `next` gives: what is there already of some days, or a part of one that had to be computed. */
export interface DaysPage {
  /** Ascending, one for a day; the last one may go on in the next page. */
  readonly parts: readonly DayPart[];
  /** With `frames` asked for: zstd frames that expand to the text of all parts but the tail. */
  readonly frames: Uint8Array<ArrayBuffer>;
  /** Everything up to here has been given; a read after it goes on. */
  readonly position: Cursor;
  /** Whether nothing follows. */
  readonly isLast: boolean;
}

export interface DayPart {
  readonly day: UtcDay;
  /** The last trade of the day that is covered, this part and those before it taken together. */
  readonly rank: number;
  /** Whether the whole day, to its end, is covered so. */
  readonly isDayOver: boolean;
  /** False when a session of the day found the study without its look-back, and so without objects. */
  readonly isWarm: boolean;
  /** Updates before those of this part that were skipped. */
  readonly skipped: number;
  readonly updates: number;
  /** Unless `frames` are asked for. */
  readonly blocks: readonly BlockParts[];
  /** At `until`, if it is wanted: the objects still forming, with `"final":false`, by cursor. */
  readonly tail: BlockParts | null;
}

export interface DaysRead extends AsyncDisposable {
  /** As `Coverage.inputs`; a read that goes on after another must have the same. */
  readonly inputs?: string;
  /** Before the first `next`: the first page, if something of it is there and need not be computed. Else null. */
  kept?(): Promise<DaysPage | null>;
  /** Null after the last; one call at a time. */
  next(): Promise<DaysPage | null>;
}

export interface SettledDays {
  coverage(
    contract: string,
    from: EpochNs,
    to: EpochNs,
    study?: CoveredStudy | null,
  ): Promise<Coverage>;
  /** Trades with place in (after, to): what a page from a cursor to position(to) costs. */
  tradesAfter(contract: string, after: string, to: EpochNs): Promise<number>;
  /** The days of contracts, ascending; those that turned out to be damaged are told as such. */
  daysOf(contracts: readonly string[]): Promise<readonly (readonly TapeDay[])[]>;
  /** By contract, another text once those days are others; null: only they tell. It costs a look at most. */
  daysVersions(contracts: readonly string[]): Promise<readonly (string | null)[]>;
  /** Refused, as `next` is, when the tape does not have what is needed. */
  read(request: SettledDaysRequest): Promise<DaysRead>;
}
