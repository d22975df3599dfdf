/**
 * The compute threads that run. A read is placed on the least busy one, or on the one that may have it half
 * done (`day-logs.ts`). A thread that dies is replaced, the more slowly the sooner it died, while the others
 * serve.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { Clock } from '../platform/clock.ts';
import { ComputeHandle, type ComputeThread } from './compute-handle.ts';
import type { ComputeRequest, ToComputeThread } from './compute-wire.ts';

const MS_NS = 1_000_000;
/** A thread that lived so long is replaced at once. */
const SOUND_LIFE_MS = 60_000;
/** The wait before a thread is replaced doubles from the first to the last. */
const REPLACED_AFTER_MS = { first: 1_000, last: 60_000 } as const;

/** Threads that are remembered by what they computed. */
const HOMES_MAX = 1_024;
/** A thread that computed the same before is preferred, busier by so many reads and calls at most. */
const BUSIER_MAX = 1;

export interface ComputeThreadsOptions {
  readonly threads: number;
  readonly timers: Pick<Clock, 'now' | 'after'>;
  /** With the newest sessions, and a line to the tape of its own. */
  readonly startThread: () => ComputeThread;
  /** A read failed, or a thread died (then without a request). */
  readonly onFault: (error: unknown, request: ComputeRequest | null) => void;
}

/** A thread that runs. */
export interface RunningThread {
  readonly handle: ComputeHandle;
  readonly startedAt: EpochNs;
  /** Reads that are open there. */
  open: number;
}

export class ComputeThreads implements AsyncDisposable {
  readonly #options: ComputeThreadsOptions;
  readonly #onStart: () => void;
  readonly #running = new Set<RunningThread>();
  /** Which thread last computed what; those used last are last. */
  readonly #homes = new Map<string, RunningThread>();
  readonly #restarts = new Set<Disposable>();
  #replacedAfterMs = 0;
  /** Sealed days that turned out to be damaged: contract and day. */
  readonly #damaged = new Set<string>();
  #lost = 0;
  #isOver = false;

  /** `onStart` is told of every thread that starts. */
  constructor(options: ComputeThreadsOptions, onStart: () => void) {
    this.#options = options;
    this.#onStart = onStart;
  }

  start(): void {
    for (let count = 0; count < this.#options.threads; count += 1) this.#start();
  }

  get count(): number {
    return this.#running.size;
  }

  get callCount(): number {
    return [...this.#running].reduce((sum, { handle }) => sum + handle.callCount, 0);
  }

  get damagedCount(): number {
    return this.#damaged.size;
  }

  /** Threads that died, since the start. */
  get lostCount(): number {
    return this.#lost;
  }

  runs(thread: RunningThread): boolean {
    return this.#running.has(thread);
  }

  /** Null when none runs. */
  leastBusy(): RunningThread | null {
    let least: RunningThread | null = null;
    for (const thread of this.#running) {
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
    for (const { handle } of this.#running) handle.post(message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    for (const timer of this.#restarts) timer[Symbol.dispose]();
    await Promise.all([...this.#running].map(({ handle }) => handle[Symbol.asyncDispose]()));
    this.#running.clear();
  }

  #start(): void {
    const { startThread, onFault } = this.#options;
    let thread: ComputeThread;
    try {
      thread = startThread();
    } catch (error) {
      onFault(error, null);
      this.#startLater(0);
      return;
    }
    const handle = new ComputeHandle(thread, {
      fault: onFault,
      damaged: (contract, day) => this.#noteDamaged(contract, day),
      ended: (cause) => this.#replace(running, cause),
    });
    const running: RunningThread = { handle, startedAt: this.#options.timers.now(), open: 0 };
    this.#running.add(running);
    this.#onStart();
  }

  #replace(thread: RunningThread, cause: unknown): void {
    this.#running.delete(thread);
    for (const [home, one] of this.#homes) if (one === thread) this.#homes.delete(home);
    if (this.#isOver) return;
    this.#lost += 1;
    this.#options.onFault(cause, null);
    const livedNs = this.#options.timers.now() - thread.startedAt;
    this.#startLater(Number(livedNs) / MS_NS);
  }

  #startLater(livedMs: number): void {
    const { first, last } = REPLACED_AFTER_MS;
    this.#replacedAfterMs =
      livedMs >= SOUND_LIFE_MS ? 0 : Math.min(last, Math.max(first, this.#replacedAfterMs * 2));
    const timer = this.#options.timers.after(this.#replacedAfterMs, () => {
      this.#restarts.delete(timer);
      this.#start();
    });
    this.#restarts.add(timer);
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
