/**
 * Memory shared within limits. A holder without space waits; the one with the fewest bytes goes first, and among equal
 * ones the one that waits longest. The size is often known only afterwards, so it can be corrected: a holder may then
 * exceed its share, and has to wait.
 */

import { FairQueue } from './fair-queue.ts';
import { type ShareLimits, Shares } from './shares.ts';

export interface HeldBytes extends Disposable {
  /** Corrects the size. */
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

  get bytes(): number {
    return this.#shares.total;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Null while the holder's share or the total is used up. */
  takeNow(holder: string, bytes: number): HeldBytes | null {
    return this.#hasRoom(holder) ? this.#hold(holder, bytes) : null;
  }

  /** Resolves when there is space; rejects with the signal's reason if that aborts first. */
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
