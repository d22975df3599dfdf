/**
 * A read in a compute thread, as its caller holds it: one result at a time, with a slot only while one is computed.
 * While it is idle it may lose its state in the thread, or the thread itself; it then reopens after its last result.
 * Disposal takes effect at once, also for a pending result; a late response is dropped. A failed read stays failed.
 */

import { Refusal } from '../platform/refusal.ts';
import type { ComputeThread } from './compute-thread.ts';
import type { IdleRead } from './idle-reads.ts';
import type { Entering } from './read-admission.ts';

/** What is read, and how. */
export interface ReadPlan<Argument, Result> {
  readonly account: string;
  readonly signal: AbortSignal | undefined;
  /** Whether it counts as running until it is closed. */
  readonly isAtOnce: boolean;
  /** As `IdleRead.weight`. */
  readonly weight: number;
  /** The name of the computation: the same is best computed in the same thread again. */
  readonly home: string | null;
  /** Opens after the last result taken, or at the start. */
  open(thread: ComputeThread, read: number): Promise<Opened<Result>>;
  /** Receives the opened inputs; throws if they differ from the earlier ones. */
  opened(inputs: string): void;
  ask(thread: ComputeThread, read: number, argument: Argument): Promise<Result>;
  took(result: Result): void;
}

/** The response to an opening. */
interface Opened<Result> {
  readonly inputs: string;
  /** The first result, if it need not be computed. */
  readonly first: Result | null;
}

/** The functions of the pool that a read uses. */
export interface ReadHost {
  enter(entering: Entering): Promise<void>;
  leave(account: string, keepsSeat: boolean): void;
  giveUpSeat(account: string): void;
  /** A thread for a new read, with its number. */
  place(home: string | null): OpenRead;
  runs(thread: ComputeThread): boolean;
  idle(read: IdleRead): void;
  notIdle(read: IdleRead): void;
  begun(): void;
  over(end: ReadEnd): void;
}

/** How a read ended. */
export interface ReadEnd {
  readonly hasBegun: boolean;
  /** By the caller. */
  readonly isCancelled: boolean;
  readonly reason: unknown;
}

/** The read's state in a thread. */
export interface OpenRead {
  readonly thread: ComputeThread;
  readonly read: number;
}

export class PooledRead<Argument, Result> implements IdleRead, AsyncDisposable {
  readonly account: string;
  readonly weight: number;
  readonly #plan: ReadPlan<Argument, Result>;
  readonly #host: ReadHost;
  readonly #closing = new AbortController();
  readonly #abort = () => this.#close(this.#plan.signal!.reason);
  #open: OpenRead | null = null;
  /** A result that came with the opening, for the next pull. */
  #first: Result | null = null;
  #asked: PromiseWithResolvers<never> | null = null;
  #isPulling = false;
  #hasBegun = false;
  /** Whether it counts as running between two results. */
  #isSeated = false;
  #hasPlace = false;

  private constructor(plan: ReadPlan<Argument, Result>, host: ReadHost) {
    this.account = plan.account;
    this.weight = plan.weight;
    this.#plan = plan;
    this.#host = host;
    plan.signal?.addEventListener('abort', this.#abort);
  }

  /** Rejects if no further read may begin. */
  static async begin<Argument, Result>(
    plan: ReadPlan<Argument, Result>,
    host: ReadHost,
  ): Promise<PooledRead<Argument, Result>> {
    const read = new PooledRead(plan, host);
    if (plan.signal?.aborted === true) read.#abort();
    await read.#work(async () => {
      read.#hasBegun = true;
      host.begun();
      await read.#reopen();
    });
    return read;
  }

  async next(argument: Argument): Promise<Result> {
    if (this.#isPulling) throw new Error('one result at a time');
    this.#isPulling = true;
    try {
      const result = await this.#pull(argument);
      this.#plan.took(result);
      return result;
    } finally {
      this.#isPulling = false;
    }
  }

  park(): void {
    const open = this.#open;
    this.#open = null;
    if (open === null) return;
    open.thread.open -= 1;
    open.thread.tell({ t: 'close', read: open.read });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close(new Refusal({ t: 'closed' }));
  }

  /** Works while holding a slot; a failure ends the read. */
  async #work<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.#closing;
    const [hasBegun, wasSeated] = [this.#hasBegun, this.#isSeated];
    try {
      await this.#host.enter({ account: this.account, hasBegun, isSeated: wasSeated, signal });
      if (!wasSeated) this.#isSeated = true;
      this.#hasPlace = true;
      this.#host.notIdle(this);
      try {
        // The read may have been closed while it waited.
        signal.throwIfAborted();
        return await work();
      } finally {
        this.#leave();
      }
    } catch (error) {
      this.#close(error);
      throw error;
    }
  }

  #leave(): void {
    const isOver = this.#closing.signal.aborted;
    const keepsSeat = this.#plan.isAtOnce && !isOver;
    const givesSeatUp = this.#isSeated && !keepsSeat;
    this.#isSeated = keepsSeat;
    this.#hasPlace = false;
    this.#host.leave(this.account, !givesSeatUp);
    if (!isOver && this.#open !== null) this.#host.idle(this);
  }

  async #reopen(): Promise<void> {
    if (this.#open !== null) this.park();
    const open = this.#host.place(this.#plan.home);
    open.thread.open += 1;
    this.#open = open;
    const { inputs, first } = await this.#answered(this.#plan.open(open.thread, open.read));
    this.#plan.opened(inputs);
    this.#first = first;
  }

  async #pull(argument: Argument): Promise<Result> {
    const { signal } = this.#closing;
    if (this.#first !== null) {
      signal.throwIfAborted();
      return this.#takeFirst()!;
    }
    return await this.#work(async () => {
      if (this.#open === null || !this.#host.runs(this.#open.thread)) await this.#reopen();
      const { thread, read } = this.#open!;
      return this.#takeFirst() ?? (await this.#answered(this.#plan.ask(thread, read, argument)));
    });
  }

  #takeFirst(): Result | null {
    const first = this.#first;
    this.#first = null;
    return first;
  }

  async #answered<T>(answer: Promise<T>): Promise<T> {
    const asked = Promise.withResolvers<never>();
    this.#asked = asked;
    try {
      return await Promise.race([answer, asked.promise]);
    } finally {
      this.#asked = null;
    }
  }

  #close(reason: unknown): void {
    if (this.#closing.signal.aborted) return;
    const { signal } = this.#plan;
    this.#closing.abort(reason);
    signal?.removeEventListener('abort', this.#abort);
    this.#host.notIdle(this);
    this.park();
    this.#asked?.reject(reason);
    // A read that holds a slot gives both up together.
    if (this.#isSeated && !this.#hasPlace) {
      this.#isSeated = false;
      this.#host.giveUpSeat(this.account);
    }
    this.#host.over({ hasBegun: this.#hasBegun, isCancelled: signal?.aborted === true, reason });
  }
}
