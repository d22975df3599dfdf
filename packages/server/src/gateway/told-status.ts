/**
 * What a client is told of its subscription's state: each change once. While the subscription is being
 * caught up with the past it is `warming`, whatever its topic is; from then on it has its topic's state.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { StreamState } from '@tapeloom/protocol/status-states';
import type { DeliveryAction } from './delivery-events.ts';

type Actions = readonly DeliveryAction[];

const NOTHING: Actions = [];
const MS_NS = 1_000_000n;

export class ToldStatus {
  /** The state last sent. */
  #told: StreamState | null = null;
  #topic: { readonly state: StreamState; readonly lagMs: number } | null = null;
  #showsTopic = false;

  /** The topic's state is this now. */
  topicIs(state: StreamState, lagMs: number): Actions {
    this.#topic = { state, lagMs };
    return this.#showsTopic ? this.showTopic() : NOTHING;
  }

  /** From here on it has the state of its topic, as soon as that is known. */
  showTopic(): Actions {
    this.#showsTopic = true;
    return this.#topic === null ? NOTHING : this.#tell(this.#topic.state, this.#topic.lagMs);
  }

  /** It stands at an instant, and has to come up to what is visible. */
  showPast(at: EpochNs, visible: EpochNs): Actions {
    this.#showsTopic = false;
    return this.#tell('warming', at < visible ? Number((visible - at) / MS_NS) : 0);
  }

  #tell(state: StreamState, lagMs: number): Actions {
    if (state === this.#told) return NOTHING;
    this.#told = state;
    return [{ t: 'send-status', state, lagMs }];
  }
}
