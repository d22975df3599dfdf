/**
 * A subscription's status messages: each change is sent once, also of `partialSince` (an incomplete session). While the
 * subscription catches up with the past it is `warming`; from then on it has its topic's state.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { StreamState } from '@tapeloom/protocol/status-states';
import type { DeliveryAction, TopicState } from './delivery-events.ts';

type Actions = readonly DeliveryAction[];

const NOTHING: Actions = [];

export class ToldStatus {
  /** The status last sent. */
  #told: Pick<TopicState, 'state' | 'partialSince'> | null = null;
  #topic: TopicState | null = null;
  #showsTopic = false;

  topicIs({ state, lagMs, partialSince }: TopicState): Actions {
    this.#topic = { state, lagMs, partialSince };
    return this.#showsTopic ? this.showTopic() : NOTHING;
  }

  /** From here on the subscription has the state of its topic, as soon as that is known. */
  showTopic(): Actions {
    this.#showsTopic = true;
    if (this.#topic === null) return NOTHING;
    const { state, lagMs, partialSince } = this.#topic;
    return this.#tell(state, lagMs, partialSince);
  }

  /** The subscription is at an instant and must catch up to `visible`. */
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
