/**
 * Places that many share: so many for each, so many in all, and some of them only for who has none. Who
 * takes a lot takes room from himself first, and however many do so together, a newcomer finds a place.
 */

export interface PlaceLimits {
  readonly eachMax: number;
  readonly allMax: number;
  /** Of all places so many are for holders that have none. */
  readonly keptForNew?: number;
}

export class SharedPlaces {
  readonly #limits: PlaceLimits;
  readonly #byHolder = new Map<string, number>();
  #count = 0;
  #refused = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  /** How often there was none, since the start. */
  get refusedCount(): number {
    return this.#refused;
  }

  /** One more place, to be given back; null when there is none. */
  enter(holder: string): Disposable | null {
    const held = this.#byHolder.get(holder) ?? 0;
    const { eachMax, allMax, keptForNew = 0 } = this.#limits;
    const openToHolder = held > 0 ? allMax - keptForNew : allMax;
    if (held >= eachMax || this.#count >= openToHolder) {
      this.#refused += 1;
      return null;
    }
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
