/**
 * Bytes in memory that many share: so many for each holder, so many in all, and some of them only for who
 * has none. Who asks while there is no room waits; the one with the fewest bytes goes first, of those alike
 * the one that waits longest. How much something will be is often known only when it is there, so what is held
 * can be corrected: a holder may come to more than his share by what he was let in with, and then waits.
 */

export interface ByteLimits {
  readonly eachMax: number;
  readonly allMax: number;
  /** Of all bytes so many are for holders that have none. */
  readonly keptForNew?: number;
}

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

export class ByteBudget {
  readonly #limits: ByteLimits;
  readonly #byHolder = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #bytes = 0;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /** Held by all. */
  get bytes(): number {
    return this.#bytes;
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
      this.#waiting.delete(one);
      admitted.reject(signal!.reason);
    };
    signal?.addEventListener('abort', abort);
    this.#waiting.add(one);
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
      this.#count(holder, by);
      if (by < 0) this.#admitWaiting();
    };
    resize(bytes);
    return { resize, [Symbol.dispose]: () => resize(0) };
  }

  #admitWaiting(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      this.#waiting.delete(next);
      next.admit(this.#hold(next.holder, next.bytes));
    }
  }

  #next(): Waiting | null {
    let next: Waiting | null = null;
    for (const one of this.#waiting) {
      if (!this.#hasRoom(one.holder)) continue;
      if (next === null || this.#of(one.holder) < this.#of(next.holder)) next = one;
    }
    return next;
  }

  #hasRoom(holder: string): boolean {
    const { eachMax, allMax, keptForNew = 0 } = this.#limits;
    const held = this.#of(holder);
    return held < eachMax && this.#bytes < (held > 0 ? allMax - keptForNew : allMax);
  }

  #of(holder: string): number {
    return this.#byHolder.get(holder) ?? 0;
  }

  #count(holder: string, by: number): void {
    const held = this.#of(holder) + by;
    if (held > 0) this.#byHolder.set(holder, held);
    else this.#byHolder.delete(holder);
    this.#bytes += by;
  }
}
