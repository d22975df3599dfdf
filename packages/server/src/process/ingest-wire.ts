/** What passes between the main thread and the ingest thread. Both directions keep their order. */

import type { MessagePort } from 'node:worker_threads';
import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { MarketSetting } from '../markets/market-setting.ts';
import type { ClockSetting } from '../platform/system-clock.ts';
import type { ThreadShape } from '../platform/thread.ts';
import type { RecoveryReport } from '../tape/write/open-tape.ts';
import type { SequencerCounters } from '../tape/write/sequencer-counters.ts';

export interface IngestWorkerData {
  readonly tapeRoot: string;
  readonly market: MarketSetting;
  /** How many times faster than the machine's the service's clock runs; null: the machine's clock. */
  readonly speed: number | null;
  /** How many days before the newest one stay on the tape; 0: all. */
  readonly keepDays: number;
}

export interface IngestShape extends ThreadShape {
  readonly calls: {
    /** Resolves when the tape is open. */
    open(): IngestOpened;
  };
  /** A port for one who follows the tape. */
  readonly orders: { readonly t: 'follow'; readonly port: MessagePort };
  readonly news: FromIngest;
  /** Why the tape cannot be opened, where that is the operator's to judge. */
  readonly refusal: string;
}

export type FromIngest =
  /** The session books have grown. */
  | { readonly t: 'sessions'; readonly books: readonly SessionBook[] }
  /** Simulated days are being sealed; streams wait for those of the first part only. */
  | {
      readonly t: 'filled';
      readonly part: 'first' | 'rest';
      readonly days: number;
      readonly daysTotal: number;
      /** The day that was sealed just now; null at the beginning. */
      readonly item: { readonly symbol: string; readonly day: UtcDay } | null;
    }
  /** A day has left the tape, because it is older than the operator wants to keep. */
  | { readonly t: 'removed'; readonly item: { readonly symbol: string; readonly day: UtcDay } }
  /** The source has caught up with the clock for the first time. */
  | { readonly t: 'live' }
  | IngestReport
  /** The machine cannot do something just now, and has done nothing of it: it is tried until it can. */
  | { readonly t: 'waiting'; readonly error: unknown }
  | { readonly t: 'waited'; readonly ms: number }
  /** Something failed that trades do not depend on. */
  | { readonly t: 'fault'; readonly what: string; readonly error: unknown }
  /** No trade will be taken any more. */
  | { readonly t: 'down'; readonly error: unknown };

/** The tape is open: this is the service's time and what was found. */
export interface IngestOpened {
  readonly clock: ClockSetting;
  readonly books: readonly SessionBook[];
  readonly recovery: RecoveryReport;
}

/** About once a second. */
export interface IngestReport {
  readonly t: 'report';
  readonly promise: EpochNs | null;
  /** How far the source is behind the clock. */
  readonly lagMs: number;
  /** Whether no trade is taken because the next day cannot be opened yet. */
  readonly isPaused: boolean;
  /** How often the machine was waited for. */
  readonly waitsTotal: number;
  readonly counters: SequencerCounters;
  /** Milliseconds from offer to acknowledgement of the offers since the last report. */
  readonly ackMs: readonly number[];
  /** Time of the newest trade of each contract that traded since the last report. */
  readonly lastTrades: readonly (readonly [symbol: string, at: EpochNs])[];
  /** Sealed days that the manifest names and that are not there. */
  readonly daysMissing: number;
}
