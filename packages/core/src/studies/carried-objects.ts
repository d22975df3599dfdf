/**
 * Objects that stay until a price trades, carried from session to session: zones and levels, final at birth. The hot
 * loop compares each trade with the nearest waiting price above and below only, whatever their number.
 */

// Every object is removed by an update in the log:
// 1. By the first trade (or part of a split one) after its birth at or beyond its price. Objects waiting for a higher
//    price go first, then those for a lower one; each from the nearest price on, at one price the oldest first.
// 2. At the close of the session `lookBackSessions` after the one of its birth, the oldest first.
// 3. Just before a birth that would exceed CARRIED_MAX: the oldest.
// 4. At the close of a session that is incomplete on the tape: all, the oldest first, since the missing trades may have
//    removed them. Nothing is born either once a day of the session is missing.
//
// So the carried objects depend only on the last `lookBackSessions` sessions and the current one: older objects are
// gone, and the limit removes the oldest first.

import type { Rank } from '../numbers.ts';
import type { TradeBatch } from '../trade-batch.ts';
import { epochNsText } from '../utc-day.ts';
import type { Mark, ObjectVersion, StudyOutput } from './study.ts';

/** The most objects carried at a time, which is also the most in a snapshot of any indicator. */
export const CARRIED_MAX = 5_000;

/** The trade that removes an object: at or above the price (1), or at or below it (-1). */
export interface Trigger {
  readonly side: 1 | -1;
  readonly price: number;
}

interface Carried {
  readonly id: string;
  readonly side: 1 | -1;
  /** Price times side: a trade whose price times side reaches it removes the object. */
  readonly key: number;
  /** The session of its birth. */
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
  /** A trade at or beyond these prices removes an object. */
  #upAt = Number.POSITIVE_INFINITY;
  #downAt = Number.NEGATIVE_INFINITY;
  /** The tape entry whose updates `#k` counts. */
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

  /** The following trades have caused no update yet. */
  enter(): void {
    this.#rank = -1;
  }

  /** The following calls belong to this entry. */
  resume(entry: Readonly<Mark>): void {
    this.#rank = entry.rank;
    this.#k = entry.k;
  }

  /** How many updates this entry, the newest one, caused. */
  updatesOf(rank: number): number {
    return rank === this.#rank ? this.#k : 0;
  }

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
   * Adds an object as a further update of entry `rank`. `ts` is the time of its birth, for an object that it evicts;
   * `atNs` is the same time if it may be later than the entry.
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

  /** The session closes at `ts`: removes objects that are too old, or all if the session is incomplete. */
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

/** The position of a new key: after all greater ones, before equal ones, so that the oldest is the last. */
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
