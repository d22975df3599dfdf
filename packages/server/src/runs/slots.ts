/** Limits concurrent work: at most `count` at once, the rest waits in a first-in, first-out queue. */

export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // A slot is handed to the next waiting work directly, so no newcomer can take it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

export class NamedSlots {
  readonly #count: number;
  readonly #named = new Map<string, { readonly slots: Slots; works: number }>();

  constructor(count: number) {
    this.#count = count;
  }

  async within<T>(name: string, work: () => Promise<T>): Promise<T> {
    let one = this.#named.get(name);
    if (one === undefined) {
      one = { slots: new Slots(this.#count), works: 0 };
      this.#named.set(name, one);
    }
    one.works += 1;
    try {
      return await one.slots.within(work);
    } finally {
      one.works -= 1;
      if (one.works === 0) this.#named.delete(name);
    }
  }
}
