/**
 * The room of a plan for streams: subscriptions and custom configurations, counted as the service counts them. All
 * charts of a page share one room and ask it before they subscribe. Other programs of the account are not known here;
 * the service refuses what they have taken.
 */

import type { PlanLimits, PlanName } from '@tapeloom/client';
import { PLAN_NAMES } from '@tapeloom/core/entitlement/plan';
import type { GivenParams } from '@tapeloom/core/studies/indicator';
import { counted, listed, ordinal, spelled } from './number-words.ts';

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

export type Lacking = 'subscriptions' | 'custom configurations';

export interface RoomVerdict {
  readonly hasRoom: boolean;
  readonly lacks: Lacking | null;
  /** "3 of 50 subscriptions, 2 of 25 custom configurations", or why there is no room. */
  readonly text: string;
  /** Taken needs of which one, given up, would make room; the newest first. */
  readonly replaceable: readonly TopicNeed[];
}

export class PlanRoom {
  #plan: PlanName;
  #limits: PlanLimits;
  readonly #taken = new Map<string, TopicNeed>();
  readonly #contractOf: (instrument: string) => string;

  /** `contractOf`: the contract that an alias means, as far as the page knows it. */
  constructor(
    plan: PlanName,
    limits: PlanLimits,
    contractOf: (instrument: string) => string = (instrument) => instrument,
  ) {
    this.#plan = plan;
    this.#limits = limits;
    this.#contractOf = contractOf;
  }

  get plan(): PlanName {
    return this.#plan;
  }

  /** As people call it. */
  get planName(): string {
    return PLAN_NAMES[this.#plan];
  }

  get limits(): PlanLimits {
    return this.#limits;
  }

  /** The account has another plan now. */
  change(plan: PlanName, limits: PlanLimits): void {
    this.#plan = plan;
    this.#limits = limits;
  }

  get taken(): readonly TopicNeed[] {
    return [...this.#taken.values()];
  }

  /** Takes a place. The returned function gives it back, unless the key has been taken anew. */
  take(need: TopicNeed): () => void {
    this.#taken.set(need.key, need);
    return () => {
      if (this.#taken.get(need.key) === need) this.#taken.delete(need.key);
    };
  }

  /** Whether these fit beside what is taken. A need replaces a taken one of its key; `without` are given up for it. */
  verdict(needs: readonly TopicNeed[], without: readonly string[] = []): RoomVerdict {
    const all = this.#with(needs, without);
    const lacks = this.#lacking(all);
    if (lacks === null) return { hasRoom: true, lacks, text: this.#usedText(all), replaceable: [] };
    const replaceable = this.taken
      .filter(({ key }) => !without.includes(key) && !needs.some((need) => need.key === key))
      .filter(({ key }) => this.#lacking(this.#with(needs, [...without, key])) === null)
      .toReversed();
    return { hasRoom: false, lacks, text: this.#lackText(lacks, all, needs), replaceable };
  }

  #with(needs: readonly TopicNeed[], without: readonly string[]): readonly TopicNeed[] {
    const all = new Map(this.#taken);
    for (const key of without) all.delete(key);
    for (const need of needs) all.set(need.key, need);
    return [...all.values()];
  }

  #lacking(all: readonly TopicNeed[]): Lacking | null {
    const { maxSubscriptions, maxCustomConfigs } = this.#limits;
    if (all.length > maxSubscriptions) return 'subscriptions';
    return this.#configurations(all).size > maxCustomConfigs ? 'custom configurations' : null;
  }

  /** Equal ones count once, and an alias counts as its contract. */
  #configurations(needs: readonly TopicNeed[]): ReadonlyMap<string, TopicNeed> {
    const custom = new Map<string, TopicNeed>();
    for (const need of needs) {
      const params = Object.entries(need.params).sort(([a], [b]) => (a < b ? -1 : 1));
      if (params.length === 0) continue;
      const key = JSON.stringify([this.#contractOf(need.instrument), need.indicator, params]);
      if (!custom.has(key)) custom.set(key, need);
    }
    return custom;
  }

  #usedText(all: readonly TopicNeed[]): string {
    const { maxSubscriptions, maxCustomConfigs } = this.#limits;
    const custom = this.#configurations(all).size;
    const subscriptions = `${all.length} of ${counted(maxSubscriptions, 'subscription')}`;
    return `${subscriptions}, ${custom} of ${counted(maxCustomConfigs, 'custom configuration')}`;
  }

  #lackText(lacks: Lacking, all: readonly TopicNeed[], needs: readonly TopicNeed[]): string {
    const isSubscriptions = lacks === 'subscriptions';
    const { maxSubscriptions, maxCustomConfigs } = this.#limits;
    const limit = isSubscriptions ? maxSubscriptions : maxCustomConfigs;
    const wanted = isSubscriptions ? all : [...this.#configurations(all).values()];
    const open = wanted.filter((need) => !needs.includes(need)).map(({ name }) => name);
    const word = isSubscriptions ? 'subscription' : 'custom configuration';
    const needed = `Needs a ${ordinal(wanted.length)} ${word}.`;
    if (limit === 0) return `${needed} Your plan has none.`;
    const has = `Your plan has ${spelled(limit)}`;
    if (open.length === 0 || open.length > 4) return `${needed} ${has}.`;
    return `${needed} ${has}: ${listed(open)} ${open.length === 1 ? 'is' : 'are'} open.`;
  }
}
