/**
 * The compute threads that run. A read is placed on the least busy one, or on the one that may have it half
 * done (`day-logs.ts`). A thread that dies is replaced, the more slowly the more often that was, while the others
 * serve.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { type RestartPolicy, ThreadCrew, type ThreadCrewOptions } from '../platform/thread-crew.ts';
import { ComputeHandle, type ComputeThread } from './compute-handle.ts';
import type { ComputeRequest, ToComputeThread } from './compute-wire.ts';

const COMPUTE_RESTARTS: RestartPolicy = {
  firstMs: 1_000,
  factor: 2,
  lastMs: 60_000,
  windowMs: 600_000,
  restartsMax: Number.POSITIVE_INFINITY,
};

/** Threads that are remembered by what they computed. */
const HOMES_MAX = 1_024;
/** A thread that computed the same before is preferred, busier by so many reads and calls at most. */
const BUSIER_MAX = 1;

export interface ComputeThreadsOptions extends Pick<ThreadCrewOptions<RunningThread>, 'timers'> {
  readonly threads: number;
  /** With the newest sessions, and a line to the tape of its own. */
  readonly startThread: () => ComputeThread;
  /** A read failed, or a thread died (then without a request). */
  readonly onFault: (error: unknown, request: ComputeRequest | null) => void;
}

/** A thread that runs. */
export interface RunningThread extends AsyncDisposable {
  readonly handle: ComputeHandle;
  /** Reads that are open there. */
  open: number;
}

export class ComputeThreads implements AsyncDisposable {
  readonly #options: ComputeThreadsOptions;
  readonly #crew: ThreadCrew<RunningThread>;
  /** Which thread last computed what; those used last are last. */
  readonly #homes = new Map<string, RunningThread>();
  /** Sealed days that turned out to be damaged: contract and day. */
  readonly #damaged = new Set<string>();

  /** `onReplaced` is told of every thread that follows one that died. */
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
    return this.#crew.threads.reduce((sum, { handle }) => sum + handle.callCount, 0);
  }

  get damagedCount(): number {
    return this.#damaged.size;
  }

  /** Threads that died, since the start. */
  get lostCount(): number {
    return this.#crew.lostTotal;
  }

  runs(thread: RunningThread): boolean {
    return this.#crew.threads.includes(thread);
  }

  /** Null when none runs. */
  leastBusy(): RunningThread | null {
    let least: RunningThread | null = null;
    for (const thread of this.#crew.threads) {
      if (least === null || isLessBusy(thread, least)) least = thread;
    }
    return least;
  }

  /** Where something is best computed; remembered for the next that asks for the same. */
  homeFor(home: string | null): RunningThread | null {
    const least = this.leastBusy();
    if (least === null || home === null) return least;
    const preferred = this.#homes.get(home);
    const isBetter =
      preferred !== undefined &&
      preferred.open <= least.open + BUSIER_MAX &&
      preferred.handle.callCount <= least.handle.callCount + BUSIER_MAX;
    const thread = isBetter ? preferred : least;
    this.#homes.delete(home);
    if (this.#homes.size >= HOMES_MAX) this.#homes.delete(this.#homes.keys().next().value!);
    this.#homes.set(home, thread);
    return thread;
  }

  tellAll(message: ToComputeThread): void {
    for (const { handle } of this.#crew.threads) handle.post(message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#crew[Symbol.asyncDispose]();
  }

  #start(onGone: (cause: unknown) => void): RunningThread {
    const { startThread, onFault } = this.#options;
    const handle = new ComputeHandle(startThread(), {
      fault: onFault,
      damaged: (contract, day) => this.#noteDamaged(contract, day),
      ended: (cause) => {
        for (const [home, one] of this.#homes) if (one === running) this.#homes.delete(home);
        onGone(cause);
      },
    });
    const dispose = async () => await handle[Symbol.asyncDispose]();
    const running: RunningThread = { handle, open: 0, [Symbol.asyncDispose]: dispose };
    return running;
  }

  #noteDamaged(contract: string, day: UtcDay): void {
    this.#damaged.add(`${contract} ${day}`);
    this.tellAll({ t: 'damaged', contract, day });
  }
}

function isLessBusy(one: RunningThread, other: RunningThread): boolean {
  const [calls, otherCalls] = [one.handle.callCount, other.handle.callCount];
  return calls === otherCalls ? one.open < other.open : calls < otherCalls;
}
