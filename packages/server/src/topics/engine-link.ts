/**
 * The channel between topics (main thread) and the engine that computes them (a worker). Both directions keep their
 * order, and that order is the protocol: a snapshot arrives exactly between the flushes before and after its position.
 * So a subscriber that takes flushes from its snapshot on misses none and gets none twice.
 */

import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { Params } from '@tapeloom/core/studies/indicator';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { BlockParts } from '../blocks/block.ts';

/** What one study computes: topics are the same when this is the same. */
export interface TopicSpec {
  /** The contract's symbol. */
  readonly contract: string;
  readonly indicator: string;
  /** Canonical, without `view` parameters. */
  readonly params: Params;
  /** How far behind the tape this topic reads it. */
  readonly delaySeconds: number;
}

/** `topic` is a number that the main thread never uses again, so late messages match no topic. */
export type EngineCommand =
  | {
      readonly t: 'open';
      readonly topic: number;
      readonly spec: TopicSpec;
      /**
       * The oldest cursor that a subscriber wants to resume from, if any. If it lies in the last 15 minutes of tape
       * time, the topic starts to publish at or before it, otherwise at the newest edge.
       */
      readonly since: string | null;
      /** Accounts that wait for it: they decide when it is computed, never its results. */
      readonly accounts: readonly string[];
    }
  /** Other accounts wait for a topic that is not ready yet. */
  | { readonly t: 'wanted'; readonly topic: number; readonly accounts: readonly string[] }
  | { readonly t: 'close'; readonly topic: number }
  /** A reader waits for a dataset's tape to reach this time: watermarks are sent as they come until one reaches it. */
  | { readonly t: 'watermark-wanted'; readonly dataset: string; readonly until: EpochNs }
  /** Days of a contract were sealed that the tape had passed over. */
  | { readonly t: 'repaired'; readonly contract: string; readonly request: number }
  /** Another thread could not read this day: it is left out until its files change. Or (false) they are sound again. */
  | {
      readonly t: 'damaged';
      readonly contract: string;
      readonly day: UtcDay;
      readonly isDamaged: boolean;
    }
  | {
      readonly t: 'snapshot';
      readonly topic: number;
      readonly request: number;
      readonly depth: number;
      readonly mode: StreamMode;
    };

export type EngineMessage =
  | FlushMessage
  | SnapshotAnswer
  /**
   * The topic publishes from here on, while it still catches up with the tape: every update after `floor` is in a later
   * flush. `floor` is the cursor of the last update before its start.
   */
  | { readonly t: 'live'; readonly topic: number; readonly floor: string }
  /** The topic has caught up with the tape; sent again at a change. `warm`: whether its look-back is complete. */
  | {
      readonly t: 'ready';
      readonly topic: number;
      /** The position at the last closed flush edge. */
      readonly position: string;
      readonly warm: boolean;
      readonly lagMs: number;
      /** Since when it has all of the current or last session; null when that is the session's open. */
      readonly partialSince: EpochNs | null;
    }
  /** The topic no longer matches the tape, and has ended. */
  | { readonly t: 'outdated'; readonly topic: number }
  | RepairAnswer
  /** A day behind the topics left the tape, or came back to it: it must be repaired. */
  | { readonly t: 'day-changed'; readonly contract: string; readonly day: UtcDay }
  /** A day of the tape is unreadable, or missing (`error` is null). Sent before anything is published without it. */
  | {
      readonly t: 'day-damaged';
      readonly contract: string;
      readonly day: UtcDay;
      readonly error: unknown;
    }
  /** The topic's computation failed and has ended. */
  | { readonly t: 'failed'; readonly topic: number }
  /** A tape's watermark (`promise`), between two pulses. */
  | { readonly t: 'watermark'; readonly dataset: string; readonly promise: EpochNs }
  | PulseMessage;

export interface FlushMessage {
  readonly t: 'flush';
  readonly topic: number;
  /** The position at the flush's edge, the tape time at which it was closed. */
  readonly position: string;
  /** All of it is known from that edge on. */
  readonly block: BlockParts;
}

/** All topics that a repair has made outdated were notified. */
export interface RepairAnswer {
  readonly t: 'repaired';
  readonly request: number;
  /** The end of the contract's tape then: nothing beyond it was shown. Null on an empty tape. */
  readonly end: Pick<Cursor, 'day' | 'rank'> | null;
}

export interface SnapshotAnswer {
  readonly t: 'snapshot';
  readonly topic: number;
  readonly request: number;
  readonly block: BlockParts;
}

/** About once a second: the tapes' watermarks by dataset, and each topic's position. */
export interface PulseMessage {
  readonly t: 'pulse';
  readonly watermarks: ReadonlyMap<string, EpochNs>;
  readonly topics: readonly TopicPosition[];
  /** Absent when the engine does not measure it. */
  readonly load?: EngineLoad;
}

export interface EngineLoad {
  /** Topics that follow the tape. */
  readonly following: number;
  /** Topics that are queued, warm up or catch up. */
  readonly warmingUp: number;
  /** The queued ones of them. */
  readonly waiting: number;
  /** Trades given to studies that follow, since the engine began; a trade counts for each of them. */
  readonly tradesTotal: number;
  /** The share of the time since the last pulse in which its thread was busy. */
  readonly busyShare: number;
}

export interface TopicPosition {
  readonly topic: number;
  /** The position at the last closed flush edge; null until the topic is live. */
  readonly position: string | null;
  /** How far its computation lags behind the tape that it reads. */
  readonly lagMs: number;
  /** Thread time its study has taken since it follows; absent where it is not measured. */
  readonly busyMs?: number;
}

export interface EngineLink {
  send(command: EngineCommand): void;
  /** Registers the listener; `lost` is called once when the engine is gone for good. */
  listen(hear: (message: EngineMessage) => void, lost: (cause: Error) => void): void;
}
