/** What passes between the main thread and the ingest thread. Both directions keep their order. */

import type { MessagePort } from 'node:worker_threads';
import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import type { MarketSetting } from '../../markets/market-setting.ts';
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
  /** How many times faster than the machine's the service's clock runs; null: the machine's clock. */
  readonly speed: number | null;
  /** How many days before the newest one stay on the tape; 0: all. */
  readonly keepDays: number;
  /** Left out where this process is alone. */
  readonly shared?: SharedTapeSetting;
}

/** What makes the tape one that other nodes have too. */
export interface SharedTapeSetting {
  readonly nats: ClusterConfig['nats'];
  /** As PostgreSQL knows it. */
  readonly clusterId: string;
  /** The id of this node: nobody else appends under it. */
  readonly nodeId: string;
  /** Whether this node may append. */
  readonly mayLead: boolean;
}

export interface IngestShape extends ThreadShape {
  readonly calls: {
    /** Resolves when the tape is open. */
    open(): IngestOpened;
    /** Whether all days of a contract from one to another are here that the cluster has; what is not yet is waited for a while. */
    daysHere(symbol: string, first: UtcDay, last: UtcDay): boolean;
  };
  readonly orders: IngestOrder;
  readonly news: FromIngest;
  /** Why the tape cannot be opened, where that is the operator's to judge. */
  readonly refusal: string;
}

export type IngestOrder =
  /** A port for one who follows the tape. */
  | { readonly t: 'follow'; readonly port: MessagePort }
  /** A reader waits for the present: the source is asked for a watermark. */
  | { readonly t: 'watermark-wanted' }
  /** What the nodes alive compute: of a tape that other nodes have too. */
  | { readonly t: 'agree'; readonly computations: Computations }
  /** These floors, which were told, hold from now on. */
  | { readonly t: 'floors-hold'; readonly text: string }
  /** How far all nodes have come. */
  | { readonly t: 'spread'; readonly spread: TapeSpread }
  /** Somebody could not read this day, or found it changed: its files are to be checked. */
  | { readonly t: 'check'; readonly symbol: string; readonly day: UtcDay };

/** How far all nodes that serve have come. */
export interface TapeSpread {
  /** They have dealt with the stream's messages up to this number. */
  readonly read: number;
  /** They have the days of books up to this number, and what they compute is computed with those. */
  readonly have: number;
}

/** Simulated days, of which streams wait for the first ones only, or such that other nodes have. */
export type FillPart = 'first' | 'rest' | 'fetched';

/** By contract. */
export type NewestDays = Readonly<Record<string, UtcDay>>;

export type FromIngest =
  /** What all nodes know of floors, in words of the record of epochs; the tape waits until they hold. */
  | { readonly t: 'floors'; readonly text: string }
  /** By contract, the newest day that the other nodes have and this one lacks; told before the floors of the same book. */
  | { readonly t: 'lacking'; readonly newest: NewestDays }
  /** The session books have grown. */
  | { readonly t: 'sessions'; readonly books: readonly SessionBook[] }
  /** Past days come on the tape, besides those that are taken in. */
  | {
      readonly t: 'filled';
      readonly part: FillPart;
      readonly days: number;
      readonly daysTotal: number;
      /** The day that is there since just now; null at the beginning. */
      readonly item: { readonly symbol: string; readonly day: UtcDay } | null;
    }
  /** A day has left the tape, because it is older than the operator wants to keep. */
  | { readonly t: 'removed'; readonly item: { readonly symbol: string; readonly day: UtcDay } }
  /** The files of a day were checked. What is not sound is lacking from now on. */
  | {
      readonly t: 'checked';
      readonly symbol: string;
      readonly day: UtcDay;
      readonly isSound: boolean;
    }
  /** Days older than the operator wants to keep are gone, or will be. */
  | { readonly t: 'old-days'; readonly news: OldDaysNews }
  /** Whether this node appends to the tape that other nodes have too; told when it changes. */
  | { readonly t: 'appends'; readonly doesAppend: boolean }
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
  /** Of a tape that other nodes have too; left out where this process is alone. */
  readonly shared?: SharedTapeReport;
}
