/**
 * Places in which a newcomer always finds room, because somebody gives way: at a holder's limit the one it
 * touched longest ago, at the limit of all that of the holder who has most. Who takes a lot takes it from
 * himself first, and who comes with something new is never shut out by what others left lying. A place in use can be
 * kept: while its holding is busy the next one gives way.
 */

export interface YieldingLimits {
  readonly eachMax: number;
  readonly allMax: number;
}

/** Disposed when it is no longer needed. */
export interface YieldingPlace extends Disposable {
  /** Something was done with it: others give way before. */
  touch(): void;
}

/** What holds a place. */
export interface Yielding {
  /** The place was given to another. */
  giveWay(): void;
  /** It cannot give way now, and another of its holder or of others does. */
  readonly isBusy: boolean;
}

export class YieldingPlaces {
  readonly #limits: YieldingLimits;
  /** What each holder has, the one touched longest ago first. */
  readonly #byHolder = new Map<string, Set<Place>>();
  /** The holders that have so many. The last of these sets is never empty. */
  readonly #bySize: Set<string>[] = [];
  #count = 0;
  #yieldedTotal = 0;

  constructor(limits: YieldingLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  /** Places that gave way to others. */
  get yieldedTotal(): number {
    return this.#yieldedTotal;
  }

  enter(holder: string, holding: Yielding): YieldingPlace {
    const { eachMax, allMax } = this.#limits;
    if ((this.#byHolder.get(holder)?.size ?? 0) >= eachMax) this.#yieldOf(holder);
    else if (this.#count >= allMax) this.yieldOne();
    const held = this.#byHolder.getOrInsertComputed(holder, () => new Set());
    const place = new Place(this, holder, held, holding);
    this.#resize(holder, held.size, held.size + 1);
    held.add(place);
    this.#count += 1;
    return place;
  }

  /** Whoever has most that is not busy gives one up; false when nobody has any. */
  yieldOne(): boolean {
    for (const holders of this.#bySize.toReversed()) {
      for (const holder of holders) if (this.#yieldOf(holder)) return true;
    }
    return false;
  }

  leave(place: Place): void {
    const { holder } = place;
    const held = this.#byHolder.get(holder);
    if (held?.delete(place) !== true) return;
    this.#resize(holder, held.size + 1, held.size);
    if (held.size === 0) this.#byHolder.delete(holder);
    this.#count -= 1;
  }

  #yieldOf(holder: string): boolean {
    for (const place of this.#byHolder.get(holder)!) {
      if (place.holding.isBusy) continue;
      this.leave(place);
      this.#yieldedTotal += 1;
      place.holding.giveWay();
      return true;
    }
    return false;
  }

  #resize(holder: string, before: number, after: number): void {
    this.#bySize[before]?.delete(holder);
    if (after > 0) {
      while (this.#bySize.length <= after) this.#bySize.push(new Set());
      this.#bySize[after]!.add(holder);
    }
    while (this.#bySize.at(-1)?.size === 0) this.#bySize.pop();
  }
}

/** One for each connection: without closures of its own. */
class Place implements YieldingPlace {
  readonly holder: string;
  readonly holding: Yielding;
  readonly #places: YieldingPlaces;
  /** All that its holder has. */
  readonly #held: Set<Place>;

  constructor(places: YieldingPlaces, holder: string, held: Set<Place>, holding: Yielding) {
    this.#places = places;
    this.#held = held;
    this.holder = holder;
    this.holding = holding;
  }

  touch(): void {
    if (this.#held.size > 1 && this.#held.delete(this)) this.#held.add(this);
  }

  [Symbol.dispose](): void {
    this.#places.leave(this);
  }
}
