/**
 * Reads foreign files in a thread that can be ended. A damaged or hostile file costs at most a bounded memory and a
 * bounded time without progress; then it is rejected with the position that was being read. The thread reads one file
 * after another, and is started again after it was ended.
 */

import { Worker, type WorkerOptions } from 'node:worker_threads';
import { MIB } from '@tapeloom/core/units';
import { Thread } from '../../platform/threads/thread.ts';
import type { DefinitionPiece } from '../dbn/definition-file.ts';
import { FeedError, type FeedTrades } from '../feed-trades.ts';
import type { FeedHints, OpenFeed } from '../open-feed.ts';
import { printedText } from '../printed-text.ts';
import { fromRefusal } from './feed-refusal.ts';
import type { CopiedTrades, FeedShape, FeedState } from './feed-wire.ts';

export interface FeedLimits {
  /** The limit of the thread's JavaScript heap. The readers bound buffers. */
  readonly heapBytes: number;
  readonly checkMs: number;
  /** After this many consecutive checks without a sign of life, the thread is ended. */
  readonly silentChecks: number;
  /** Replaces the start of the worker in tests. */
  readonly start?: (options: WorkerOptions) => Worker;
}

export const FEED_LIMITS: FeedLimits = {
  heapBytes: 768 * MIB,
  checkMs: 10_000,
  silentChecks: 6,
};
/** The size of a definition in the thread, which gets a copy of all. */
const DEFINITION_BYTES = 512;

export interface GuardedFeed extends OpenFeed, AsyncDisposable {
  bytesRead(): number;
}

interface Running {
  readonly thread: Thread<FeedShape>;
  readonly alive: Int32Array;
  place: string | null;
}

export class FeedThread implements AsyncDisposable {
  readonly #signal: AbortSignal;
  readonly #limits: FeedLimits;
  readonly #onAbort = () => void this.#end();
  #running: Running | null = null;
  /** Why this side ended the thread; null otherwise. */
  #ended: Error | null = null;

  /** If the signal aborts, a read in progress rejects with its reason. */
  constructor(signal: AbortSignal, limits: FeedLimits = FEED_LIMITS) {
    this.#signal = signal;
    this.#limits = limits;
    signal.addEventListener('abort', this.#onAbort);
  }

  /** As `openFeed`, for a file of `size` bytes; ends the previous feed. */
  async open(path: string, size: number, hints: FeedHints): Promise<GuardedFeed> {
    this.#running ??= this.#start(hints.definitions?.length ?? 0);
    this.#running.place = null;
    const found = await this.#watched((thread) => thread.call('open', path, size, hints));
    const known = new KnownFeed();
    return {
      ...found,
      ...known.feed,
      trades: () => this.#trades(known),
      [Symbol.asyncDispose]: async () => {
        if (this.#running !== null) await this.#watched((thread) => thread.call('close'));
      },
    };
  }

  /** The definitions of a DBN file of `size` bytes. If it rejects, none of them may be used. */
  async *definitions(path: string, size: number): AsyncGenerator<DefinitionPiece> {
    this.#running ??= this.#start(0);
    this.#running.place = null;
    await this.#watched((thread) => thread.call('openDefinitions', path, size));
    for (;;) {
      const piece = await this.#watched((thread) => thread.call('nextDefinitions'));
      if (piece === null) return;
      yield piece;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal.removeEventListener('abort', this.#onAbort);
    await this.#end();
  }

  /** Reads the next batch while the caller uses this one. */
  async *#trades(known: KnownFeed): AsyncGenerator<FeedTrades> {
    let coming = this.#next();
    for (;;) {
      const { batch, state } = await coming;
      known.learn(state);
      if (batch === null) return;
      coming = this.#next();
      // A caller that stops here never awaits it.
      coming.catch(() => null);
      yield tradesOf(batch);
    }
  }

  async #next() {
    return await this.#watched((thread) => thread.call('next'));
  }

  async #watched<Value>(call: (thread: Thread<FeedShape>) => Promise<Value>): Promise<Value> {
    this.#signal.throwIfAborted();
    const running = this.#running;
    if (running === null) throw this.#ended ?? new FeedError('The file is no longer open.');
    const { checkMs, silentChecks } = this.#limits;
    let seen = Atomics.load(running.alive, 0);
    let silent = 0;
    const watch = setInterval(() => {
      const now = Atomics.load(running.alive, 0);
      // Until the thread has started, the file is not the cause of a delay.
      silent = now === seen && now !== 0 ? silent + 1 : 0;
      seen = now;
      if (silent < silentChecks) return;
      clearInterval(watch);
      this.#ended = stuck(running.place, checkMs * silentChecks);
      void this.#end();
    }, checkMs);
    try {
      return await call(running.thread);
    } catch (error) {
      this.#signal.throwIfAborted();
      throw error;
    } finally {
      clearInterval(watch);
    }
  }

  #start(definitions: number): Running {
    const alive = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const heapBytes = this.#limits.heapBytes + definitions * DEFINITION_BYTES;
    const { start = startFeedWorker } = this.#limits;
    const worker = start({
      name: 'feed',
      workerData: { alive },
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(heapBytes / MIB) },
    });
    this.#ended = null;
    const running: Running = {
      alive,
      place: null,
      thread: new Thread<FeedShape>(worker, {
        name: 'the reader',
        hear: (place) => {
          running.place = place;
        },
        errorOf: fromRefusal,
        goneError: (cause) => gone(cause, running.place, heapBytes),
        closedError: () => this.#ended ?? new FeedError('The file is no longer open.'),
        onGone: (cause) => {
          this.#ended = gone(cause, running.place, heapBytes);
          this.#running = null;
        },
      }),
    };
    return running;
  }

  async #end(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.thread[Symbol.asyncDispose]();
  }
}

function startFeedWorker(options: WorkerOptions): Worker {
  return new Worker(new URL('./feed-worker.ts', import.meta.url), options);
}

/** The state of the feed as reported by the thread. */
class KnownFeed {
  readonly #names: (readonly string[])[] = [];
  readonly #skipped: (string | null)[] = [];
  #state: FeedState | null = null;

  readonly feed = {
    format: () => this.#state?.format ?? '',
    instrumentCount: () => this.#names.length,
    nameOf: (index: number) => printedText(this.#names[index]![0]!),
    namesOf: (index: number) => this.#names[index]!,
    skippedAs: (index: number) => this.#skipped[index]!,
    counts: () => this.#state?.counts ?? new Map<string, number>(),
    said: () => this.#state?.said ?? null,
    bytesRead: () => this.#state?.bytesRead ?? 0,
  };

  learn(state: FeedState): void {
    this.#state = state;
    const { namesFrom, names, skipped } = state;
    for (const [index, own] of names.entries()) {
      this.#names[namesFrom + index] = own;
      this.#skipped[namesFrom + index] = skipped[index]!;
    }
  }
}

function tradesOf({ rows, ...columns }: CopiedTrades): FeedTrades {
  return { ...columns, rowOf: (index) => rows[index]! };
}

function gone(cause: Error, place: string | null, heapBytes: number): FeedError {
  const isMemory = 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const why = isMemory
    ? `reading it needs more than ${Math.ceil(heapBytes / MIB)} MiB of memory`
    : printedText(cause.message);
  return new FeedError(`The file cannot be read${at(place)}: ${why}. It is probably damaged.`);
}

function stuck(place: string | null, ms: number): FeedError {
  return new FeedError(
    `The file cannot be read${at(place)}: for ${ms / 1_000} s there was no progress. It is probably damaged.`,
  );
}

function at(place: string | null): string {
  return place === null ? '' : ` at ${place.charAt(0).toLowerCase()}${place.slice(1)}`;
}
