/**
 * Objects that stay until a price trades: zones and levels, final at birth, carried from session to
 * session. Each waits for a trade at or beyond one price; the hot loop compares with the nearest such
 * price above and below only, whatever their number. Every object that goes is removed in the log:
 *
 * 1. by the first trade (or part of a split one) after its birth at or beyond its price: those waiting
 *    for a higher price first, then those for a lower one, each from the nearest price on, at one price
 *    the oldest first;
 * 2. at the close of the session that opened `lookBackSessions` after the one it was born in, the
 *    oldest first;
 * 3. when one more than CARRIED_MAX would be carried: the oldest, just before the birth;
 * 4. at the close of a session that is not whole on the tape, all of them, the oldest first: whether the
 *    missing trades removed them is not known. Nor is anything born once a day of the session is missing.
 *
 * Which objects are carried depends on the last `lookBackSessions` sessions and the current one only:
 * older objects are gone by then, and the limit takes the oldest first.
 */

import type { Rank } from '../numbers.ts';
import type { TradeBatch } from '../trade-batch.ts';
import { epochNsText } from '../utc-day.ts';
import type { Mark, ObjectVersion, StudyOutput } from './study.ts';

/** Objects carried at a time; as many as a snapshot of any indicator has at most. */
export const CARRIED_MAX = 5_000;

/** What removes an object: a trade at or above the price (1), or at or below it (-1). */
export interface Trigger {
  readonly side: 1 | -1;
  readonly price: number;
}

interface Carried {
  readonly id: string;
  readonly side: 1 | -1;
  /** The price times the side: a trade whose price times the side reaches it removes the object. */
  readonly key: number;
  /** The session it was born in. */
  readonly session: number;
}

export class CarriedObjects {
  readonly #lookBackSessions: number;
  readonly #countMax: number;
  #output: StudyOutput | null = null;
  /** Sessions opened so far. */
  #session = 0;
  /** By id, oldest first. */
  readonly #alive = new Map<string, Carried>();
  /** By descending key: the nearest is the last. */
  readonly #above: Carried[] = [];
  readonly #below: Carried[] = [];
  /** Prices from which on a trade removes something. */
  #upAt = Number.POSITIVE_INFINITY;
  #downAt = Number.NEGATIVE_INFINITY;
  /** The tape entry that `#k` counts the updates of. */
  #rank = -1;
  #k = 0;

  constructor(lookBackSessions: number, countMax = CARRIED_MAX) {
    this.#lookBackSessions = lookBackSessions;
    this.#countMax = countMax;
  }

  openSession(output: StudyOutput): void {
    this.#output = output;
    this.#session += 1;
  }

  /** What follows belongs to trades that caused no update yet. */
  enter(): void {
    this.#rank = -1;
  }

  /** What follows belongs to this entry. */
  resume(entry: Readonly<Mark>): void {
    this.#rank = entry.rank;
    this.#k = entry.k;
  }

  /** How many updates this entry, the last one so far, caused. */
  updatesOf(rank: number): number {
    return rank === this.#rank ? this.#k : 0;
  }

  /** Rows [from, to) trade. */
  trade(batch: TradeBatch, from: number, to: number): void {
    const { price } = batch;
    let upAt = this.#upAt;
    let downAt = this.#downAt;
    for (let row = from; row < to; row += 1) {
      const ticks = price[row]!;
      if (ticks < upAt && ticks > downAt) continue;
      this.#removeReached(batch, row);
      upAt = this.#upAt;
      downAt = this.#downAt;
    }
  }

  /**
   * An object is born by a further update of entry `rank`; `ts` is when, for what has to make room,
   * and `atNs` the same where it may be later than the entry.
   */
  add(
    version: ObjectVersion,
    { side, price }: Trigger,
    rank: number,
    ts: string,
    atNs?: number,
  ): void {
    if (this.#alive.size === this.#countMax) this.#removeOldest(rank, ts, atNs);
    const carried = { id: version.id, side, key: price * side, session: this.#session };
    this.#alive.set(carried.id, carried);
    const list = this.#listOf(side);
    list.splice(placeOf(list, carried.key), 0, carried);
    this.#aim();
    this.#output!.upsert(version, rank as Rank, this.#next(rank), atNs);
  }

  /** The session closes at `ts`: what is too old goes; all do if the session is not complete. */
  expire(rank: number, ts: string, isComplete: boolean): void {
    const lastGone = isComplete ? this.#session - this.#lookBackSessions : this.#session;
    for (const carried of this.#alive.values()) {
      if (carried.session > lastGone) return;
      this.#removeOldest(rank, ts);
    }
  }

  #removeReached(batch: TradeBatch, row: number): void {
    const price = batch.price[row]!;
    const rank = batch.firstRank + row;
    const ts = epochNsText(batch.day, batch.ts[row]!);
    for (const side of [1, -1] as const) {
      const list = this.#listOf(side);
      while (list.length > 0 && list.at(-1)!.key <= price * side) {
        const { id } = list.pop()!;
        this.#alive.delete(id);
        this.#remove(id, rank, ts);
      }
    }
    this.#aim();
  }

  #removeOldest(rank: number, ts: string, atNs?: number): void {
    const [oldest] = this.#alive.values();
    const { id, side, key } = oldest!;
    this.#alive.delete(id);
    const list = this.#listOf(side);
    list.splice(list.indexOf(oldest!, placeOf(list, key)), 1);
    this.#aim();
    this.#remove(id, rank, ts, atNs);
  }

  #remove(id: string, rank: number, ts: string, atNs?: number): void {
    this.#output!.remove(id, true, ts, rank as Rank, this.#next(rank), atNs);
  }

  #listOf(side: 1 | -1): Carried[] {
    return side === 1 ? this.#above : this.#below;
  }

  #aim(): void {
    this.#upAt = this.#above.at(-1)?.key ?? Number.POSITIVE_INFINITY;
    this.#downAt = -(this.#below.at(-1)?.key ?? Number.POSITIVE_INFINITY);
  }

  #next(rank: number): number {
    this.#k = rank === this.#rank ? this.#k + 1 : 1;
    this.#rank = rank;
    return this.#k;
  }
}

/** Where a new key goes: behind all greater ones, before its equals, so that the oldest is the last. */
function placeOf(list: readonly Carried[], key: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]!.key > key) low = middle + 1;
    else high = middle;
  }
  return low;
}
