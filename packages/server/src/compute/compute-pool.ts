/**
 * All compute threads behind one interface: settled days, replays and facts about the tape. A read holds a slot only
 * while it computes one result (`read-admission.ts`), so a slow consumer holds up no other. Running reads and the
 * memory of idle reads (`idle-reads.ts`) are limited by account and in all; inside a thread accounts take turns
 * (`fair-turns.ts`). Results are computed on request only; cancelled work stops within a turn. A dying thread takes
 * only its current work with it.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { Refusal, SCARCE, type Scarce, scarceFor } from '../platform/refusal.ts';
import type { Answer, CallArgs, CallName } from '../platform/threads/thread.ts';
import type {
  DaysPage,
  DaysRead,
  SettledDays,
  SettledDaysRequest,
} from '../results/settled-days.ts';
import type { Cover, CoverRequest } from '../runs/cover.ts';
import type { CursorPlace, Replay, ReplayPage, ReplayRequest, Replays } from '../runs/replay.ts';
import type { TradingSessions } from '../runs/session-tables.ts';
import type { TapeDay } from '../tape/tape.ts';
import { ComputeThreads, type ComputeThreadsOptions } from './compute-threads.ts';
import type { ComputeShape, ContractDay } from './compute-wire.ts';
import { type IdleLimits, IdleReads } from './idle-reads.ts';
import { type OpenRead, PooledRead, type ReadEnd, type ReadHost } from './pooled-read.ts';
import { type AdmissionLimits, ReadAdmission } from './read-admission.ts';

export interface ComputeLimits extends AdmissionLimits {
  /** Running reads of each thread. */
  readonly workingPerThread: number;
  /** Of one account: a thread computes one read and compresses another; more would only hold memory. */
  readonly workingPerAccountAndThread: number;
  /** The memory of idle reads, by weight; `allMax` applies to each thread. */
  readonly idle: IdleLimits;
  /** Pending calls of one thread. `locate` gets half of them: a stream retries it, a page is rejected. */
  readonly callsPerThread: number;
}

export const COMPUTE_LIMITS: ComputeLimits = {
  workingPerThread: 24,
  workingPerAccountAndThread: 2,
  workingPerAccount: 8,
  keptForNewPercent: 33,
  waiting: 256,
  waitingPerAccount: 64,
  waitingKeptForNew: 64,
  waitMs: 10_000,
  idle: { eachMax: 32, allMax: 64 },
  callsPerThread: 1_024,
};

/**
 * A read of days holds decoded trades and the packed results of its day, a replay little besides its study. A parked
 * read finds its results again in its thread (`day-logs.ts`).
 */
const IDLE_WEIGHTS = { days: 16, replay: 1 } as const;

/** More threads would wait for the main thread, which sends their results; each one costs files and memory. */
const THREADS_MAX = 24;

/** The number of compute threads for a machine with so many cores. */
export function computeThreadsFor(cores: number): number {
  return Math.max(1, Math.min(THREADS_MAX, cores - 1));
}

export interface ComputePoolOptions extends ComputeThreadsOptions {
  readonly limits?: Partial<ComputeLimits>;
}

export interface ComputeCounts {
  readonly threads: number;
  /** Reads that have begun and not ended. */
  readonly open: number;
  /** Open or beginning reads that hold a slot. */
  readonly working: number;
  readonly waiting: number;
  /** Reads that are open in a thread and not being pulled. */
  readonly idle: number;
  readonly calls: number;
  /** Since the start, like the following counts. */
  readonly threadsLost: number;
  /** Rejected reads and calls, by the exhausted limit. */
  readonly refused: Readonly<Record<Scarce, number>>;
  /** Reads that the caller cancelled. */
  readonly cancelled: number;
  /** Idle reads that lost their state in a thread. */
  readonly parked: number;
}

export class ComputePool implements SettledDays, Replays, AsyncDisposable {
  readonly #limits: ComputeLimits;
  readonly #threads: ComputeThreads;
  readonly #admission: ReadAdmission;
  /** Imports by contract: a replay that was opened before an import must not resume after it. */
  readonly #imports = new Map<string, number>();
  /** Until it resolves, threads may read different imports, so no new call or read begins. */
  #refreshed: Promise<unknown> = Promise.resolve();
  readonly #idle: IdleReads;
  readonly #host: ReadHost;
  readonly #refused = Object.fromEntries(Object.keys(SCARCE).map((what) => [what, 0])) as Record<
    Scarce,
    number
  >;
  #open = 0;
  #cancelled = 0;
  #lastRead = 0;
  #isOver = false;

  constructor(options: ComputePoolOptions) {
    this.#limits = { ...COMPUTE_LIMITS, ...options.limits };
    const { workingPerThread, workingPerAccountAndThread, idle } = this.#limits;
    this.#threads = new ComputeThreads(options, () => this.#admission.retry());
    this.#admission = new ReadAdmission(
      this.#limits,
      () => ({
        all: workingPerThread * this.#threads.count,
        ofAccount: workingPerAccountAndThread * this.#threads.count,
      }),
      options.timers,
    );
    this.#idle = new IdleReads(idle, () => this.#threads.count);
    this.#host = this.#hostOfReads();
  }

  get counts(): ComputeCounts {
    return {
      threads: this.#threads.count,
      open: this.#open,
      working: this.#admission.workingCount,
      waiting: this.#admission.waitingCount,
      idle: this.#idle.count,
      calls: this.#threads.callCount,
      threadsLost: this.#threads.lostCount,
      refused: { ...this.#refused },
      cancelled: this.#cancelled,
      parked: this.#idle.parkedCount,
    };
  }

  async locate(contract: string, cursor: string, seenUntil: EpochNs | null): Promise<CursorPlace> {
    return await this.#ask('locate', contract, cursor, seenUntil);
  }

  async cover(asked: CoverRequest, visible: EpochNs): Promise<Cover> {
    return await this.#ask('cover', asked, visible);
  }

  async daysOf(contracts: readonly string[]): Promise<readonly (readonly TapeDay[])[]> {
    return await this.#ask('daysOf', contracts);
  }

  async daysVersions(contracts: readonly string[]): Promise<readonly (string | null)[]> {
    return await this.#ask('daysVersions', contracts);
  }

  /** An aborted signal disposes of the read, also while it waits to begin. */
  async read(request: SettledDaysRequest, signal?: AbortSignal): Promise<DaysRead> {
    this.#refuseWhenOver();
    const { account, isAtOnce = false } = request;
    let rest = request;
    let isOver = false;
    let inputs: string | null = null;
    const read = await PooledRead.begin<undefined, DaysPage | null>(
      {
        account,
        signal,
        isAtOnce,
        weight: IDLE_WEIGHTS.days,
        home: homeOf(request),
        open: async (thread, number) => {
          await this.#refreshed;
          const { inputs: answer, kept: first } = await thread.call('openDays', number, rest);
          return { inputs: answer, first };
        },
        opened: (answer) => {
          inputs ??= answer;
          if (answer !== inputs) throw new Refusal({ t: 'outdated' });
        },
        ask: (thread, number) => thread.call('nextDay', number),
        took: (page) => {
          isOver = page === null || page.isLast;
          if (page !== null) rest = restAfter(rest, page);
        },
      },
      this.#host,
    );
    return {
      next: async () => (isOver ? null : await read.next(undefined)),
      [Symbol.asyncDispose]: disposing(read),
    };
  }

  /** The signal works as for `read`. */
  async open(request: ReplayRequest, signal?: AbortSignal): Promise<Replay> {
    this.#refuseWhenOver();
    const { account = '', isAtOnce = false, contract } = request;
    const importsBefore = this.#importsOf(contract);
    let reached = request;
    const read = await PooledRead.begin<EpochNs | null, ReplayPage>(
      {
        account,
        signal,
        isAtOnce,
        weight: IDLE_WEIGHTS.replay,
        home: null,
        open: async (thread, number) => {
          await this.#refreshed;
          await thread.call('openReplay', number, reached);
          return { inputs: '', first: null };
        },
        opened: () => {
          if (this.#importsOf(contract) !== importsBefore) throw new Refusal({ t: 'outdated' });
        },
        ask: (thread, number, until) => {
          if (until !== null && until > reached.until) reached = { ...reached, until };
          return thread.call('nextPage', number, until);
        },
        took: ({ position }) => {
          reached = { ...reached, from: { t: 'after', cursor: position } };
        },
      },
      this.#host,
    );
    return {
      next: (until) => read.next(until ?? null),
      [Symbol.asyncDispose]: disposing(read),
    };
  }

  /** Session books grow as time goes on; sessions that have opened never change. */
  updateSessions(sessions: TradingSessions): void {
    this.#threads.tellAll({ t: 'sessions', sessions });
  }

  /** A reader found a day damaged, or its files are sound again. */
  noteDamaged(contract: string, day: UtcDay, isDamaged: boolean): void {
    this.#threads.noteDamaged(contract, day, isDamaged);
  }

  /** An import changed these days of a dataset. Calls and reads from now on see the new days. */
  refresh(dataset: string, days: readonly ContractDay[]): void {
    for (const contract of new Set(days.map((one) => one.contract))) {
      this.#imports.set(contract, this.#importsOf(contract) + 1);
    }
    this.#refreshed = Promise.all([this.#refreshed, this.#threads.refresh(dataset, days)]);
  }

  /** Resolves when all threads read the newest import. */
  async refreshed(): Promise<void> {
    await this.#refreshed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#admission.close(new Refusal({ t: 'shut-down' }));
    await this.#threads[Symbol.asyncDispose]();
  }

  #importsOf(contract: string): number {
    return this.#imports.get(contract) ?? 0;
  }

  async #ask<N extends CallName<ComputeShape>>(
    name: N,
    ...args: CallArgs<ComputeShape, N>
  ): Promise<Answer<ComputeShape, N>> {
    this.#refuseWhenOver();
    await this.#refreshed;
    const thread = this.#threads.leastBusy();
    const { callsPerThread } = this.#limits;
    const callsMax = name === 'locate' ? callsPerThread / 2 : callsPerThread;
    try {
      if (thread === null || thread.callCount >= callsMax) {
        throw new Refusal({ t: 'full', what: 'questions' });
      }
      return await thread.call(name, ...args);
    } catch (error) {
      this.#noteRefused(error);
      throw error;
    }
  }

  #hostOfReads(): ReadHost {
    return {
      enter: async (entering) => {
        this.#refuseWhenOver();
        await this.#admission.enter(entering);
      },
      leave: (account, keepsSeat) => this.#admission.leave(account, keepsSeat),
      giveUpSeat: (account) => this.#admission.giveUpSeat(account),
      place: (home) => this.#place(home),
      runs: (thread) => this.#threads.runs(thread),
      idle: (read) => this.#idle.add(read),
      notIdle: (read) => this.#idle.remove(read),
      begun: () => {
        this.#open += 1;
      },
      over: (end) => this.#noteEnd(end),
    };
  }

  #place(home: string | null): OpenRead {
    const thread = this.#threads.homeFor(home);
    if (thread === null) {
      throw new Refusal({ t: 'full', what: 'thread' });
    }
    this.#lastRead += 1;
    return { thread, read: this.#lastRead };
  }

  #noteEnd({ hasBegun, isCancelled, reason }: ReadEnd): void {
    if (hasBegun) this.#open -= 1;
    if (isCancelled) this.#cancelled += 1;
    else this.#noteRefused(reason);
  }

  #noteRefused(error: unknown): void {
    const what = scarceFor(error);
    if (what !== null) this.#refused[what] += 1;
  }

  #refuseWhenOver(): void {
    if (this.#isOver) throw new Refusal({ t: 'shut-down' });
  }
}

function disposing(read: AsyncDisposable): () => Promise<void> {
  return async () => await read[Symbol.asyncDispose]();
}

function homeOf({ contract, indicator, params }: SettledDaysRequest): string {
  return JSON.stringify([contract, indicator, params]);
}

/** The rest of a request after a page. */
function restAfter(request: SettledDaysRequest, { parts, position }: DaysPage): SettledDaysRequest {
  const counted = parts.reduce((sum, { skipped, updates }) => sum + skipped + updates, 0);
  return { ...request, after: position, skip: Math.max(0, (request.skip ?? 0) - counted) };
}
