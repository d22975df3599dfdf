/**
 * Fetches sealed days that the book lists and this machine does not have, newest first, behind whatever else it does. A day
 * that is in memory is not fetched: it will be sealed here.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays } from '@tapeloom/core/utc-day';
import type { Clock } from '../../platform/clock.ts';
import { pause } from '../stream/pause.ts';
import type { BookDay, TapeBook } from '../stream/tape-book.ts';
import { DayConflictError } from '../tape-errors.ts';
import type { SealedPart, TapeManifest } from '../tape-manifest.ts';
import { type DayObjectsPlace, fetchDay } from './day-objects.ts';

/** Days before the newest one that streams need at once. */
const NEEDED_DAYS = 7;
const TRY_AGAIN_MS = 2_000;

export interface ListedDaysOptions extends DayObjectsPlace {
  readonly manifest: TapeManifest;
  readonly clock: Pick<Clock, 'after'>;
  readonly book: () => TapeBook;
  readonly isInMemory: (day: UtcDay) => boolean;
  /** `left` are still to come. */
  readonly onFetched: (symbol: string, day: UtcDay, left: number) => void;
  readonly onFault: (what: string, error: unknown) => void;
}

export class ListedDays {
  readonly #options: ListedDaysOptions;
  readonly #ready = Promise.withResolvers<void>();
  readonly #failed = Promise.withResolvers<unknown>();
  #isNews = true;
  #wake = Promise.withResolvers<void>();

  constructor(options: ListedDaysOptions) {
    this.#options = options;
  }

  /** Resolves when all that streams need at once is there. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Resolves to why this machine's days are not the cluster's; never, if they are. */
  get failed(): Promise<unknown> {
    return this.#failed.promise;
  }

  /** The book has changed. */
  look(): void {
    this.#isNews = true;
    this.#wake.resolve();
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

  /** Those of some days at once, as who has lost its place in the stream needs them. */
  async fetchDays(days: readonly UtcDay[]): Promise<void> {
    for (const [part, listed] of this.#missing(() => false)) {
      if (days.includes(part.day)) await this.#fetchOne(part, listed);
    }
  }

  async #fetchAll(signal: AbortSignal): Promise<void> {
    const { isInMemory, onFault, clock } = this.#options;
    try {
      for (;;) {
        const [next] = this.#missing(isInMemory);
        if (this.#isReady(next?.[0].day)) this.#ready.resolve();
        if (next === undefined || signal.aborted) return;
        await this.#fetchOne(...next);
      }
    } catch (error) {
      if (error instanceof DayConflictError) {
        this.#failed.resolve(error);
        return;
      }
      onFault('a sealed day could not be fetched; it is tried again', error);
      this.#isNews = true;
      await pause(clock, TRY_AGAIN_MS, signal);
    }
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
  #missing(isInMemory: (day: UtcDay) => boolean): readonly [SealedPart, BookDay][] {
    const { manifest, book } = this.#options;
    const missing: [SealedPart, BookDay][] = [];
    for (const [symbol, days] of Object.entries(book().days)) {
      for (const [text, listed] of Object.entries(days)) {
        const day = Number(text) as UtcDay;
        if (manifest.isRemoved(symbol, day) || isInMemory(day)) continue;
        if (!manifest.lacks(symbol, day)) continue;
        missing.push([{ symbol, day, digest: listed.digest }, listed]);
      }
    }
    return missing.sort(([a], [b]) => b.day - a.day);
  }
}
