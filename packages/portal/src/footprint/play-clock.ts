/** The clock of a replay: it stops while the replay is paused, with all its timers, so its users notice no pause. */

import type { ClientClock } from '@tapeloom/client/stream';

/** The system's clock and timers, or a test's. */
export interface ClockSource {
  now(): number;
  after(ms: number, call: () => void): { cancel(): void };
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly call: () => void;
}

const SYSTEM: ClockSource = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

export class PlayClock implements ClientClock {
  readonly #source: ClockSource;
  readonly #timers = new Set<Timer>();
  #order = 0;
  /** Time played up to the last start. */
  #played = 0;
  /** The source's time at the last start; null while paused. */
  #since: number | null = null;
  #waiting: { cancel(): void } | null = null;

  constructor(source: ClockSource = SYSTEM) {
    this.#source = source;
  }

  now(): number {
    return this.#since === null ? this.#played : this.#played + this.#source.now() - this.#since;
  }

  after(ms: number, call: () => void): { cancel(): void } {
    const timer: Timer = { at: this.now() + Math.max(0, ms), order: this.#order, call };
    this.#order += 1;
    this.#timers.add(timer);
    this.#wait();
    return { cancel: () => this.#timers.delete(timer) };
  }

  play(): void {
    this.#since ??= this.#source.now();
    this.#wait();
  }

  pause(): void {
    this.#played = this.now();
    this.#since = null;
    this.#waiting?.cancel();
    this.#waiting = null;
  }

  #wait(): void {
    this.#waiting?.cancel();
    this.#waiting = null;
    const next = this.#next();
    if (next === null || this.#since === null) return;
    this.#waiting = this.#source.after(Math.max(0, next.at - this.now()), () => this.#run());
  }

  /** Runs all due timers in order of time; a timer set meanwhile waits for the next run. */
  #run(): void {
    this.#waiting = null;
    const now = this.now();
    const last = this.#order;
    for (let next = this.#next(); next !== null && next.at <= now; next = this.#next()) {
      if (next.order >= last || this.#since === null) break;
      this.#timers.delete(next);
      next.call();
    }
    this.#wait();
  }

  #next(): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.#timers) {
      const isEarlier =
        first === null ||
        timer.at < first.at ||
        (timer.at === first.at && timer.order < first.order);
      if (isEarlier) first = timer;
    }
    return first;
  }
}
