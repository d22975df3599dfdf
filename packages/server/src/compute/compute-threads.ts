/**
 * The running compute threads. A read goes to the least busy thread, or to the one that may hold part of its results
 * (`day-logs.ts`). A dead thread is replaced with backoff while the others serve.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { Refusal } from '../platform/refusal.ts';
import type { ThreadPort } from '../platform/threads/thread.ts';
import {
  type RestartPolicy,
  ThreadCrew,
  type ThreadCrewOptions,
} from '../platform/threads/thread-crew.ts';
import type { DayDamage } from '../runs/sound-tape.ts';
import { ComputeThread } from './compute-thread.ts';
import type { ComputeRequest, ComputeShape, ContractDay } from './compute-wire.ts';

const COMPUTE_RESTARTS: RestartPolicy = {
  firstMs: 1_000,
  factor: 2,
  lastMs: 60_000,
  windowMs: 600_000,
  restartsMax: Number.POSITIVE_INFINITY,
};

/** Remembered pairs of a computation and its thread. */
const HOMES_MAX = 1_024;
/** The thread that computed the same before is preferred if it has at most so many more reads and calls. */
const BUSIER_MAX = 1;

export interface ComputeThreadsOptions extends Pick<ThreadCrewOptions<ComputeThread>, 'timers'> {
  readonly threads: number;
  /** With the newest sessions and its own port to the tape. */
  readonly startThread: () => ThreadPort;
  /** A read failed, or a thread died (then without a request). */
  readonly onFault: (error: unknown, request: ComputeRequest | null) => void;
  /** A thread could not read a day and leaves it out. */
  readonly onDamaged?: (damage: DayDamage) => void;
}

export class ComputeThreads implements AsyncDisposable {
  readonly #options: ComputeThreadsOptions;
  readonly #crew: ThreadCrew<ComputeThread>;
  /** The last thread of each computation; most recently used last. */
  readonly #homes = new Map<string, ComputeThread>();

  /** `onReplaced` is called for every thread that replaces a dead one. */
  constructor(options: ComputeThreadsOptions, onReplaced: () => void) {
    this.#options = options;
    this.#crew = new ThreadCrew({
      count: options.threads,
      policy: COMPUTE_RESTARTS,
      timers: options.timers,
      start: (_, onGone) => this.#start(onGone),
      onReplaced,
      onGone: (_, cause) => options.onFault(cause, null),
    });
  }

  get count(): number {
    return this.#crew.threads.length;
  }

  get callCount(): number {
    return this.#crew.threads.reduce((sum, { callCount }) => sum + callCount, 0);
  }

  /** Threads that died, since the start. */
  get lostCount(): number {
    return this.#crew.lostTotal;
  }

  runs(thread: ComputeThread): boolean {
    return this.#crew.threads.includes(thread);
  }

  /** Null if no thread runs. */
  leastBusy(): ComputeThread | null {
    let least: ComputeThread | null = null;
    for (const thread of this.#crew.threads) {
      if (least === null || isLessBusy(thread, least)) least = thread;
    }
    return least;
  }

  /** The best thread for a computation; remembered for the next read of the same. */
  homeFor(home: string | null): ComputeThread | null {
    const least = this.leastBusy();
    if (least === null || home === null) return least;
    const preferred = this.#homes.get(home);
    const isBetter =
      preferred !== undefined &&
      preferred.open <= least.open + BUSIER_MAX &&
      preferred.callCount <= least.callCount + BUSIER_MAX;
    const thread = isBetter ? preferred : least;
    this.#homes.delete(home);
    if (this.#homes.size >= HOMES_MAX) this.#homes.delete(this.#homes.keys().next().value!);
    this.#homes.set(home, thread);
    return thread;
  }

  tellAll(order: ComputeShape['orders']): void {
    for (const thread of this.#crew.threads) thread.tell(order);
  }

  /** A reader found this day damaged: all threads leave it out until its files are replaced or sound again. */
  noteDamaged(contract: string, day: UtcDay, isDamaged: boolean): void {
    this.tellAll({ t: 'damaged', contract, day, isDamaged });
  }

  /** Resolves when all threads read the newest import; the successor of a failed thread starts with it. */
  async refresh(dataset: string, days: readonly ContractDay[]): Promise<void> {
    const { threads } = this.#crew;
    await Promise.allSettled(threads.map((thread) => thread.call('refresh', dataset, days)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#crew[Symbol.asyncDispose]();
  }

  #start(onGone: (cause: unknown) => void): ComputeThread {
    const { startThread, onFault } = this.#options;
    const thread = new ComputeThread(startThread(), {
      name: 'a compute thread',
      hear: (news) => {
        if (news.t === 'fault') return onFault(news.error, news.request);
        this.#options.onDamaged?.(news);
      },
      errorOf: (why) => new Refusal(why),
      goneError: (cause) => new Refusal({ t: 'failed' }, cause),
      closedError: () => new Refusal({ t: 'shut-down' }),
      onGone: (cause) => {
        for (const [home, one] of this.#homes) if (one === thread) this.#homes.delete(home);
        onGone(cause);
      },
    });
    return thread;
  }
}

function isLessBusy(one: ComputeThread, other: ComputeThread): boolean {
  const [calls, otherCalls] = [one.callCount, other.callCount];
  return calls === otherCalls ? one.open < other.open : calls < otherCalls;
}
