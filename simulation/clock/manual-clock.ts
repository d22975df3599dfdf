/**
 * A clock that stands still until it is told to move. Timers fire in the order of their instants
 * (ties in the order they were set), each seeing `now` at its own instant, before `advance` returns.
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
  readonly #timers = new Set<Timer>();

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
    for (let next = this.#next(); next !== null && next.dueNs <= instant; next = this.#next()) {
      if (next.dueNs > this.#now) this.#now = next.dueNs;
      if (next.everyNs === null) this.#timers.delete(next);
      else next.dueNs += next.everyNs;
      next.run();
    }
    if (instant > this.#now) this.#now = instant;
  }

  /** How many timers are set: a test asserts that an owner left none behind. */
  get timerCount(): number {
    return this.#timers.size;
  }

  #add(ms: number, everyNs: bigint | null, run: () => void): Disposable {
    const timer: Timer = { dueNs: this.#now + toNs(ms), order: this.#set++, everyNs, run };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => this.#timers.delete(timer) };
  }

  #next(): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.#timers) {
      if (first === null || timer.dueNs < first.dueNs) first = timer;
      else if (timer.dueNs === first.dueNs && timer.order < first.order) first = timer;
    }
    return first;
  }
}

function toNs(ms: number): bigint {
  return BigInt(Math.round(ms * MS_NS));
}
