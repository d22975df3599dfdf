/**
 * One subscription of a chart: it takes its place in the plan, passes what the stream brings to its handlers, and knows
 * the cursor that it has reached. Nothing is passed on until the chart is ready for it.
 */

import type { Notice, Remove, Snapshot, Status, Upsert } from '@tapeloom/client/stream';
import { needOf } from './chart-needs.ts';
import type { PlanRoom } from './plan-room.ts';
import type { FeedSources, FeedState, FeedSubscription } from './sources.ts';
import type { Topic } from './topics.ts';

/** What happened before a snapshot that is not the first. */
export interface AfterReset {
  readonly reason: string;
  /** The connection lasted until the reset, so nothing before it is missing. */
  readonly isUnbroken: boolean;
}

export interface TopicHandlers {
  /** `after`: null: it is the first. */
  snapshot(snapshot: Snapshot<string>, after: AfterReset | null): void;
  upsert(update: Upsert<string>): void;
  remove(update: Remove): void;
  status(status: Status): void;
  notice(notice: Notice): void;
  /** The service or the plan refused it, or ended it. */
  refused(code: string, text: string): void;
}

export interface LiveTopicOptions {
  readonly chart: string;
  readonly instrument: string;
  readonly topic: Topic;
  readonly sources: Pick<FeedSources, 'subscribe'>;
  readonly room: PlanRoom;
  /** Rises whenever the connection is lost. */
  readonly losses: () => number;
  readonly handlers: TopicHandlers;
}

/** The state is not read, so it keeps no more than a snapshot can have. */
const STATE_MAX = 5_000;
export class LiveTopic {
  readonly topic: Topic;
  readonly #handlers: TopicHandlers;
  readonly #leave: () => void;
  readonly #subscription: FeedSubscription | null;
  /** Null: the chart is ready. */
  #held: (() => void)[] | null = [];
  readonly #losses: () => number;
  /** The losses of the connection when something was heard last. */
  #heardAfter = -1;
  #after: AfterReset | null = null;
  #isClosed = false;

  constructor(options: LiveTopicOptions) {
    const { chart, instrument, topic, sources, room, handlers } = options;
    this.topic = topic;
    this.#handlers = handlers;
    this.#losses = options.losses;
    const need = needOf(chart, instrument, topic);
    const { hasRoom, text } = room.verdict([need]);
    this.#leave = hasRoom ? room.take(need) : () => {};
    this.#subscription = hasRoom ? this.#subscribe(sources, instrument) : null;
    if (!hasRoom) this.#pass(() => this.#handlers.refused('NO_ROOM', text));
  }

  /** Null: it never was open. */
  get state(): FeedState | null {
    return this.#subscription?.state ?? null;
  }

  /** From now on the handlers are called at once. */
  begin(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const call of held) call();
  }

  close(): void {
    this.#isClosed = true;
    this.#leave();
    void this.#subscription?.close();
  }

  #subscribe(sources: Pick<FeedSources, 'subscribe'>, instrument: string): FeedSubscription {
    const { indicator, params } = this.topic;
    const subscription = sources.subscribe({ indicator, instrument, params, keepFinal: STATE_MAX });
    const handlers = this.#handlers;
    subscription.on('snapshot', (snapshot) => {
      const after = this.#after;
      this.#after = null;
      this.#heard(() => handlers.snapshot(snapshot, after));
    });
    subscription.on('upsert', (update) => this.#heard(() => handlers.upsert(update)));
    subscription.on('remove', (update) => this.#heard(() => handlers.remove(update)));
    subscription.on('status', (update) => this.#pass(() => handlers.status(update)));
    subscription.on('notice', (update) => this.#pass(() => handlers.notice(update)));
    subscription.on('reset', ({ reason }) => {
      const isUnbroken = this.#heardAfter === this.#losses();
      // Before the first state there is nothing that could be void.
      if (this.#heardAfter >= 0) this.#after = { reason, isUnbroken };
    });
    void subscription.ended.then((error) => {
      if (error === null) return;
      this.#leave();
      this.#pass(() => this.#handlers.refused(error.code, error.message));
    });
    return subscription;
  }

  #heard(call: () => void): void {
    this.#heardAfter = this.#losses();
    this.#pass(call);
  }

  #pass(call: () => void): void {
    if (this.#isClosed) return;
    if (this.#held === null) call();
    else this.#held.push(() => !this.#isClosed && call());
  }
}
