/**
 * Threads that serve side by side, each in a position. A thread that ends unrequested is replaced after a while, while
 * the others serve. A position that loses threads again and again may be given up, since its fault would take processor
 * time from the others. A thread that the machine could not start is retried without limit.
 */

import type { Clock } from '../clock.ts';
import { isPassingThreadFault } from '../waiting/passing-fault.ts';
import { backoffMs } from '../waiting/retry.ts';

/** The delay before the next try after a lack of files or memory. */
const NOT_BEGUN_MS = 2_000;

export interface RestartPolicy {
  /** The delay before the first replacement; each further one in the window waits `factor` times as long. */
  readonly firstMs: number;
  readonly factor: number;
  readonly lastMs: number;
  /** Older losses are forgotten. */
  readonly windowMs: number;
  /** How many losses within the window are replaced; with one more the position is given up. */
  readonly restartsMax: number;
}

export interface ThreadCrewOptions<T> {
  readonly count: number;
  readonly policy: RestartPolicy;
  readonly timers: Pick<Clock, 'now' | 'after'>;
  /** Starts a thread; `onGone` is called when it has ended unrequested. */
  readonly start: (index: number, onGone: (cause: unknown) => void) => T;
  readonly onReplaced: (index: number, thread: T) => void;
  readonly onGone: (index: number, cause: unknown, isGivenUp: boolean) => void;
}

interface Place<T> {
  readonly index: number;
  thread: T | null;
  starting: Disposable | null;
  /** When its threads ended, within the window. */
  losses: bigint[];
}

export class ThreadCrew<T extends AsyncDisposable> implements AsyncDisposable {
  readonly #options: ThreadCrewOptions<T>;
  readonly #places: readonly Place<T>[];
  #lostTotal = 0;
  #isOver = false;

  constructor(options: ThreadCrewOptions<T>) {
    this.#options = options;
    this.#places = Array.from({ length: options.count }, (_, index) => {
      return { index, thread: null, starting: null, losses: [] };
    });
    // If the first threads cannot be started, neither can the crew.
    for (const place of this.#places) this.#start(place);
  }

  get threads(): readonly T[] {
    return this.#places.flatMap(({ thread }) => (thread === null ? [] : [thread]));
  }

  get lostTotal(): number {
    return this.#lostTotal;
  }

  /** Threads count as serving until they are gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    for (const place of this.#places) place.starting?.[Symbol.dispose]();
    await Promise.all(this.threads.map((thread) => thread[Symbol.asyncDispose]()));
    for (const place of this.#places) place.thread = null;
  }

  #start(place: Place<T>): T {
    place.starting = null;
    const thread = this.#options.start(place.index, (cause) => {
      if (place.thread === thread && !this.#isOver) this.#lose(place, cause);
    });
    place.thread = thread;
    return thread;
  }

  #lose(place: Place<T>, cause: unknown): void {
    const { timers, onGone } = this.#options;
    place.thread = null;
    this.#lostTotal += 1;
    const waitMs = isPassingThreadFault(cause) ? NOT_BEGUN_MS : this.#countLoss(place);
    onGone(place.index, cause, waitMs === null);
    if (waitMs !== null) place.starting = timers.after(waitMs, () => this.#startAnew(place));
  }

  /** The delay before the replacement; null: the position is given up. */
  #countLoss(place: Place<T>): number | null {
    const { timers, policy } = this.#options;
    const { windowMs, restartsMax } = policy;
    const now: bigint = timers.now();
    const windowFrom = now - BigInt(windowMs) * 1_000_000n;
    place.losses = [...place.losses.filter((at) => at > windowFrom), now];
    if (place.losses.length > restartsMax) return null;
    return backoffMs(place.losses.length - 1, policy);
  }

  #startAnew(place: Place<T>): void {
    let thread: T;
    try {
      thread = this.#start(place);
    } catch (error) {
      this.#lose(place, error);
      return;
    }
    this.#options.onReplaced(place.index, thread);
  }
}
