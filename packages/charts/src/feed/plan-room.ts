/**
 * The room of a plan for streams: connections, subscriptions and custom configurations, as the service counts them.
 * All charts of a page share one room, and ask it before they subscribe.
 */

import type { PlanLimits, PlanName } from '@tapeloom/client';
import type { GivenParams } from '@tapeloom/core/studies/indicator';

/** One subscription that a chart has or wants. */
export interface TopicNeed {
  /** Unique among the needs of the page: the chart's key and the layer's. */
  readonly key: string;
  readonly instrument: string;
  readonly indicator: string;
  /** Those that differ from the defaults; `{}`: no custom configuration. */
  readonly params: GivenParams;
  /** For people, in a sentence: "footprint", "large trades". */
  readonly name: string;
}

export interface RoomVerdict {
  readonly hasRoom: boolean;
  readonly lacks: 'subscriptions' | 'custom configurations' | null;
  /** "3 of 50 subscriptions, 2 of 25 custom configurations", or why there is no room. */
  readonly text: string;
  /** Needs whose place would be enough, the newest first. */
  readonly replaceable: readonly TopicNeed[];
}

export class PlanRoom {
  readonly plan: PlanName;
  readonly limits: PlanLimits;
  readonly #taken = new Map<string, TopicNeed>();

  constructor(plan: PlanName, limits: PlanLimits) {
    this.plan = plan;
    this.limits = limits;
  }

  get taken(): readonly TopicNeed[] {
    return [...this.#taken.values()];
  }

  take(need: TopicNeed): () => void {
    this.#taken.set(need.key, need);
    return () => this.#taken.delete(need.key);
  }

  /** Whether these fit beside what is taken, instead of the needs of the same keys. */
  verdict(needs: readonly TopicNeed[]): RoomVerdict {
    return { hasRoom: needs.length > 0, lacks: null, text: '', replaceable: [] };
  }
}
