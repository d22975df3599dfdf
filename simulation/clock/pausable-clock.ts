/**
 * The clock of a process that can be stopped and continued, as by SIGSTOP. Timers that came due meanwhile fire when it
 * continues, each once, however often it would have fired.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Clock } from '@tapeloom/server/platform/clock';

export class PausableClock implements Clock {
  readonly #clock: Clock;
  #isPaused = false;
  readonly #due = new Map<object, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): EpochNs {
    return this.#clock.now();
  }

  after(ms: number, run: () => void): Disposable {
    return this.#set((fire) => this.#clock.after(ms, fire), run);
  }

  every(ms: number, run: () => void): Disposable {
    return this.#set((fire) => this.#clock.every(ms, fire), run);
  }

  pause(): void {
    this.#isPaused = true;
  }

  goOn(): void {
    this.#isPaused = false;
    const due = [...this.#due.values()];
    this.#due.clear();
    for (const run of due) run();
  }

  #set(begin: (fire: () => void) => Disposable, run: () => void): Disposable {
    const key = {};
    const timer = begin(() => {
      if (this.#isPaused) this.#due.set(key, run);
      else run();
    });
    return {
      [Symbol.dispose]: () => {
        timer[Symbol.dispose]();
        this.#due.delete(key);
      },
    };
  }
}
