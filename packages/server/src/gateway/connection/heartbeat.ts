/**
 * The heartbeats of one connection, at fixed due times that a late beat does not move. A plain interval restarts when
 * it is late: after a stall, the beats of all connections would stay together, and be sent in bursts of thousands.
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
    // A beat that is late by a whole interval is skipped.
    this.#due = (next > now ? next : now + everyNs) as EpochNs;
    // A clock that was set back must not delay the next beat.
    const leftMs = Math.min(this.#everyMs, Number(this.#due - now) / 1e6);
    return this.#timers.after(leftMs, () => {
      // The beat may dispose of this heartbeat.
      this.#timer = this.#awaitNext();
      this.#beat();
    });
  }
}
