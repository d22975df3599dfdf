/**
 * The clock of a replay. It runs at any speed and stops while the replay is paused, with all its timers, so its users
 * notice no pause.
 */

import type { ClientClock } from '@tapeloom/client/stream';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly call: () => void;
}

const SYSTEM: ClientClock = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

export class PlayClock implements ClientClock {
  readonly #source: ClientClock;
  readonly #timers = new Set<Timer>();
  #order = 0;
  /** Time played up to the last start. */
  #played = 0;
  /** The source's time at the last start; null while paused. */
  #since: number | null = null;
  #speed = 1;
  #waiting: { cancel(): void } | null = null;

  /** `source`: the system's clock and timers, or a test's. */
  constructor(source: ClientClock = SYSTEM) {
    this.#source = source;
  }

  /** Milliseconds played. */
  now(): number {
    if (this.#since === null) return this.#played;
    return this.#played + (this.#source.now() - this.#since) * this.#speed;
  }

  after(ms: number, call: () => void): { cancel(): void } {
    const timer: Timer = { at: this.now() + Math.max(0, ms), order: this.#order, call };
    this.#order += 1;
    this.#timers.add(timer);
    this.#wait();
    return { cancel: () => this.#timers.delete(timer) };
  }

  get isPlaying(): boolean {
    return this.#since !== null;
  }

  /** Milliseconds played per millisecond. */
  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    this.#moveTo(this.now());
    this.#speed = speed;
    this.#wait();
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

  /** Jumps. Timers keep their times: those that lie behind are due at once. */
  set(ms: number): void {
    this.#moveTo(ms);
    this.#wait();
  }

  #moveTo(ms: number): void {
    this.#played = ms;
    if (this.#since !== null) this.#since = this.#source.now();
  }

  #wait(): void {
    this.#waiting?.cancel();
    this.#waiting = null;
    const next = this.#next();
    if (next === null || this.#since === null) return;
    const ms = Math.max(0, next.at - this.now()) / this.#speed;
    this.#waiting = this.#source.after(ms, () => this.#run());
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
