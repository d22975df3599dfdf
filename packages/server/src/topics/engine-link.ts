/**
 * The line between topics (main thread) and the engine that computes them (a worker). Both directions
 * keep their order, and that order is the protocol: a snapshot's frames arrive exactly between the
 * flushes before and after its position, so a subscriber that starts taking flushes when its snapshot
 * arrives misses nothing and gets nothing twice.
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

/** `topic` is a number the main thread gives once and never again, so late messages find nobody. */
export type EngineCommand =
  | {
      readonly t: 'open';
      readonly topic: number;
      readonly spec: TopicSpec;
      /**
       * The oldest cursor somebody wants to go on from, if one does: the topic starts to publish at or
       * before it where it lies in the last 15 minutes of tape time, and at the newest edge otherwise.
       */
      readonly since: string | null;
      /** Those who wait for it: their turns decide when it is computed, never what. */
      readonly accounts: readonly string[];
    }
  /** Others wait for a topic that is not ready yet. */
  | { readonly t: 'wanted'; readonly topic: number; readonly accounts: readonly string[] }
  | { readonly t: 'close'; readonly topic: number }
  /** A reader waits for the tape to reach this time: watermarks are sent as they come until one has. */
  | { readonly t: 'watermark-wanted'; readonly until: EpochNs }
  /** Days of a contract were sealed that the tape had passed over. */
  | { readonly t: 'repaired'; readonly contract: string; readonly request: number }
  /** Another thread could not read this day: it is left out, until its files are others; or those are sound again. */
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
   * The topic publishes from here on, still catching up with the tape: every update after `floor` is in
   * a flush that follows. `floor` is the cursor of the last update before the place where it began.
   */
  | { readonly t: 'live'; readonly topic: number; readonly floor: string }
  /**
   * The topic has caught up with the tape; told again when something of it changes. `warm` is false while
   * its look-back is still missing.
   */
  | {
      readonly t: 'ready';
      readonly topic: number;
      /** The position at the last closed flush edge. */
      readonly position: string;
      readonly warm: boolean;
      readonly lagMs: number;
      /** Since when it has all of the current session, or the last one; null when that is its open. */
      readonly partialSince: EpochNs | null;
    }
  /** The topic is not what the tape now gives, and has ended. */
  | { readonly t: 'outdated'; readonly topic: number }
  | RepairAnswer
  /** A day behind the topics went from the tape, or came back to it: it has to be repaired. */
  | { readonly t: 'day-changed'; readonly contract: string; readonly day: UtcDay }
  /**
   * A day that belongs on the tape cannot be read, or is not there (`error` is null then). Told before anything is
   * published without it.
   */
  | {
      readonly t: 'day-damaged';
      readonly contract: string;
      readonly day: UtcDay;
      readonly error: unknown;
    }
  /** The topic's computation failed and has ended. */
  | { readonly t: 'failed'; readonly topic: number }
  /** How far the tape has come, between two pulses. */
  | { readonly t: 'watermark'; readonly promise: EpochNs }
  | PulseMessage;

export interface FlushMessage {
  readonly t: 'flush';
  readonly topic: number;
  /** The position at the flush's edge, the tape time at which it was closed. */
  readonly position: string;
  /** All of it is known from that edge on. */
  readonly block: BlockParts;
}

/** All topics that a repair has made outdated were told. */
export interface RepairAnswer {
  readonly t: 'repaired';
  readonly request: number;
  /** Where the contract's tape ended then: nothing of it was shown beyond. Null on an empty tape. */
  readonly end: Pick<Cursor, 'day' | 'rank'> | null;
}

export interface SnapshotAnswer {
  readonly t: 'snapshot';
  readonly topic: number;
  readonly request: number;
  readonly block: BlockParts;
}

/** About once a second: the tape's promise, and where each topic stands. */
export interface PulseMessage {
  readonly t: 'pulse';
  readonly promise: EpochNs | null;
  readonly topics: readonly TopicPosition[];
  /** How hard the engine works; absent from one that does not measure it. */
  readonly load?: EngineLoad;
}

export interface EngineLoad {
  /** Topics that follow the tape. */
  readonly following: number;
  /** Topics that wait, warm up or catch up. */
  readonly warmingUp: number;
  /** Of those, the ones that wait for their account's turn. */
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
  /** How far its computation is behind the tape it is meant to read. */
  readonly lagMs: number;
  /** Thread time its study has taken since it follows; absent where it is not measured. */
  readonly busyMs?: number;
}

export interface EngineLink {
  send(command: EngineCommand): void;
  /** Names the one who hears the engine; `lost` is called once when the engine is gone for good. */
  listen(hear: (message: EngineMessage) => void, lost: (cause: Error) => void): void;
}
