/** How many topics run at once, and which accounts may open one. The last slots are for accounts with few topics. */

import type { IdleTopics } from './idle-topics.ts';
import type { Refusal, Subscriber, Topic } from './topic.ts';
import type { TopicCounters } from './topic-counters.ts';

export const TOPICS_MAX = 2_000;
/** So many slots are reserved for accounts that watch fewer topics than `PLACES_KEPT_EACH`. */
export const PLACES_KEPT = 200;
export const PLACES_KEPT_EACH = 2;

export interface TopicsHeld {
  readonly all: ReadonlyMap<number, Topic>;
  /** Those without subscribers. */
  readonly idle: IdleTopics<Topic>;
}

/** Why no topic is opened for a subscriber, which is counted; null when there is a slot for it now. */
export function refuseOpen(
  subscriber: Subscriber,
  held: TopicsHeld,
  { opensRefusedTotal }: TopicCounters,
): Refusal | null {
  const refusal = subscriber.refuseOpen();
  if (refusal !== null) {
    opensRefusedTotal.rate += 1;
    return refusal;
  }
  if (hasPlaceFor(subscriber.account, held)) return null;
  opensRefusedTotal.place += 1;
  return {
    code: 'CAPACITY',
    message: 'The service is at capacity for streams. Try again in a few seconds.',
  };
}

/** Whether an account may have one more topic computed; an idle one makes room. */
function hasPlaceFor(account: string, { all, idle }: TopicsHeld): boolean {
  if (all.size - idle.count >= TOPICS_MAX - PLACES_KEPT) {
    let watched = 0;
    for (const topic of all.values()) if (topic.isWatchedBy(account)) watched += 1;
    if (watched >= PLACES_KEPT_EACH) return false;
  }
  return all.size < TOPICS_MAX || idle.freePlace();
}
