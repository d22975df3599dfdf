/** What the topics of a process count, as plain records that a page can read at any time. */

import type { StreamState } from '@tapeloom/protocol/status-states';
import type { EvictionReason } from './ring-budget.ts';

export interface TopicMetrics {
  readonly topics: number;
  /** Topics nobody listens to, kept for those who come back. */
  readonly idleTopics: number;
  readonly subscribers: number;
  readonly topicsOpenedTotal: number;
  readonly flushesTotal: number;
  /** Memory of all rings. */
  readonly ringBytes: number;
  /** Messages that left a ring, by reason. */
  readonly ringEvictionsTotal: Readonly<Record<EvictionReason, number>>;
  /** Subscribers' wishes for a snapshot: those sent to an engine, and those that joined one. */
  readonly snapshotsTotal: Readonly<Record<'asked' | 'shared', number>>;
  /** Subscribers that came back with a cursor: the ring had all beyond it, or it lay below the floor. */
  readonly resumesTotal: Readonly<Record<'served' | 'refused', number>>;
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
  /** The least cursor that its ring can serve; null before it publishes. */
  readonly floor: string | null;
  readonly position: string | null;
  /** Since it was opened, in the service's time. */
  readonly ageMs: number;
}

export class TopicCounters {
  topicsOpenedTotal = 0;
  flushesTotal = 0;
  readonly snapshotsTotal = { asked: 0, shared: 0 };
  readonly resumesTotal = { served: 0, refused: 0 };
}
