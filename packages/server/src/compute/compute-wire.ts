/**
 * The messages between a compute thread and its pool. A result is computed only when `nextDay` or `nextPage` requests
 * it, so at most one result of a read is in progress.
 */

import type { MessagePort } from 'node:worker_threads';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { RefusalReason } from '../platform/refusal.ts';
import type { ThreadShape } from '../platform/threads/thread.ts';
import type { DaysPage, SettledDaysRequest } from '../results/settled-days.ts';
import type { Cover, CoverRequest } from '../runs/cover.ts';
import type { CursorPlace, ReplayPage, ReplayRequest } from '../runs/replay.ts';
import type { TradingSessions } from '../runs/session-tables.ts';
import type { DayDamage } from '../runs/sound-tape.ts';
import type { TapeDay } from '../tape/tape.ts';

export interface ComputeThreadData {
  /** The ports of the growing tapes, by dataset. */
  readonly tapePorts: ReadonlyMap<string, MessagePort>;
  readonly tapeRoot: string;
  /** The imported datasets. */
  readonly imported: readonly string[];
  readonly sessions: TradingSessions;
  /** Null: results are not cached on disk. */
  readonly cache: ComputeCacheData | null;
  /** The number of messages sent to the thread: it notices new ones while it computes. */
  readonly sent: SharedArrayBuffer;
  /** Memory for its counts (`compute-counters.ts`). */
  readonly counts?: SharedArrayBuffer;
}

export interface ComputeCacheData {
  readonly root: string;
  readonly bytesMax: number;
}

export interface ContractDay {
  readonly contract: string;
  readonly day: UtcDay;
}

export type ComputeRequest = SettledDaysRequest | ReplayRequest;

/** A failure for the operator: the error, the reason that the caller received, and the request. */
export interface ComputeFault {
  readonly t: 'fault';
  readonly error: unknown;
  readonly why: RefusalReason;
  readonly request: ComputeRequest | null;
}

export interface OpenedDays {
  /** As `DaysRead.inputs`. */
  readonly inputs: string;
  /** The first page, if it need not be computed. */
  readonly kept: DaysPage | null;
}

/** Each `read` number is used once. */
export interface ComputeShape extends ThreadShape {
  readonly calls: {
    locate(contract: string, cursor: string, seenUntil: EpochNs | null): CursorPlace;
    cover(asked: CoverRequest, visible: EpochNs): Cover;
    /** By contract. */
    daysOf(contracts: readonly string[]): readonly (readonly TapeDay[])[];
    daysVersions(contracts: readonly string[]): readonly (string | null)[];
    openDays(read: number, request: SettledDaysRequest): OpenedDays;
    openReplay(read: number, request: ReplayRequest): void;
    nextDay(read: number): DaysPage | null;
    nextPage(read: number, until: EpochNs | null): ReplayPage;
    /** An import changed these days of the dataset. */
    refresh(dataset: string, days: readonly ContractDay[]): void;
  };
  readonly orders:
    | { readonly t: 'close'; readonly read: number }
    | { readonly t: 'sessions'; readonly sessions: TradingSessions }
    /** Another thread found this sealed day damaged, or its files are sound again. */
    | {
        readonly t: 'damaged';
        readonly contract: string;
        readonly day: UtcDay;
        readonly isDamaged: boolean;
      };
  readonly news: ComputeFault | ({ readonly t: 'damaged' } & DayDamage);
  readonly refusal: RefusalReason;
}
