/**
 * Caps the sockets whose key or token is not yet known to be good: so many from one place, so many in
 * all. Whoever opens sockets and never proves who he is takes room from himself first, and from those
 * who are connected never.
 */

/** An address behind which many customers sit opens this many at once after a restart. */
const FROM_ONE_PLACE_MAX = 256;
const IN_ALL_MAX = 2_048;

export interface UnprovenLimits {
  readonly fromOnePlaceMax?: number;
  readonly inAllMax?: number;
}

export class UnprovenSockets {
  readonly #fromOnePlaceMax: number;
  readonly #inAllMax: number;
  readonly #byPlace = new Map<string, number>();
  #count = 0;

  constructor(limits: UnprovenLimits = {}) {
    this.#fromOnePlaceMax = limits.fromOnePlaceMax ?? FROM_ONE_PLACE_MAX;
    this.#inAllMax = limits.inAllMax ?? IN_ALL_MAX;
  }

  get count(): number {
    return this.#count;
  }

  /** A place for one more socket, to be given back when it is proven or gone; null when there is none. */
  enter(place: string): Disposable | null {
    const here = this.#byPlace.get(place) ?? 0;
    if (here >= this.#fromOnePlaceMax || this.#count >= this.#inAllMax) return null;
    this.#byPlace.set(place, here + 1);
    this.#count += 1;
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#leave(place);
        isHeld = false;
      },
    };
  }

  #leave(place: string): void {
    const rest = this.#byPlace.get(place)! - 1;
    if (rest > 0) this.#byPlace.set(place, rest);
    else this.#byPlace.delete(place);
    this.#count -= 1;
  }
}
