/**
 * Places that many share: so many for each, so many in all. Who takes a lot takes room from himself first.
 */

export interface PlaceLimits {
  readonly eachMax: number;
  readonly allMax: number;
}

export class SharedPlaces {
  readonly #limits: PlaceLimits;
  readonly #byHolder = new Map<string, number>();
  #count = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  /** One more place, to be given back; null when there is none. */
  enter(holder: string): Disposable | null {
    const held = this.#byHolder.get(holder) ?? 0;
    if (held >= this.#limits.eachMax || this.#count >= this.#limits.allMax) return null;
    this.#byHolder.set(holder, held + 1);
    this.#count += 1;
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#leave(holder);
        isHeld = false;
      },
    };
  }

  #leave(holder: string): void {
    const rest = this.#byHolder.get(holder)! - 1;
    if (rest > 0) this.#byHolder.set(holder, rest);
    else this.#byHolder.delete(holder);
    this.#count -= 1;
  }
}
