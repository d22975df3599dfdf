/**
 * What passes between a compute thread and its pool. A result is asked for with `next` and made only then, so no
 * more than one of a read is ever under way.
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
  readonly tapePort: MessagePort;
  readonly tapeRoot: string;
  /** The dataset whose tape grows. */
  readonly dataset: string;
  /** Those that are imported. */
  readonly imported: readonly string[];
  readonly sessions: TradingSessions;
  /** Null: nothing is kept. */
  readonly cache: ComputeCacheData | null;
  /** A count of the messages sent to it: while it computes, it sees there that one has come. */
  readonly sent: SharedArrayBuffer;
  /** Where it counts (`compute-counters.ts`), if anybody reads that. */
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

/** For the operator: what it was that failed, what was told of it, and for whom. */
export interface ComputeFault {
  readonly t: 'fault';
  readonly error: unknown;
  readonly why: RefusalReason;
  readonly request: ComputeRequest | null;
}

export interface OpenedDays {
  /** As `DaysRead.inputs`. */
  readonly inputs: string;
  /** The first page, where it need not be computed: it comes along. */
  readonly kept: DaysPage | null;
}

/** `read` is a number that is given once. */
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
    /** Something was imported into this dataset: these days are others than before. */
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
