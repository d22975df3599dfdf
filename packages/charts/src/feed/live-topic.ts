/**
 * One subscription of a chart: it takes its place in the plan, passes what the stream brings to its handlers, and knows
 * the cursor that it has reached. Nothing is passed on until the chart is ready for it.
 */

import type { Notice, Remove, Reset, Snapshot, Status, Upsert } from '@tapeloom/client/stream';
import { needOf } from './chart-needs.ts';
import type { PlanRoom } from './plan-room.ts';
import type { FeedSources, FeedState, FeedSubscription } from './sources.ts';
import type { Topic } from './topics.ts';

export interface TopicHandlers {
  snapshot(snapshot: Snapshot<string>): void;
  upsert(update: Upsert<string>): void;
  remove(update: Remove): void;
  reset(reset: Reset): void;
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
  readonly handlers: TopicHandlers;
}

const KINDS = ['snapshot', 'upsert', 'remove', 'reset', 'status', 'notice'] as const;

export class LiveTopic {
  readonly topic: Topic;
  readonly #handlers: TopicHandlers;
  readonly #leave: () => void;
  readonly #subscription: FeedSubscription | null;
  /** Null: the chart is ready. */
  #held: (() => void)[] | null = [];
  #isClosed = false;

  constructor({ chart, instrument, topic, sources, room, handlers }: LiveTopicOptions) {
    this.topic = topic;
    this.#handlers = handlers;
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
    const subscription = sources.subscribe({ indicator, instrument, params, keepFinal: 0 });
    for (const kind of KINDS) {
      subscription.on(kind, (update) =>
        this.#pass(() => (this.#handlers[kind] as (given: unknown) => void)(update)),
      );
    }
    void subscription.ended.then((error) => {
      if (error === null) return;
      this.#leave();
      this.#pass(() => this.#handlers.refused(error.code, error.message));
    });
    return subscription;
  }

  #pass(call: () => void): void {
    if (this.#isClosed) return;
    if (this.#held === null) call();
    else this.#held.push(() => !this.#isClosed && call());
  }
}
