/**
 * Fetches sealed days that the book lists and this node misses, in the background: requested days first, then the
 * newest. A day in memory is not fetched, because it will be sealed here. A failed day does not block others.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays } from '@tapeloom/core/utc-day';
import type { Clock } from '../../../platform/clock.ts';
import { sleep } from '../../../platform/waiting/sleep.ts';
import type { BookDay, TapeBook } from '../../stream/tape-book.ts';
import { DayConflictError } from '../../tape-errors.ts';
import type { SealedPart, TapeManifest } from '../../tape-manifest.ts';
import { type DayObjectsPlace, fetchDay } from './day-objects.ts';

/** Days before the newest one that streams need at once. */
const NEEDED_DAYS = 7;
const TRY_AGAIN_MS = 2_000;
/** A request for a day waits at most this long. */
const WANTED_MS_MAX = 2_000;
const LOOK_AGAIN_MS = 50;
/** Requests that may wait at once; further ones get `coming` at once. The thread of the tape polls for all of them. */
const WAITING_MAX = 64;

/** `none`: nothing that the cluster has is missing here. `here`: fetched by now. `coming`: not yet. */
export type WantedDays = 'none' | 'here' | 'coming';

export interface ListedDaysOptions extends DayObjectsPlace {
  readonly manifest: TapeManifest;
  readonly clock: Pick<Clock, 'after'>;
  readonly book: () => TapeBook;
  readonly bookNumber: () => number;
  readonly isInMemory: (day: UtcDay) => boolean;
  /** `left`: days still to be fetched. */
  readonly onFetched: (symbol: string, day: UtcDay, left: number) => void;
  readonly onFault: (what: string, error: unknown) => void;
}

export class ListedDays {
  readonly #options: ListedDaysOptions;
  readonly #ready = Promise.withResolvers<void>();
  readonly #failed = Promise.withResolvers<unknown>();
  /** Requested days, by contract and day. */
  readonly #wanted = new Map<string, number>();
  #waiting = 0;
  #completeAt = 0;
  /** Days that could not be fetched in this round. */
  readonly #refused = new Set<string>();
  #isNews = true;
  #wake = Promise.withResolvers<void>();

  constructor(options: ListedDaysOptions) {
    this.#options = options;
  }

  /** Resolves when everything that streams need at once is here. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Resolves with the error when this node's days differ from the cluster's; otherwise never. */
  get failed(): Promise<unknown> {
    return this.#failed.promise;
  }

  /** The book has changed. */
  look(): void {
    this.#isNews = true;
    this.#wake.resolve();
  }

  /** Listed days that are missing here, newest first. */
  get missing(): readonly SealedPart[] {
    return this.#missing(this.#options.isInMemory).map(([part]) => part);
  }

  /** The number of the newest book of which all listed days were here. */
  get completeAt(): number {
    return this.#completeAt;
  }

  /** Fetches the days of a contract from `first` to `last` before all others, and waits for them for a while. */
  async want(symbol: string, first: UtcDay, last: UtcDay): Promise<WantedDays> {
    const { clock, isInMemory, manifest } = this.#options;
    const missing = this.#missing(isInMemory, [symbol]).flatMap(([part]) =>
      part.day >= first && part.day <= last ? [part] : [],
    );
    if (missing.length === 0) return 'none';
    if (this.#waiting >= WAITING_MAX) return 'coming';
    const keys = missing.map(keyOf);
    for (const key of keys) this.#wanted.set(key, (this.#wanted.get(key) ?? 0) + 1);
    this.#waiting += 1;
    try {
      for (let ms = 0; ms < WANTED_MS_MAX; ms += LOOK_AGAIN_MS) {
        await sleep(clock, LOOK_AGAIN_MS);
        if (!missing.some(({ day }) => manifest.isMissing(symbol, day))) return 'here';
      }
      return 'coming';
    } finally {
      this.#waiting -= 1;
      for (const key of keys) {
        const others = this.#wanted.get(key)! - 1;
        if (others === 0) this.#wanted.delete(key);
        else this.#wanted.set(key, others);
      }
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#wake.resolve(), { once: true });
    while (!signal.aborted) {
      if (!this.#isNews) await this.#wake.promise;
      this.#isNews = false;
      this.#wake = Promise.withResolvers<void>();
      if (signal.aborted) return;
      await this.#fetchAll(signal);
    }
  }

  /** Fetches these days at once, for a node that lost its position in the stream. */
  async fetchDays(days: readonly UtcDay[]): Promise<void> {
    for (const [part, listed] of this.#missing(() => false)) {
      if (days.includes(part.day)) await this.#fetchOne(part, listed);
    }
  }

  async #fetchAll(signal: AbortSignal): Promise<void> {
    const { isInMemory, clock, bookNumber } = this.#options;
    this.#refused.clear();
    for (;;) {
      const missing = this.#missing(isInMemory);
      if (missing.length === 0) this.#completeAt = bookNumber();
      if (this.#isReady(missing[0]?.[0].day)) this.#ready.resolve();
      const next = this.#nextOf(missing);
      if (next === null || signal.aborted) break;
      if (!(await this.#hasFetched(...next))) return;
    }
    if (this.#refused.size === 0 || signal.aborted) return;
    this.#isNews = true;
    await sleep(clock, TRY_AGAIN_MS, signal);
  }

  /** False when fetching must stop. */
  async #hasFetched(part: SealedPart, listed: BookDay): Promise<boolean> {
    try {
      await this.#fetchOne(part, listed);
      return true;
    } catch (error) {
      if (error instanceof DayConflictError) {
        this.#failed.resolve(error);
        return false;
      }
      this.#refused.add(keyOf(part));
      this.#options.onFault('a sealed day could not be fetched; it is tried again', error);
      return true;
    }
  }

  #nextOf(missing: readonly [SealedPart, BookDay][]): [SealedPart, BookDay] | null {
    const left = missing.filter(([part]) => !this.#refused.has(keyOf(part)));
    return left.find(([part]) => this.#wanted.has(keyOf(part))) ?? left[0] ?? null;
  }

  #isReady(newestMissing: UtcDay | undefined): boolean {
    const { isReady, days } = this.#options.book();
    if (!isReady) return false;
    if (newestMissing === undefined) return true;
    const listed = Object.values(days).flatMap((of) => Object.keys(of).map(Number));
    const newest = listed.reduce((a, b) => Math.max(a, b), 0) as UtcDay;
    return newestMissing < addDays(newest, -NEEDED_DAYS);
  }

  async #fetchOne(part: SealedPart, listed: BookDay): Promise<void> {
    const { manifest, onFetched, isInMemory } = this.#options;
    await fetchDay(this.#options, part, listed);
    await manifest.sealed([part]);
    onFetched(part.symbol, part.day, this.#missing(isInMemory).length);
  }

  /** Newest first. */
  #missing(
    isInMemory: (day: UtcDay) => boolean,
    symbols: readonly string[] = Object.keys(this.#options.book().days),
  ): readonly [SealedPart, BookDay][] {
    const { manifest, book } = this.#options;
    const missing: [SealedPart, BookDay][] = [];
    for (const symbol of symbols) {
      for (const [text, listed] of Object.entries(book().days[symbol] ?? {})) {
        const day = Number(text) as UtcDay;
        if (manifest.isRemoved(symbol, day) || isInMemory(day)) continue;
        if (!manifest.isMissing(symbol, day)) continue;
        missing.push([{ symbol, day, digest: listed.digest }, listed]);
      }
    }
    return missing.sort(([a], [b]) => b.day - a.day);
  }
}

function keyOf({ symbol, day }: SealedPart): string {
  return `${symbol} ${day}`;
}
