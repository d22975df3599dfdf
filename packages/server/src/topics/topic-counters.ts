/** The counters of a process's topics, as plain records that a page can read at any time. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { StreamState } from '@tapeloom/protocol/status-states';
import type { IdleEnd } from './idle-topics.ts';
import type { EvictionReason } from './ring-budget.ts';
import type { ResumeCounts, Topic } from './topic.ts';

export interface TopicMetrics {
  readonly topics: number;
  /** Topics without subscribers, kept for clients that come back. */
  readonly idleTopics: number;
  /** The number of them that the account with the most has. */
  readonly idleTopicsOfLargest: number;
  /** Topics that are not ready yet. */
  readonly warmingTopics: number;
  /** The queued ones of them. */
  readonly warmUpsWaiting: number;
  readonly subscribers: number;
  /** Topics ended after their last subscriber, by reason; `unready` ones had never caught up with the tape. */
  readonly topicsEndedTotal: Readonly<Record<IdleEnd | 'unready', number>>;
  /** Topics that were not opened: their account opens too many, or no slot was free. */
  readonly opensRefusedTotal: Readonly<Record<'rate' | 'place', number>>;
  readonly topicsOpenedTotal: number;
  readonly flushesTotal: number;
  readonly ringBytes: number;
  /** The part of it that counts for the account with the most. */
  readonly ringBytesOfLargest: number;
  /** Messages that left a ring, by reason. */
  readonly ringEvictionsTotal: Readonly<Record<EvictionReason, number>>;
  /** Requests for a snapshot: sent to an engine, or joined to a pending one. */
  readonly snapshotsTotal: Readonly<Record<'asked' | 'shared', number>>;
  readonly resumesTotal: Readonly<ResumeCounts>;
}

/** One topic, as an operator sees it. */
export interface TopicFacts {
  readonly topic: string;
  /** Which engine computes it, counted from 0. */
  readonly engine: number;
  readonly state: StreamState;
  readonly lagMs: number;
  readonly subscribers: number;
  readonly ringBytes: number;
  /** The lowest cursor that its ring can serve; null before it publishes. */
  readonly floor: string | null;
  readonly position: string | null;
  /** Time since it was opened, in the service's time. */
  readonly ageMs: number;
}

export class TopicCounters {
  topicsOpenedTotal = 0;
  readonly opensRefusedTotal = { rate: 0, place: 0 };
  readonly topicsEndedTotal = { time: 0, account: 0, place: 0, memory: 0, unready: 0 };
  flushesTotal = 0;
  readonly snapshotsTotal = { asked: 0, shared: 0 };
  readonly resumesTotal = { served: 0, refused: 0 };
}

export function factsOf(topic: Topic, now: EpochNs): TopicFacts {
  return {
    topic: topic.key,
    engine: topic.slot.index,
    state: topic.state,
    lagMs: topic.lagMs,
    subscribers: topic.subscriberCount,
    ringBytes: topic.ring?.bytes ?? 0,
    floor: topic.ring?.floorOf('live') ?? null,
    position: topic.position,
    ageMs: Math.round(Number(now - topic.openedAt) / 1e6),
  };
}
