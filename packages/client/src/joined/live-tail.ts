/**
 * All updates of a stream after a cursor, in order, for a reader of any speed. When too many are pending, it closes the
 * stream, and reopens it at the same cursor once the reader has caught up.
 */

import type { Subscription } from '../stream/subscription.ts';
import type { StreamUpdate } from '../stream/update.ts';

const KINDS = ['snapshot', 'upsert', 'remove', 'reset', 'status', 'notice'] as const;

export class LiveTail<I extends string> {
  readonly #subscribe: (cursor: string | null) => Subscription<I>;
  readonly #queueMax: number;
  readonly #queue: StreamUpdate<I>[] = [];
  #read = 0;
  #subscription: Subscription<I>;
  #wake: () => void = () => {};
  #end: { readonly cause: unknown } | null = null;
  #isLetGo = false;

  /** `subscribe` starts after a cursor, or at the current state if it is null. */
  constructor(
    subscribe: (cursor: string | null) => Subscription<I>,
    cursor: string | null,
    queueMax: number,
  ) {
    this.#subscribe = subscribe;
    this.#queueMax = queueMax;
    this.#subscription = this.#open(cursor);
  }

  /** The state of the stream, which may be ahead of the reader. */
  get stream(): Subscription<I>['state'] {
    return this.#subscription.state;
  }

  /** The next update; null once the stream was closed. Rejects with the error that ended it. */
  async next(): Promise<StreamUpdate<I> | null> {
    for (;;) {
      const update = this.#queue[this.#read];
      if (update !== undefined) {
        this.#read += 1;
        return update;
      }
      this.#queue.length = 0;
      this.#read = 0;
      if (this.#isLetGo) {
        this.#isLetGo = false;
        this.#subscription = this.#open(this.#subscription.state.cursor);
      } else if (this.#end !== null) {
        if (this.#end.cause === null) return null;
        throw this.#end.cause;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Ends it: pending updates are dropped and `next` returns null. */
  async close(): Promise<void> {
    this.#end ??= { cause: null };
    this.#isLetGo = false;
    this.#queue.length = 0;
    this.#read = 0;
    this.#wake();
    await this.#subscription.close();
  }

  #open(cursor: string | null): Subscription<I> {
    const subscription = this.#subscribe(cursor);
    for (const kind of KINDS) {
      subscription.on(kind, (update) => this.#take(subscription, update as StreamUpdate<I>));
    }
    // After an abort this is the signal's reason, which the subscription's `ended` does not carry.
    const end = (cause: unknown) => {
      if (subscription !== this.#subscription || this.#isLetGo) return;
      this.#end ??= { cause };
      this.#wake();
    };
    void subscription.ended.then(end);
    return subscription;
  }

  #take(subscription: Subscription<I>, update: StreamUpdate<I>): void {
    this.#queue.push(update);
    this.#wake();
    if (this.#queue.length - this.#read < this.#queueMax) return;
    this.#isLetGo = true;
    void subscription.close();
  }
}
