/**
 * What passes between the replays' worker thread and its handle. Every call has a number and gets one
 * answer. A page is asked for with `next` and made only then, so no more than one page of a replay is
 * ever under way.
 */

import type { MessagePort } from 'node:worker_threads';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { CursorPlace, ReplayPage, ReplayRequest } from './replay.ts';
import type { TradingSessions } from './session-tables.ts';

export interface ReplayWorkerData {
  readonly tapePort: MessagePort;
  readonly tapeRoot: string;
  readonly dataset: string;
  readonly sessions: TradingSessions;
}

/** `replay` is a number the main thread gives once and never again. */
export type ToReplayWorker =
  | {
      readonly t: 'locate';
      readonly call: number;
      readonly contract: string;
      readonly cursor: string;
    }
  | {
      readonly t: 'open';
      readonly call: number;
      readonly replay: number;
      readonly request: ReplayRequest;
    }
  | {
      readonly t: 'next';
      readonly call: number;
      readonly replay: number;
      readonly until: EpochNs | null;
    }
  | { readonly t: 'close'; readonly replay: number }
  | { readonly t: 'sessions'; readonly sessions: TradingSessions };

export type FromReplayWorker =
  | { readonly t: 'located'; readonly call: number; readonly place: CursorPlace }
  | { readonly t: 'opened'; readonly call: number }
  | { readonly t: 'page'; readonly call: number; readonly page: ReplayPage }
  | { readonly t: 'refused'; readonly call: number; readonly why: Refusal }
  /** For the operator: what it was that failed, and for whom. */
  | { readonly t: 'fault'; readonly error: unknown; readonly request: ReplayRequest | null };

export type Refusal = 'full' | 'not-on-tape' | 'failed';
