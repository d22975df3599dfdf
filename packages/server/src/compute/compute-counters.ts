/**
 * Counts of the compute threads in memory that the main thread reads: no requests are needed, and the counts survive
 * their thread. Each memory has one writer, so no count is lost.
 */

import { CACHE_COUNTS, type CacheCounters } from '../results/result-cache.ts';

/** Upper bounds of the histogram of turns. */
const TURN_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5] as const;

const TURNS_AT = CACHE_COUNTS.length;
/** One bucket more: turns longer than all bounds. */
const TURN_MS_AT = TURNS_AT + TURN_SECONDS.length + 1;
const SLOTS = TURN_MS_AT + 1;

/** The counts of one thread. */
export class ThreadCounters {
  readonly memory: SharedArrayBuffer;
  readonly cache: CacheCounters;
  readonly #slots: Float64Array;

  /** Without `memory` the counts are private. */
  constructor(memory = new SharedArrayBuffer(SLOTS * Float64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    const slots = new Float64Array(memory);
    this.#slots = slots;
    const cache = {};
    for (const [at, name] of CACHE_COUNTS.entries()) {
      Object.defineProperty(cache, name, {
        enumerable: true,
        get: () => slots[at],
        set: (value: number) => {
          slots[at] = value;
        },
      });
    }
    this.cache = cache as CacheCounters;
  }

  countTurn(ms: number): void {
    const bucket = TURN_SECONDS.findIndex((seconds) => ms <= seconds * 1_000);
    this.#slots[TURNS_AT + (bucket < 0 ? TURN_SECONDS.length : bucket)]! += 1;
    this.#slots[TURN_MS_AT]! += ms;
  }
}

/** A cumulative histogram of turns by length. */
export interface TurnTotals {
  readonly buckets: Readonly<Record<string, number>>;
  readonly count: number;
  /** In seconds. */
  readonly sum: number;
}

/** The counts of all threads, past and present. */
export class ComputeCounters {
  readonly #memories: Float64Array[] = [];

  /** For a starting thread: a few bytes, never freed. */
  addThread(): SharedArrayBuffer {
    const { memory } = new ThreadCounters();
    this.#memories.push(new Float64Array(memory));
    return memory;
  }

  get cache(): CacheCounters {
    return Object.fromEntries(
      CACHE_COUNTS.map((name, at) => [name, this.#sum(at)]),
    ) as CacheCounters;
  }

  get turns(): TurnTotals {
    const buckets: Record<string, number> = {};
    let count = 0;
    for (const [at, end] of [...TURN_SECONDS, '+Inf'].entries()) {
      count += this.#sum(TURNS_AT + at);
      buckets[end] = count;
    }
    return { buckets, count, sum: this.#sum(TURN_MS_AT) / 1_000 };
  }

  #sum(slot: number): number {
    return this.#memories.reduce((sum, slots) => sum + slots[slot]!, 0);
  }
}
