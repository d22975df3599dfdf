/**
 * One iteration over the updates of a subscription, with a bounded queue. A reader that keeps up gets every
 * update. One that is some way behind gets the newest version of each object; one that is so far behind that
 * the queue is full goes on with a snapshot of the state as it is when it reads on. Either way `skipped` says
 * how many updates were left out.
 */

import type { Snapshot } from '../indicator-objects.ts';
import type { StreamUpdate, Update } from './update.ts';

/** So far behind a reader still gets every version. */
const EVERY_VERSION_MAX = 256;

export interface UpdateReaderOptions<I extends string> {
  /** Updates that may wait. */
  readonly queueMax: number;
  /** The state as it is, or null while it is not whole. */
  readonly snapshot: () => Snapshot<I> | null;
  /** The reader goes on with a snapshot. */
  readonly onOverflow: () => void;
  /** Nobody reads it any more. */
  readonly onReturn: (reader: UpdateReader<I>) => void;
}

type Outcome<I extends string> = IteratorResult<Update<I>, undefined>;

export class UpdateReader<I extends string> implements AsyncIterableIterator<Update<I>, undefined> {
  readonly #options: UpdateReaderOptions<I>;
  readonly #everyVersionMax: number;
  /** By number, in order; numbers only grow. */
  readonly #queue = new Map<number, StreamUpdate<I>>();
  /** The newest update of each object that waits. */
  readonly #newest = new Map<string, number>();
  readonly #waiting: PromiseWithResolvers<Outcome<I>>[] = [];
  #number = 0;
  #skipped = 0;
  /** The queue was full: a snapshot is next. */
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

  /** What waits is still read; then the iteration throws the cause, or, without one, is over. */
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
    // It is thrown once: after that there is nothing more.
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
      // What is void, or replaced as a whole, need not be read any more.
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
      // After a reset the stream's own snapshot comes next.
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
