/** One subscriber's hold on a topic: what it may ask of it, until it lets go. */

import { parseCursor } from '@tapeloom/core/cursor';
import type { RingPiece } from './ring.ts';
import type { Subscriber, Topic } from './topic.ts';
import type { TopicCounters } from './topic-counters.ts';

export interface Attachment {
  readonly topic: Pick<Topic, 'key' | 'state' | 'lagMs' | 'partialSince' | 'position'>;
  /** Whether a snapshot may be asked for; else the subscriber is told when. */
  readonly isReady: boolean;
  /** The least cursor this subscriber can go on from out of the ring; null before there is a ring. */
  readonly floor: string | null;
  /** Asks for the snapshot, after which flushes follow; called once, when the topic is ready. */
  requestSnapshot(): void;
  /**
   * What was published after a cursor, as far as `bytesMax` reaches; to be called again after the
   * piece's end until a piece is the newest. From that piece on every flush follows, and no call does.
   * Null, however far it had come, when the ring does not have all of it: the cursor lies below the floor.
   */
  pull(after: string, bytesMax: number): RingPiece | null;
  /** Nothing reaches the subscriber any more. */
  detach(): void;
}

export function attachmentTo(
  topic: Topic,
  subscriber: Subscriber,
  counters: TopicCounters,
  ways: Pick<Attachment, 'requestSnapshot' | 'detach'>,
): Attachment {
  return {
    ...ways,
    topic,
    isReady: topic.isReadyFor(subscriber),
    get floor() {
      return topic.ring?.floorOf(subscriber.mode) ?? null;
    },
    pull: pullerOf(topic, subscriber, counters),
  };
}

function pullerOf(
  topic: Topic,
  subscriber: Subscriber,
  { resumesTotal }: TopicCounters,
): Attachment['pull'] {
  let outcome: keyof typeof resumesTotal | null = null;
  return (after, bytesMax) => {
    const cursor = parseCursor(after);
    if (cursor === null) throw new RangeError(`not a cursor: ${after}`);
    const piece = topic.pull(subscriber, cursor, bytesMax);
    // A subscriber counts once for each outcome, however many pieces it takes.
    const now = piece === null ? 'refused' : 'served';
    if (now !== outcome) resumesTotal[now] += 1;
    outcome = now;
    return piece;
  };
}
