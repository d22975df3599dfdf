/** An engine's state of a topic, from its opening to its end. */

import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { RunSource } from '../runs/run-source.ts';
import type { TopicRun } from '../runs/topic-run.ts';
import type { TopicSpec } from '../topics/engine-link.ts';
import type { FeedMember } from './contract-feed.ts';

export interface EngineTopic {
  readonly number: number;
  readonly spec: TopicSpec;
  readonly source: RunSource;
  readonly since: Cursor | null;
  /** Accounts that wait for it, until it is ready. */
  accounts: readonly string[];
  /** Ends its warm-up when the topic is closed. */
  readonly closing: AbortController;
  /** Null until it is live. */
  run: TopicRun | null;
  /** Its membership in the feed once it follows. */
  member: FeedMember | null;
  busyMs: number;
  /** The facts last sent; null before the topic is ready. */
  told: Told | null;
}

export interface Told {
  readonly warm: boolean;
  readonly partialSince: EpochNs | null;
}
