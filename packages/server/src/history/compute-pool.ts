/**
 * The compute threads, as one: settled days, replays and what is known of the tape. A read is placed on
 * the least busy thread, or on the one that may have it half done (`held-days.ts`), and stays there; inside
 * a thread accounts take turns (`fair-turns.ts`). How many reads are open and how many wait is limited, in
 * all and for one account, so nobody can take all room.
 * Nothing is computed before it is asked for, and what is no longer wanted stops within a turn.
 *
 * A thread that dies takes its reads with it, and nothing else: it is replaced, the more slowly the sooner
 * it died, while the others serve.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { ComputeClosedError, ComputeFullError } from './compute-errors.ts';
import { ComputeHandle, type ComputeThread, RETRY_AFTER_SECONDS } from './compute-handle.ts';
import type {
  ComputeCallName,
  ComputeCalls,
  ComputeRequest,
  ToComputeThread,
} from './compute-wire.ts';
import { type AdmissionLimits, ReadAdmission } from './read-admission.ts';
import { RemoteRead } from './remote-read.ts';
import type { CursorPlace, Replay, ReplayRequest, Replays } from './replay.ts';
import { ReplayClosedError, ReplaysFullError } from './replay-errors.ts';
import type { TradingSessions } from './session-tables.ts';
import type {
  Coverage,
  CoveredStudy,
  DaysRead,
  SettledDays,
  SettledDaysRequest,
} from './settled-days.ts';
import { ReadClosedError } from './settled-errors.ts';

export interface ComputeLimits extends AdmissionLimits {
  /** Open reads of one thread. */
  readonly openPerThread: number;
  /** Calls of one thread that are not answered. */
  readonly callsPerThread: number;
}

const COMPUTE_LIMITS: ComputeLimits = {
  openPerThread: 64,
  openPerAccount: 32,
  waiting: 256,
  waitingPerAccount: 64,
  waitMs: 10_000,
  callsPerThread: 1_024,
};

/** A thread that lived so long is replaced at once. */
const SOUND_LIFE_MS = 60_000;
/** The wait before a thread is replaced doubles from the first to the last. */
const REPLACED_AFTER_MS = { first: 1_000, last: 60_000 } as const;

/** Threads that are remembered by what they computed. */
const HOMES_MAX = 1_024;
/** A thread that computed the same before is preferred, busier by so many reads and calls at most. */
const BUSIER_MAX = 1;

/** How many threads compute on a machine with so many cores. */
export function computeThreadsFor(cores: number): number {
  return Math.max(1, cores - 1);
}

export interface ComputePoolOptions {
  readonly threads: number;
  /** With the newest sessions, and a line to the tape of its own. */
  readonly startThread: () => ComputeThread;
  /** A read failed, or a thread died (then without a request). */
  readonly onFault: (error: unknown, request: ComputeRequest | null) => void;
  readonly limits?: Partial<ComputeLimits>;
}

export interface ComputeCounts {
  readonly threads: number;
  readonly open: number;
  readonly waiting: number;
  readonly calls: number;
  readonly damagedDays: number;
  /** Since the start, as the following. */
  readonly threadsLost: number;
  /** Reads and questions for which there was no room. */
  readonly refused: number;
  /** Reads that were given up by who asked for them. */
  readonly cancelled: number;
}

/** A thread that runs. */
interface Place {
  readonly handle: ComputeHandle;
  readonly startedMs: number;
  open: number;
}

export class ComputePool implements SettledDays, Replays, AsyncDisposable {
  readonly #options: ComputePoolOptions;
  readonly #limits: ComputeLimits;
  readonly #admission: ReadAdmission<Place>;
  readonly #places = new Set<Place>();
  /** Which thread last computed what; those used last are last. */
  readonly #homes = new Map<string, Place>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #replacedAfterMs = 0;
  /** Sealed days that turned out to be damaged: contract and day. */
  readonly #damaged = new Set<string>();
  #lost = 0;
  #refused = 0;
  #cancelled = 0;
  #lastRead = 0;
  #isOver = false;

  constructor(options: ComputePoolOptions) {
    this.#options = options;
    this.#limits = { ...COMPUTE_LIMITS, ...options.limits };
    this.#admission = new ReadAdmission(this.#limits, (preferred) => this.#takePlace(preferred));
    for (let count = 0; count < options.threads; count += 1) this.#start();
  }

  get counts(): ComputeCounts {
    const places = [...this.#places];
    return {
      threads: places.length,
      open: places.reduce((sum, { open }) => sum + open, 0),
      waiting: this.#admission.waitingCount,
      calls: places.reduce((sum, { handle }) => sum + handle.callCount, 0),
      damagedDays: this.#damaged.size,
      threadsLost: this.#lost,
      refused: this.#refused,
      cancelled: this.#cancelled,
    };
  }

  async locate(contract: string, cursor: string, seenUntil: EpochNs | null): Promise<CursorPlace> {
    return await this.#ask('locate', { contract, cursor, seenUntil });
  }

  async coverage(
    contract: string,
    from: EpochNs,
    to: EpochNs,
    study: CoveredStudy | null = null,
  ): Promise<Coverage> {
    return await this.#ask('coverage', { contract, from, to, study });
  }

  async tradesAfter(contract: string, after: string, to: EpochNs): Promise<number> {
    return await this.#ask('tradesAfter', { contract, after, to });
  }

  /** Once the signal is aborted, the read is disposed of; also while it waits to be opened. */
  async read(request: SettledDaysRequest, signal?: AbortSignal): Promise<DaysRead> {
    const { account } = request;
    const closedError = () => new ReadClosedError();
    const home = homeOf(request);
    const preferred = this.#homes.get(home);
    const read = await this.#open({ account, signal, closedError, preferred }, (place, number) => {
      this.#noteHome(home, place);
      return {
        opened: place.handle.call('openDays', { read: number, request }),
        ask: () => place.handle.call('nextDay', { read: number }),
      };
    });
    return { next: () => read.next(undefined), [Symbol.asyncDispose]: disposing(read) };
  }

  /** As `read` does. When there is no room it rejects with `ReplaysFullError`. */
  async open(request: ReplayRequest, signal?: AbortSignal): Promise<Replay> {
    const { account = '' } = request;
    const closedError = () => new ReplayClosedError();
    try {
      const opening = { account, signal, closedError, preferred: undefined };
      const read = await this.#open(opening, (place, number) => ({
        opened: place.handle.call('openReplay', { read: number, request }),
        ask: (until: EpochNs | null) => place.handle.call('nextPage', { read: number, until }),
      }));
      return {
        next: (until) => read.next(until ?? null),
        [Symbol.asyncDispose]: disposing(read),
      };
    } catch (error) {
      if (!(error instanceof ComputeFullError)) throw error;
      throw new ReplaysFullError(error.message, error.retryAfterSeconds);
    }
  }

  /** Session books grow as time goes on; sessions that have opened never change. */
  updateSessions(sessions: TradingSessions): void {
    this.#tellAll({ t: 'sessions', sessions });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    this.#admission.close(new ComputeClosedError());
    await Promise.all([...this.#places].map(({ handle }) => handle[Symbol.asyncDispose]()));
    this.#places.clear();
  }

  async #ask<Name extends ComputeCallName>(
    name: Name,
    of: ComputeCalls[Name]['of'],
  ): Promise<ComputeCalls[Name]['answer']> {
    this.#refuseWhenOver();
    const place = this.#leastBusy(Number.POSITIVE_INFINITY);
    if (place === null || place.handle.callCount >= this.#limits.callsPerThread) {
      this.#refused += 1;
      throw new ComputeFullError('too much is asked at once', RETRY_AFTER_SECONDS);
    }
    return await this.#noting(place.handle.call(name, of).promise);
  }

  /** Counts why it is not done. */
  async #noting<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof ComputeFullError) this.#refused += 1;
      else if (signal?.aborted === true) this.#cancelled += 1;
      throw error;
    }
  }

  async #open<Argument, Result>(
    { account, signal, closedError, preferred }: Opening,
    begin: (place: Place, number: number) => Beginning<Argument, Result>,
  ): Promise<RemoteRead<Argument, Result>> {
    this.#refuseWhenOver();
    const place = await this.#noting(this.#admission.admit(account, signal, preferred), signal);
    this.#lastRead += 1;
    const number = this.#lastRead;
    const { opened, ask } = begin(place, number);
    const close = () => {
      place.handle.post({ t: 'close', read: number });
      // Who closes it before it is open waits for the opening no longer.
      opened.reject(signal?.reason ?? closedError());
      if (signal?.aborted === true) this.#cancelled += 1;
      place.open -= 1;
      this.#admission.leave(account);
    };
    const read = new RemoteRead({ ask, close, closedError, signal });
    try {
      await opened.promise;
      return read;
    } catch (error) {
      if (error instanceof ComputeFullError) this.#refused += 1;
      await read[Symbol.asyncDispose]();
      throw error;
    }
  }

  #takePlace(preferred?: Place): Place | null {
    const { openPerThread } = this.#limits;
    const least = this.#leastBusy(openPerThread);
    if (least === null) return null;
    const isBetter =
      preferred !== undefined &&
      this.#places.has(preferred) &&
      preferred.open < openPerThread &&
      preferred.open <= least.open + BUSIER_MAX &&
      preferred.handle.callCount <= least.handle.callCount + BUSIER_MAX;
    const place = isBetter ? preferred : least;
    place.open += 1;
    return place;
  }

  #noteHome(home: string, place: Place): void {
    this.#homes.delete(home);
    if (this.#homes.size >= HOMES_MAX) this.#homes.delete(this.#homes.keys().next().value!);
    this.#homes.set(home, place);
  }

  /** Of the threads with less than so many open reads. */
  #leastBusy(openMax: number): Place | null {
    let least: Place | null = null;
    for (const place of this.#places) {
      if (place.open >= openMax) continue;
      if (least === null || isLessBusy(place, least)) least = place;
    }
    return least;
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
      ended: (cause) => this.#replace(place, cause),
    });
    const place: Place = { handle, startedMs: performance.now(), open: 0 };
    this.#places.add(place);
    this.#admission.retry();
  }

  #replace(place: Place, cause: unknown): void {
    this.#places.delete(place);
    for (const [home, one] of this.#homes) if (one === place) this.#homes.delete(home);
    if (this.#isOver) return;
    this.#lost += 1;
    this.#options.onFault(cause, null);
    this.#startLater(performance.now() - place.startedMs);
  }

  #startLater(livedMs: number): void {
    const { first, last } = REPLACED_AFTER_MS;
    this.#replacedAfterMs =
      livedMs >= SOUND_LIFE_MS ? 0 : Math.min(last, Math.max(first, this.#replacedAfterMs * 2));
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#start();
    }, this.#replacedAfterMs);
    this.#restarts.add(timer);
  }

  #noteDamaged(contract: string, day: UtcDay): void {
    this.#damaged.add(`${contract} ${day}`);
    this.#tellAll({ t: 'damaged', contract, day });
  }

  #tellAll(message: ToComputeThread): void {
    for (const { handle } of this.#places) handle.post(message);
  }

  #refuseWhenOver(): void {
    if (this.#isOver) throw new ComputeClosedError();
  }
}

/** Who opens a read, and where it would best be. */
interface Opening {
  readonly account: string;
  readonly signal: AbortSignal | undefined;
  readonly closedError: () => Error;
  readonly preferred: Place | undefined;
}

interface Beginning<Argument, Result> {
  readonly opened: PromiseWithResolvers<null>;
  readonly ask: (argument: Argument) => PromiseWithResolvers<Result>;
}

function disposing(read: AsyncDisposable): () => Promise<void> {
  return async () => await read[Symbol.asyncDispose]();
}

function isLessBusy(one: Place, other: Place): boolean {
  const [calls, otherCalls] = [one.handle.callCount, other.handle.callCount];
  return calls === otherCalls ? one.open < other.open : calls < otherCalls;
}

function homeOf({ contract, indicator, params }: SettledDaysRequest): string {
  return JSON.stringify([contract, indicator, params]);
}
