/**
 * Requests per minute that all nodes of a cluster count together. A node fetches a slice of an allowance from the
 * shared state and takes requests from it locally. A rare caller's slice is one request, so that its remainder is
 * exact; a busy one's is up to a tenth of the limit. A slice lapses after two seconds and is never returned. So no
 * caller exceeds its limit over all nodes, and a busy one may lose a little.
 */

import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs } from '@tapeloom/core/numbers';
import {
  type AllowanceState,
  type AllowanceVerdict,
  isFull,
  spentLess,
  takeFromAllowances,
  verdictOf,
} from '@tapeloom/core/quota/allowance';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { Allowances } from '../limits/allowances.ts';

/** How long a slice is valid; the shared state relies on it too (`shared-tables.ts`). */
const SLICE_NS = 2n * SECOND_NS_BIG;
/** If a slice is used up within this fraction of its time, the next one is doubled: it will not lapse either. */
const QUICK_PART = 4n;
/** The largest slice, as a fraction of the limit. */
const SLICE_PART = 10;
const WHO_MAX = 100_000;
const FORGOTTEN_PER_TAKE = 2;

export interface SliceRequest {
  readonly who: string;
  readonly perMinute: CountedLimit;
  /** Waiting requests. */
  readonly needed: number;
  /** With requests that may follow; granted ahead only while that does no harm. */
  readonly wanted: number;
}

/** The grant, and what is spent of both limits after it, in parts of a request; null: there is no such limit. */
export interface SliceGrant {
  readonly granted: number;
  readonly allSpent: number | null;
  readonly testsSpent: number | null;
}

export interface SharedAllowancesOptions {
  readonly slice: (now: EpochNs, request: SliceRequest) => Promise<SliceGrant>;
  readonly whoMax?: number;
}

interface Waiting {
  readonly now: EpochNs;
  readonly perMinute: CountedLimit;
  resolve(verdict: AllowanceVerdict): void;
  reject(error: unknown): void;
}

export class SharedAllowances implements Allowances {
  readonly #options: SharedAllowancesOptions;
  readonly #askers = new Map<string, Asker>();
  #forgottenTotal = 0;

  constructor(options: SharedAllowancesOptions) {
    this.#options = options;
  }

  take(
    now: EpochNs,
    who: string,
    perMinute: CountedLimit,
  ): Promise<AllowanceVerdict> | AllowanceVerdict {
    this.#forget(now);
    const asker = this.#askers.getOrInsertComputed(who, () => new Asker());
    const line = perMinute.testLimit === null ? asker.live : asker.tests;
    const verdict = line.waiting.length > 0 ? null : asker.judge(line, now, perMinute);
    if (verdict !== null) return verdict;
    const { promise, resolve, reject } = Promise.withResolvers<AllowanceVerdict>();
    line.waiting.push({ now, perMinute, resolve, reject });
    if (line.waiting.length === 1) void this.#serve(who, asker, line);
    return promise;
  }

  get size(): number {
    return this.#askers.size;
  }

  get forgottenTotal(): number {
    return this.#forgottenTotal;
  }

  /**
   * Fetches slices until no request waits. Requests that came meanwhile are served from the response or the next one.
   */
  async #serve(who: string, asker: Asker, line: Line): Promise<void> {
    while (line.waiting.length > 0) {
      const { now, perMinute, resolve } = line.waiting[0]!;
      const verdict = asker.judge(line, now, perMinute);
      if (verdict !== null) {
        line.waiting.shift();
        resolve(verdict);
        continue;
      }
      const others = line.waiting.findIndex((it) => !areSame(it.perMinute, perMinute));
      const needed = others < 0 ? line.waiting.length : others;
      const wanted = Math.max(needed, line.nextSize(now, perMinute));
      try {
        const grant = await this.#options.slice(now, { who, perMinute, needed, wanted });
        asker.learn(line, now, perMinute, grant);
        for (const it of line.waiting.slice(0, needed))
          it.resolve(asker.serve(line, now, perMinute));
      } catch (error) {
        for (const it of line.waiting.slice(0, needed)) it.reject(error);
      }
      line.waiting.splice(0, needed);
    }
  }

  /** Evicts a few of the oldest askers, unless they are in use. */
  #forget(now: EpochNs): void {
    for (let left = FORGOTTEN_PER_TAKE; left > 0; left -= 1) {
      const [oldest] = this.#askers;
      if (oldest === undefined) return;
      const [who, asker] = oldest;
      this.#askers.delete(who);
      if (asker.isIdle(now)) continue;
      const isTooMany = this.#askers.size >= (this.#options.whoMax ?? WHO_MAX);
      // The unused rest of the slice is lost; the shared state still knows the rest.
      if (isTooMany && !asker.isWaited) this.#forgottenTotal += 1;
      else this.#askers.set(who, asker);
    }
  }
}

/** One caller: a slice for its live keys, one for its test keys, and the last known shared state. */
class Asker {
  readonly live = new Line();
  readonly tests = new Line();
  #all: AllowanceState | null = null;
  #byTests: AllowanceState | null = null;

  get isWaited(): boolean {
    return this.live.waiting.length > 0 || this.tests.waiting.length > 0;
  }

  /** Whether it holds no state that matters. */
  isIdle(now: EpochNs): boolean {
    if (this.isWaited || this.live.leftAt(now) + this.tests.leftAt(now) > 0) return false;
    const states = [this.#all, this.#byTests].filter((state) => state !== null);
    return states.every((state) => isFull(state, now));
  }

  /** Null when the shared state must be consulted. */
  judge(line: Line, now: EpochNs, perMinute: CountedLimit): AllowanceVerdict | null {
    if (line.take(now, perMinute)) return this.#verdict(now, perMinute, true);
    // Other nodes can only have spent more since, so a request that did not fit then does not fit before its time.
    const isKnown =
      (perMinute.limit === null || this.#all?.perMinute === perMinute.limit) &&
      (perMinute.testLimit === null || this.#byTests?.perMinute === perMinute.testLimit);
    if (!isKnown) return null;
    const { verdict } = takeFromAllowances(now, this.#counted(perMinute));
    return verdict.granted ? null : verdict;
  }

  learn(line: Line, now: EpochNs, perMinute: CountedLimit, grant: SliceGrant): void {
    const { limit, testLimit } = perMinute;
    if (limit !== null) this.#all = { at: now, perMinute: limit, spent: grant.allSpent! };
    if (testLimit !== null) {
      this.#byTests = { at: now, perMinute: testLimit, spent: grant.testsSpent! };
    }
    line.fill(now, perMinute, grant.granted);
  }

  /** Serves a request that waited for the slice, however long that took. */
  serve(line: Line, now: EpochNs, perMinute: CountedLimit): AllowanceVerdict {
    return this.#verdict(now, perMinute, line.takeLeft());
  }

  /** The unused part of a slice counts as left. */
  #verdict(now: EpochNs, perMinute: CountedLimit, granted: boolean): AllowanceVerdict {
    const byTests = this.tests.leftAt(now);
    const all = byTests + this.live.leftAt(now);
    const states: AllowanceState[] = [];
    if (perMinute.limit !== null) states.push(spentLess(this.#all!, now, all));
    if (perMinute.testLimit !== null) states.push(spentLess(this.#byTests!, now, byTests));
    return verdictOf(states, granted);
  }

  #counted({ limit, testLimit }: CountedLimit) {
    const allowances = [];
    if (limit !== null) allowances.push({ state: this.#all, perMinute: limit });
    if (testLimit !== null) allowances.push({ state: this.#byTests, perMinute: testLimit });
    return allowances;
  }
}

/**
 * The slice of live keys or of test keys, and the requests that wait for the next one. A slice of test keys has counted
 * at both limits, one of live keys only at the account's. Requests that arrive during a fetch share the next one.
 */
class Line {
  readonly waiting: Waiting[] = [];
  #left = 0;
  #size = 0;
  #until: bigint = 0n;
  #perMinute: CountedLimit | null = null;

  /** Takes one request from the slice; whether that was possible. */
  take(now: EpochNs, perMinute: CountedLimit): boolean {
    if (this.leftAt(now) === 0 || !areSame(perMinute, this.#perMinute!)) return false;
    return this.takeLeft();
  }

  takeLeft(): boolean {
    if (this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }

  leftAt(now: EpochNs): number {
    return now < this.#until ? this.#left : 0;
  }

  /** As large as the last slice if that was used up in time, twice as large if quickly, otherwise one. */
  nextSize(now: EpochNs, { limit, testLimit }: CountedLimit): number {
    const smaller = Math.min(limit ?? Infinity, testLimit ?? Infinity);
    const isBusy = this.#left === 0 && now < this.#until;
    if (!isBusy || smaller === Infinity) return 1;
    const isQuick = now < this.#until - SLICE_NS + SLICE_NS / QUICK_PART;
    const size = isQuick ? 2 * this.#size : this.#size;
    return Math.min(size, Math.max(1, Math.floor(smaller / SLICE_PART)));
  }

  fill(now: EpochNs, perMinute: CountedLimit, granted: number): void {
    this.#left = granted;
    this.#size = Math.max(1, granted);
    this.#until = now + SLICE_NS;
    this.#perMinute = perMinute;
  }
}

function areSame(a: CountedLimit, b: CountedLimit): boolean {
  return a.limit === b.limit && a.testLimit === b.testLimit;
}
