/**
 * What passes between a compute thread and its handle. Every call has a number and gets exactly one
 * answer. A result is asked for with `next` and made only then, so no more than one of a read is ever
 * under way.
 */

import type { MessagePort } from 'node:worker_threads';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { RefusalReason } from '../platform/refusal.ts';
import type { DaysPage, SettledDaysRequest } from '../results/settled-days.ts';
import type { Coverage, CoveredStudy } from '../runs/coverage.ts';
import type { CursorPlace, ReplayPage, ReplayRequest } from '../runs/replay.ts';
import type { TradingSessions } from '../runs/session-tables.ts';

export interface ComputeThreadData {
  readonly tapePort: MessagePort;
  readonly tapeRoot: string;
  readonly dataset: string;
  readonly sessions: TradingSessions;
  /** Null: nothing is kept. */
  readonly cache: ComputeCacheData | null;
  /** A count of the messages sent to it: while it computes, it sees there that one has come. */
  readonly sent?: SharedArrayBuffer;
  /** Where it counts (`compute-counters.ts`), if anybody reads that. */
  readonly counts?: SharedArrayBuffer;
}

export interface ComputeCacheData {
  readonly root: string;
  readonly bytesMax: number;
}

/** What is called, with what, and what it answers. `read` is a number that is given once. */
export interface ComputeCalls {
  locate: {
    of: {
      readonly contract: string;
      readonly cursor: string;
      readonly seenUntil: EpochNs | null;
    };
    answer: CursorPlace;
  };
  coverage: {
    of: {
      readonly contract: string;
      readonly from: EpochNs;
      readonly to: EpochNs;
      readonly study: CoveredStudy | null;
    };
    answer: Coverage;
  };
  tradesAfter: {
    of: { readonly contract: string; readonly after: string; readonly to: EpochNs };
    answer: number;
  };
  /** Answers with the inputs of the read. */
  openDays: { of: { readonly read: number; readonly request: SettledDaysRequest }; answer: string };
  openReplay: { of: { readonly read: number; readonly request: ReplayRequest }; answer: string };
  nextDay: { of: { readonly read: number }; answer: DaysPage | null };
  nextPage: { of: { readonly read: number; readonly until: EpochNs | null }; answer: ReplayPage };
}

export type ComputeCallName = keyof ComputeCalls;
export type ComputeAnswer = ComputeCalls[ComputeCallName]['answer'];

export type ComputeCall = {
  [Name in ComputeCallName]: {
    readonly t: 'call';
    readonly call: number;
    readonly name: Name;
    readonly of: ComputeCalls[Name]['of'];
  };
}[ComputeCallName];

export type ToComputeThread =
  | ComputeCall
  | { readonly t: 'close'; readonly read: number }
  | { readonly t: 'sessions'; readonly sessions: TradingSessions }
  /** Another thread found this sealed day damaged. */
  | { readonly t: 'damaged'; readonly contract: string; readonly day: UtcDay };

export type FromComputeThread =
  | { readonly t: 'answer'; readonly call: number; readonly answer: ComputeAnswer }
  | { readonly t: 'refused'; readonly call: number; readonly why: RefusalReason }
  /** For the operator: what it was that failed, and for whom. */
  | { readonly t: 'fault'; readonly error: unknown; readonly request: ComputeRequest | null };

export type ComputeRequest = SettledDaysRequest | ReplayRequest;
