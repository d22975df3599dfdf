/**
 * A clock that moves only when told. Timers fire in the order of their instants (ties in the order they were set), each
 * seeing `now` at its own instant, before `advance` returns.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Clock } from '@tapeloom/server/platform/clock';

const MS_NS = 1_000_000;

interface Timer {
  dueNs: bigint;
  readonly order: number;
  readonly everyNs: bigint | null;
  readonly run: () => void;
}

export class ManualClock implements Clock {
  #now: bigint;
  #set = 0;
  /** The last due comes first: most timers are set and soon removed. */
  readonly #timers: Timer[] = [];

  constructor(start: bigint) {
    this.#now = start;
  }

  now(): EpochNs {
    return this.#now as EpochNs;
  }

  after(ms: number, run: () => void): Disposable {
    return this.#add(ms, null, run);
  }

  every(ms: number, run: () => void): Disposable {
    if (!(ms > 0)) throw new RangeError(`cannot repeat every ${ms} ms`);
    return this.#add(ms, toNs(ms), run);
  }

  advance(ms: number): void {
    this.advanceTo(this.#now + toNs(ms));
  }

  advanceTo(instant: bigint): void {
    for (let next = this.#timers.at(-1); next !== undefined; next = this.#timers.at(-1)) {
      if (next.dueNs > instant) break;
      if (next.dueNs > this.#now) this.#now = next.dueNs;
      this.#timers.pop();
      if (next.everyNs !== null) {
        next.dueNs += next.everyNs;
        this.#insert(next);
      }
      next.run();
    }
    if (instant > this.#now) this.#now = instant;
  }

  /** The number of set timers, so that a test can assert that an owner left none. */
  get timerCount(): number {
    return this.#timers.length;
  }

  #add(ms: number, everyNs: bigint | null, run: () => void): Disposable {
    const timer: Timer = { dueNs: this.#now + toNs(ms), order: this.#set++, everyNs, run };
    this.#insert(timer);
    return { [Symbol.dispose]: () => this.#remove(timer) };
  }

  #insert(timer: Timer): void {
    this.#timers.splice(this.#placeOf(timer), 0, timer);
  }

  #remove(timer: Timer): void {
    const place = this.#placeOf(timer);
    if (this.#timers[place] === timer) this.#timers.splice(place, 1);
  }

  /** Its index, or where it belongs: behind all that are due later. */
  #placeOf({ dueNs, order }: Timer): number {
    let [low, high] = [0, this.#timers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#timers[middle]!;
      const isLater = other.dueNs > dueNs || (other.dueNs === dueNs && other.order > order);
      if (isLater) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function toNs(ms: number): bigint {
  return BigInt(Math.round(ms * MS_NS));
}
