/**
 * Finds the first trade at or behind a time among trades that are numbered without holes, by looking into pages: back
 * from the newest one in growing steps, then between two known ones by their times, and by halves. What the venue does
 * not remember counts as before the time.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { later } from '@tapeloom/core/utc-day';
import {
  type FeedTrade,
  type FirstTrade,
  instantOf,
  type PageReading,
  type PageWish,
} from './line.ts';

const FIRST_STEP = 10_000;
const STEP_FACTOR = 4;
/** The shortest page of all venues. */
const ROWS = 100;
/** An empty page may be a fault of the venue; so many say that it does not remember. */
const TRIES_MAX = 3;
/** Each so many probes, one by halves: an uneven day would make the others slow. */
const HALVES_EVERY = 3;
const NEWEST: PageWish = { fromId: null, toId: null, before: null };

interface TooOld {
  readonly id: number;
  /** Null: the venue does not remember it. */
  readonly at: EpochNs | null;
}

export class FirstTradeSearch {
  readonly #at: EpochNs;
  /** The newest that is known to be too old. */
  #low: TooOld = { id: 0, at: null };
  /** The oldest that is known to be at or behind the time; null: no page has come yet. */
  #high: FeedTrade | null = null;
  #step = FIRST_STEP;
  #probes = 0;
  #tries = 0;
  /** The number with which a page began later than asked: what is before may be out of reach, or the page lacked rows. */
  #short: number | null = null;
  /** Null: not yet. */
  found: FirstTrade | null = null;

  constructor(at: EpochNs) {
    this.#at = at;
  }

  wish(): PageWish {
    if (this.#high === null) return NEWEST;
    const fromId = this.#probe(this.#high);
    return { fromId, toId: Math.min(fromId + ROWS, this.#high.id) - 1, before: null };
  }

  page({ fromId, toId }: PageWish, reading: PageReading): void {
    this.#probes += 1;
    const high = this.#high;
    if (reading.kind === 'forgotten') {
      if (high === null) this.#failed(toId);
      else this.#forget(Math.max(fromId ?? 0, (reading.oldestId ?? 0) - 1), high);
    } else {
      const trades = reading.trades.filter(({ id }) => high === null || id < high.id);
      if (trades.length === 0) this.#failed(toId);
      else {
        this.#look(
          fromId,
          trades.toSorted((a, b) => a.id - b.id),
        );
      }
    }
    this.#conclude();
  }

  #probe({ id: high, day, ns }: FeedTrade): number {
    const { id: low, at } = this.#low;
    if (low === 0) return Math.max(1, high - this.#step);
    const highAt = instantOf({ day, ns });
    const isHalf = at === null || highAt <= at || this.#probes % HALVES_EVERY === 0;
    const share = isHalf ? 0.5 : Number(this.#at - at) / Number(highAt - at);
    // The middle of a page on the guess.
    const guess = low + Math.floor((high - low) * share) - (isHalf ? 0 : ROWS / 2);
    return Math.min(Math.max(guess, low + 1), high - 1);
  }

  #look(fromId: number | null, trades: readonly FeedTrade[]): void {
    const first = trades[0]!;
    this.#tries = 0;
    this.#step *= STEP_FACTOR;
    const index = trades.findIndex((trade) => instantOf(trade) >= this.#at);
    const before = trades.at(index === -1 ? -1 : index - 1)!;
    if (index !== 0) this.#low = { id: before.id, at: instantOf(before) };
    if (index !== -1) this.#high = trades[index]!;
    // Nothing was traded since: the next trade is the first.
    else if (fromId === null) this.found = { id: before.id + 1, from: this.#at };
    if (index === 0 && fromId !== null && first.id > fromId) this.#short = first.id;
  }

  #forget(id: number, high: FeedTrade): void {
    if (id > this.#low.id) this.#low = { id: Math.min(id, high.id - 1), at: null };
  }

  /** An empty page, where there must be trades. */
  #failed(toId: number | null): void {
    this.#tries += 1;
    if (this.#tries < TRIES_MAX) return;
    this.#tries = 0;
    if (this.#high === null) this.found = { id: null, from: this.#at };
    else if (this.#high.id === this.#short) this.#forget(this.#short - 1, this.#high);
    else this.#forget(toId!, this.#high);
  }

  #conclude(): void {
    const { id, at } = this.#low;
    const high = this.#high;
    if (high === null || high.id > id + 1) return;
    const isAll = at !== null || high.id === 1;
    this.found ??= { id: high.id, from: isAll ? this.#at : later(this.#at, instantOf(high)) };
  }
}
