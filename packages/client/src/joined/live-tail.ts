/**
 * What a stream says after a cursor, every version in order, for a reader of any speed: when too much waits, the
 * stream is let go of, and is asked for again from where it was once all that waited has been read.
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

  /** `subscribe` starts after a cursor, or afresh where there is none. */
  constructor(
    subscribe: (cursor: string | null) => Subscription<I>,
    cursor: string | null,
    queueMax: number,
  ) {
    this.#subscribe = subscribe;
    this.#queueMax = queueMax;
    this.#subscription = this.#open(cursor);
  }

  /** Of the stream, which may be ahead of what was read. */
  get stream(): Subscription<I>['state'] {
    return this.#subscription.state;
  }

  /** The next update; null once the stream was closed. Rejects with what ended it. */
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

  /** Ends it: what waits is dropped, and `next` says that it is over. */
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
    // A caller's signal ends it with the signal's reason, which `ended` does not tell.
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
