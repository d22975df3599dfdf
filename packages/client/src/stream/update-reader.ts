/**
 * One iteration over the updates of a subscription, with a bounded queue. A reader that keeps up gets every update. One
 * that is behind gets the newest version of each object. If the queue is full, the reader continues with a snapshot of
 * the then current state. `skipped` gives the number of updates that were left out.
 */

import type { Snapshot } from '../indicator-objects.ts';
import type { StreamUpdate, Update } from './update.ts';

/** Up to this many pending updates a reader gets every version. */
const EVERY_VERSION_MAX = 256;

export interface UpdateReaderOptions<I extends string> {
  readonly queueMax: number;
  /** The current state, or null while it is incomplete. */
  readonly snapshot: () => Snapshot<I> | null;
  /** The queue was full and updates are left out. */
  readonly onOverflow: () => void;
  /** The iteration was left. */
  readonly onReturn: (reader: UpdateReader<I>) => void;
}

type Outcome<I extends string> = IteratorResult<Update<I>, undefined>;

export class UpdateReader<I extends string> implements AsyncIterableIterator<Update<I>, undefined> {
  readonly #options: UpdateReaderOptions<I>;
  readonly #everyVersionMax: number;
  /** By number, in order; numbers only grow. */
  readonly #queue = new Map<number, StreamUpdate<I>>();
  /** The number of the newest pending update of each object. */
  readonly #newest = new Map<string, number>();
  readonly #waiting: PromiseWithResolvers<Outcome<I>>[] = [];
  #number = 0;
  #skipped = 0;
  /** The queue was full: the next item is a snapshot. */
  #isOverfull = false;
  #end: { readonly cause: unknown } | null = null;

  constructor(options: UpdateReaderOptions<I>) {
    this.#options = options;
    this.#everyVersionMax = Math.min(EVERY_VERSION_MAX, options.queueMax / 2);
  }

  push(update: StreamUpdate<I>): void {
    if (this.#end !== null) return;
    if (this.#isOverfull) this.#skipped += 1;
    else this.#add(update);
    const waiting = this.#queue.size > 0 ? this.#waiting.shift() : undefined;
    waiting?.resolve({ done: false, value: this.#shift()! });
  }

  /** Pending updates can still be read. Then the iteration throws the cause, or ends if it is null. */
  end(cause: unknown): void {
    this.#end ??= { cause };
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (cause === null) resolve({ done: true, value: undefined });
      else reject(cause);
    }
  }

  next(): Promise<Outcome<I>> {
    const value = this.#shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#end === null) {
      const waiting = Promise.withResolvers<Outcome<I>>();
      this.#waiting.push(waiting);
      return waiting.promise;
    }
    const { cause } = this.#end;
    // Thrown once; after that the iteration is over.
    this.#end = { cause: null };
    return cause === null
      ? Promise.resolve({ done: true, value: undefined })
      : Promise.reject(cause);
  }

  return(): Promise<Outcome<I>> {
    this.#clear();
    this.#skipped = 0;
    this.#isOverfull = false;
    this.end(null);
    this.#options.onReturn(this);
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #add(update: StreamUpdate<I>): void {
    const isBehind = this.#queue.size >= this.#everyVersionMax;
    const id = objectIdOf(update);
    if (id !== null) {
      const older = this.#newest.get(id);
      if (isBehind && older !== undefined && this.#queue.delete(older)) this.#skipped += 1;
      this.#newest.set(id, this.#number);
    } else if (isBehind && (update.t === 'reset' || update.t === 'snapshot')) {
      // Updates that are void or replaced as a whole need not be read.
      this.#dropObjects();
    }
    this.#queue.set(this.#number, update);
    this.#number += 1;
    if (this.#queue.size > this.#options.queueMax) this.#overflow();
  }

  #dropObjects(): void {
    for (const [number, update] of this.#queue) {
      if (update.t === 'snapshot' || objectIdOf(update) !== null) {
        this.#queue.delete(number);
        this.#skipped += 1;
      }
    }
    this.#newest.clear();
  }

  #overflow(): void {
    this.#options.onOverflow();
    if (this.#options.snapshot() === null) {
      this.#skipped += 1;
      this.#take();
      return;
    }
    this.#skipped += this.#queue.size;
    this.#clear();
    this.#isOverfull = true;
  }

  #shift(): Update<I> | undefined {
    if (this.#skipped > 0) {
      const versions = this.#skipped;
      this.#skipped = 0;
      return { t: 'skipped', versions };
    }
    if (this.#isOverfull) {
      const snapshot = this.#options.snapshot();
      // Without one there was a reset: the stream's own snapshot comes next.
      this.#isOverfull = false;
      if (snapshot !== null) return snapshot;
    }
    return this.#take();
  }

  #take(): StreamUpdate<I> | undefined {
    for (const [number, update] of this.#queue) {
      this.#queue.delete(number);
      const id = objectIdOf(update);
      if (id !== null && this.#newest.get(id) === number) this.#newest.delete(id);
      return update;
    }
    return undefined;
  }

  #clear(): void {
    this.#queue.clear();
    this.#newest.clear();
  }
}

function objectIdOf(update: StreamUpdate<string>): string | null {
  if (update.t === 'upsert') return update.object.id;
  return update.t === 'remove' ? update.id : null;
}
