/** Works that take turns: at most so many at once, the others in the order in which they asked. */

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
      // A slot is handed on, never free while somebody waits.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

/** Slots for each name by itself. */
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
