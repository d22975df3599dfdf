/**
 * The beats of one connection, as far apart as they should be and never moved by one that comes late. An interval of the machine
 * begins anew when it is late: whatever holds a process up for a moment makes the beats of all connections that were due in it
 * come together from then on, until thousands of them are sent in one row.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../../platform/clock.ts';

export class Heartbeat implements Disposable {
  readonly #timers: Pick<Clock, 'now' | 'after'>;
  readonly #everyMs: number;
  readonly #beat: () => void;
  #due: EpochNs;
  #timer: Disposable;

  /** `timers` is real time. */
  constructor(timers: Pick<Clock, 'now' | 'after'>, everyMs: number, beat: () => void) {
    this.#timers = timers;
    this.#everyMs = everyMs;
    this.#beat = beat;
    this.#due = timers.now();
    this.#timer = this.#awaitNext();
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #awaitNext(): Disposable {
    const everyNs = BigInt(this.#everyMs) * MS_NS_BIG;
    const now = this.#timers.now();
    const next = this.#due + everyNs;
    // One that would be late by a whole beat is left out.
    this.#due = (next > now ? next : now + everyNs) as EpochNs;
    // A clock that was set back must not hold the next one up.
    const leftMs = Math.min(this.#everyMs, Number(this.#due - now) / 1e6);
    return this.#timers.after(leftMs, () => {
      // Beating may end it.
      this.#timer = this.#awaitNext();
      this.#beat();
    });
  }
}
