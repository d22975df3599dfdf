/**
 * Bytes in memory that many share within limits. A holder that finds no room waits; the one with the fewest bytes goes first, of
 * those alike the one that waits longest. How much something will be is often known only when it is there, so what is held can
 * be corrected: a holder may come to more than its share by what it was let in with, and then waits.
 */

import { FairQueue } from './fair-queue.ts';
import { type ShareLimits, Shares } from './shares.ts';

/** Bytes that are held until they are given back. */
export interface HeldBytes extends Disposable {
  /** They are so many by now. */
  resize(bytes: number): void;
}

interface Waiting {
  readonly holder: string;
  readonly bytes: number;
  readonly admit: (held: HeldBytes) => void;
}

export class SharedBytes {
  readonly #limits: ShareLimits;
  readonly #shares = new Shares();
  readonly #waiting = new FairQueue<Waiting>();

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** Held by all. */
  get bytes(): number {
    return this.#shares.total;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Null while the holder's share, or all, is used up. */
  takeNow(holder: string, bytes: number): HeldBytes | null {
    return this.#hasRoom(holder) ? this.#hold(holder, bytes) : null;
  }

  /** Resolves when there is room; rejects with the signal's reason when that comes first. */
  async take(holder: string, bytes: number, signal?: AbortSignal): Promise<HeldBytes> {
    signal?.throwIfAborted();
    const held = this.takeNow(holder, bytes);
    if (held !== null) return held;
    const admitted = Promise.withResolvers<HeldBytes>();
    const one: Waiting = { holder, bytes, admit: admitted.resolve };
    const abort = () => {
      this.#waiting.delete(holder, one);
      admitted.reject(signal!.reason);
    };
    signal?.addEventListener('abort', abort);
    this.#waiting.add(holder, one);
    try {
      return await admitted.promise;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  #hold(holder: string, bytes: number): HeldBytes {
    let held = 0;
    const resize = (to: number) => {
      const by = to - held;
      held = to;
      this.#shares.add(holder, by);
      if (by < 0) this.#admitWaiting();
    };
    resize(bytes);
    return { resize, [Symbol.dispose]: () => resize(0) };
  }

  #admitWaiting(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      this.#waiting.delete(next.holder, next);
      next.admit(this.#hold(next.holder, next.bytes));
    }
  }

  #next(): Waiting | null {
    return this.#waiting.next(
      (one, other) => this.#shares.of(one) < this.#shares.of(other),
      ({ holder }) => this.#hasRoom(holder),
    );
  }

  #hasRoom(holder: string): boolean {
    return this.#shares.hasRoom(holder, this.#limits);
  }
}
