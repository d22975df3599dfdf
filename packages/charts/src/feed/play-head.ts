/**
 * Plays things that have a time, in their order: it waits until the next one is due on its clock, and says up to where
 * all are due. A recorded session and the replay of a past one are played by it.
 */

import type { ClientClock } from '@tapeloom/client/stream';

export interface PlayHeadOptions {
  readonly clock: ClientClock;
  /** When a thing is due, in milliseconds of the clock. Null: there are no more for now. */
  readonly timeOf: (index: number) => number | null;
  /** Those from `next` before to `end` are due. */
  readonly onDue: (end: number) => void;
  /** Milliseconds of the clock between two calls: at least, and at most even if nothing is due. */
  readonly apartMs?: () => number;
  readonly atMostMs?: () => number;
}

export class PlayHead {
  readonly #options: PlayHeadOptions;
  #next = 0;
  #waiting: { cancel(): void } | null = null;
  #isRunning = false;

  constructor(options: PlayHeadOptions) {
    this.#options = options;
  }

  /** The first that is not due yet. */
  get next(): number {
    return this.#next;
  }

  /** Continues there. */
  place(index: number): void {
    this.#next = index;
    this.more();
  }

  run(): void {
    this.#isRunning = true;
    this.more();
  }

  stop(): void {
    this.#isRunning = false;
    this.#waiting?.cancel();
    this.#waiting = null;
  }

  /** There are more things, or the clock has jumped. */
  more(): void {
    this.#waiting?.cancel();
    this.#waiting = null;
    const { clock, timeOf, apartMs = () => 0, atMostMs = () => Infinity } = this.#options;
    const at = this.#isRunning ? timeOf(this.#next) : null;
    if (at === null) return;
    const ms = Math.min(Math.max(apartMs(), at - clock.now()), atMostMs());
    this.#waiting = clock.after(ms, () => this.#due());
  }

  #due(): void {
    this.#waiting = null;
    const { clock, timeOf, onDue } = this.#options;
    const now = clock.now();
    let end = this.#next;
    for (let at = timeOf(end); at !== null && at <= now; at = timeOf(end)) end += 1;
    this.#next = end;
    onDue(end);
    if (this.#waiting === null) this.more();
  }
}
