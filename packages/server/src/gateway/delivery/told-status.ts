/**
 * What a client is told of its subscription's state: each change once, also that of a session which is
 * not whole. While the subscription is being caught up with the past it is `warming`, whatever its topic
 * is; from then on it has its topic's state.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { StreamState } from '@tapeloom/protocol/status-states';
import type { DeliveryAction, TopicState } from './delivery-events.ts';

type Actions = readonly DeliveryAction[];

const NOTHING: Actions = [];

export class ToldStatus {
  /** What was last sent. */
  #told: Pick<TopicState, 'state' | 'partialSince'> | null = null;
  #topic: TopicState | null = null;
  #showsTopic = false;

  /** The topic's state is this now. */
  topicIs({ state, lagMs, partialSince }: TopicState): Actions {
    this.#topic = { state, lagMs, partialSince };
    return this.#showsTopic ? this.showTopic() : NOTHING;
  }

  /** From here on it has the state of its topic, as soon as that is known. */
  showTopic(): Actions {
    this.#showsTopic = true;
    if (this.#topic === null) return NOTHING;
    const { state, lagMs, partialSince } = this.#topic;
    return this.#tell(state, lagMs, partialSince);
  }

  /** It stands at an instant, and has to come up to what is visible. */
  showPast(at: EpochNs, visible: EpochNs): Actions {
    this.#showsTopic = false;
    return this.#tell('warming', at < visible ? Number((visible - at) / MS_NS_BIG) : 0, null);
  }

  #tell(state: StreamState, lagMs: number, partialSince: EpochNs | null): Actions {
    if (state === this.#told?.state && partialSince === this.#told.partialSince) return NOTHING;
    this.#told = { state, partialSince };
    const since = partialSince === null ? {} : { partialSince: `${partialSince}` };
    return [{ t: 'send-status', state, lagMs, ...since }];
  }
}
