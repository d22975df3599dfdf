/**
 * Places in which a newcomer always finds room, because somebody gives way: at a holder's limit the one it
 * touched longest ago, at the limit of all that of the holder who has most. Who takes a lot takes it from
 * himself first, and who comes with something new is never shut out by what others left lying.
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

interface Holding {
  readonly holder: string;
  readonly giveWay: () => void;
}

export class YieldingPlaces {
  readonly #limits: YieldingLimits;
  /** What each holder has, the one touched longest ago first. */
  readonly #byHolder = new Map<string, Set<Holding>>();
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

  /** `giveWay` is called when the place was given to another. */
  enter(holder: string, giveWay: () => void): YieldingPlace {
    const { eachMax, allMax } = this.#limits;
    if ((this.#byHolder.get(holder)?.size ?? 0) >= eachMax) this.#yieldOf(holder);
    else if (this.#count >= allMax) this.yieldOne();
    const holding = { holder, giveWay };
    this.#add(holding);
    return {
      touch: () => {
        const held = this.#byHolder.get(holder);
        if (held?.delete(holding) === true) held.add(holding);
      },
      [Symbol.dispose]: () => this.#remove(holding),
    };
  }

  /** Whoever has most gives one up; false when nobody has any. */
  yieldOne(): boolean {
    const [holder] = this.#bySize.at(-1) ?? [];
    if (holder === undefined) return false;
    this.#yieldOf(holder);
    return true;
  }

  #yieldOf(holder: string): void {
    const [longest] = this.#byHolder.get(holder)!;
    this.#remove(longest!);
    this.#yieldedTotal += 1;
    longest!.giveWay();
  }

  #add(holding: Holding): void {
    const held = this.#byHolder.getOrInsertComputed(holding.holder, () => new Set());
    this.#resize(holding.holder, held.size, held.size + 1);
    held.add(holding);
    this.#count += 1;
  }

  #remove(holding: Holding): void {
    const held = this.#byHolder.get(holding.holder);
    if (held?.delete(holding) !== true) return;
    this.#resize(holding.holder, held.size + 1, held.size);
    if (held.size === 0) this.#byHolder.delete(holding.holder);
    this.#count -= 1;
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
