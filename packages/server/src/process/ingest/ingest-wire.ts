/** The messages between the main thread and the ingest thread. Both directions are ordered. */

import type { MessagePort } from 'node:worker_threads';
import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { OffTickPrice, PushPosition } from '@tapeloom/protocol/push';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import type { ListedDataset } from '../../markets/instruments/instruments-file.ts';
import type { FeedReport } from '../../markets/market.ts';
import type { MarketSetting } from '../../markets/market-setting.ts';
import type { PushAnswer, PushRequest } from '../../platform/push-exchange.ts';
import type { ClockSetting } from '../../platform/system-clock.ts';
import type { ThreadShape } from '../../platform/threads/thread.ts';
import type { SharedTapeReport } from '../../tape/shared/shared-tape-report.ts';
import type { RecoveryReport } from '../../tape/write/open-tape.ts';
import type { SequencerCounters } from '../../tape/write/sequencer/sequencer-counters.ts';
import type { Computations } from '../../topics/epoch-floors.ts';
import type { OldDaysNews } from './large-removals.ts';

export interface IngestWorkerData {
  readonly tapeRoot: string;
  readonly market: MarketSetting;
  /** The speed of the service's clock relative to the machine's; null: the machine's clock. */
  readonly speed: number | null;
  /** The service's clock, if another tape has fixed it. */
  readonly clock: ClockSetting | null;
  /** How many days before the newest one to keep; 0: all. */
  readonly keepDays: number;
  /** Omitted for a single process. */
  readonly shared?: SharedTapeSetting;
}

/** The settings of a tape shared with other nodes. */
export interface SharedTapeSetting {
  readonly nats: ClusterConfig['nats'];
  /** The cluster's id in PostgreSQL. */
  readonly clusterId: string;
  /** The id of this node: no other node appends under it. */
  readonly nodeId: string;
  readonly mayLead: boolean;
}

export interface IngestShape extends ThreadShape {
  readonly calls: {
    /** Resolves when the tape is open. */
    open(): IngestOpened;
    /** Whether all of a contract's days in a range that the cluster has are here; waits a while for missing ones. */
    daysHere(symbol: string, first: UtcDay, last: UtcDay): boolean;
    push(request: PushRequest): PushAnswer;
    /** Null while this node does not append. */
    pushPosition(): PushPosition | null;
  };
  readonly orders: IngestOrder;
  readonly news: FromIngest;
  /** Why the tape cannot be opened, if the operator must resolve it. */
  readonly refusal: string;
}

export type IngestOrder =
  /** A port for a follower of the tape. */
  | { readonly t: 'follow'; readonly port: MessagePort }
  /** A port that follows the tape of another dataset, which this one's trades come from. */
  | { readonly t: 'join'; readonly dataset: string; readonly port: MessagePort }
  | { readonly t: 'watermark-wanted' }
  /** The instruments file has changed. */
  | { readonly t: 'relist'; readonly listed: ListedDataset }
  /** What the live nodes compute; only for a shared tape. */
  | { readonly t: 'agree'; readonly computations: Computations }
  /** The main thread applies these floors. */
  | { readonly t: 'floors-hold'; readonly text: string }
  | { readonly t: 'spread'; readonly spread: TapeSpread }
  /** A thread could not read this day, or found it changed: check its files. */
  | { readonly t: 'check'; readonly symbol: string; readonly day: UtcDay };

export interface TapeSpread {
  /** They have processed the stream's messages up to this number. */
  readonly read: number;
  /** They have the days of books up to this number, and compute with them. */
  readonly have: number;
}

/** Simulated days that the first streams wait for, the other simulated days, or days fetched from other nodes. */
export type FillPart = 'first' | 'rest' | 'fetched';

/** By contract. */
export type NewestDays = Readonly<Record<string, UtcDay>>;

export type FromIngest =
  /** The floors that all nodes know, in the format of the record of epochs; the tape waits for `floors-hold`. */
  | { readonly t: 'floors'; readonly text: string }
  /** By contract, the newest day that others have and this node is missing; sent before the same book's floors. */
  | { readonly t: 'days-missing'; readonly newest: NewestDays }
  | { readonly t: 'sessions'; readonly books: readonly SessionBook[] }
  /** Past days are added to the tape beside the live trades. */
  | {
      readonly t: 'filled';
      readonly part: FillPart;
      readonly days: number;
      readonly daysTotal: number;
      /** The day that was just added; null at the beginning. */
      readonly item: { readonly symbol: string; readonly day: UtcDay } | null;
    }
  | { readonly t: 'removed'; readonly item: { readonly symbol: string; readonly day: UtcDay } }
  /** The files of a day were checked. An unsound day is missing from now on. */
  | {
      readonly t: 'checked';
      readonly symbol: string;
      readonly day: UtcDay;
      readonly isSound: boolean;
    }
  /** Days beyond the configured age were removed, or will be. */
  | { readonly t: 'old-days'; readonly news: OldDaysNews }
  /** Whether this node appends to a shared tape; sent after each change. */
  | { readonly t: 'appends'; readonly doesAppend: boolean }
  | { readonly t: 'live' }
  /** A contract's trades cannot be taken because of this price; or (null) they can again. */
  | { readonly t: 'off-tick'; readonly contract: string; readonly price: OffTickPrice | null }
  /** A contract's trades are not taken. */
  | { readonly t: 'contract-down'; readonly contract: string; readonly why: string }
  | IngestReport
  /** A machine fault blocks an operation, which had no effect so far; it is retried until it succeeds. */
  | { readonly t: 'waiting'; readonly error: unknown }
  | { readonly t: 'waited'; readonly ms: number }
  | { readonly t: 'fault'; readonly what: string; readonly error: unknown }
  | { readonly t: 'down'; readonly error: unknown };

/** The tape is open; holds the service's clock and the result of recovery. */
export interface IngestOpened {
  readonly clock: ClockSetting;
  readonly books: readonly SessionBook[];
  readonly recovery: RecoveryReport;
}

/** Sent about once a second. */
export interface IngestReport {
  readonly t: 'report';
  readonly promise: EpochNs | null;
  readonly lagMs: number;
  /** Omitted for a market that makes its own trades, and on a node that does not append. */
  readonly feed?: FeedReport;
  /** Whether ingest is paused because the next day cannot be opened yet. */
  readonly isPaused: boolean;
  /** How many operations were retried because of machine faults. */
  readonly waitsTotal: number;
  readonly counters: SequencerCounters;
  /** Milliseconds from offer to acknowledgement of the offers since the last report. */
  readonly ackMs: readonly number[];
  /** Time of the newest trade of each contract that traded since the last report. */
  readonly lastTrades: readonly (readonly [symbol: string, at: EpochNs])[];
  /** Sealed days in the manifest whose files are missing. */
  readonly daysMissing: number;
  /** Only for a shared tape; omitted for a single process. */
  readonly shared?: SharedTapeReport;
}
