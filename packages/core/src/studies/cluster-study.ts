/**
 * Clusters of prints of one aggressor. At most one cluster is open. It is an object from the print that brings it to
 * the required lots and prices until it ends: by a print of another side (that print's first update), by the clock 1 ns
 * after the longest allowed gap, or with the session. The requirements are fixed when the session opens. Times are kept
 * in fields, not passed as arguments: a double passed between methods may be allocated on the heap.
 */

import type { Rank, UtcDay } from '../numbers.ts';
import type { TradeBatch } from '../trade-batch.ts';
import { MS_NS } from '../units.ts';
import { epochNsText } from '../utc-day.ts';
import { PriceSlots } from './price-slots.ts';
import type { SizeThreshold } from './size-threshold.ts';
import {
  compareMarks,
  type FormingVisitor,
  type Mark,
  type Study,
  type StudyOutput,
  type StudySession,
} from './study.ts';

export interface Cluster {
  readonly side: number;
  readonly size: number;
  readonly trades: number;
  readonly first: number;
  readonly last: number;
  readonly high: number;
  readonly low: number;
  /** Distinct prices; 0 if they are not counted. */
  readonly levels: number;
  readonly threshold: number;
  readonly end: string;
}

export interface ClusterRule {
  readonly gapMs: number;
  readonly threshold: SizeThreshold;
  /** Distinct prices that a cluster must have; 0: they are not counted. */
  readonly levelsMin: number;
  readonly dataOf: (cluster: Cluster) => object;
}

export class ClusterStudy implements Study {
  readonly #gapNs: number;
  readonly #threshold: SizeThreshold;
  readonly #levelsMin: number;
  /** The prices of the open cluster except its first; null if they are not counted. */
  readonly #prices: PriceSlots | null;
  readonly #dataOf: (cluster: Cluster) => object;
  #output: StudyOutput | null = null;
  #origin = 0 as UtcDay;
  readonly #mark: Mark = { day: 0 as UtcDay, rank: 0 as Rank, k: 0 };
  /** The open cluster; side 0: there is none. */
  #side = 0;
  #firstDay = 0 as UtcDay;
  #firstRank = 0;
  #firstNs = 0;
  #lastNs = 0;
  #size = 0;
  #trades = 0;
  #first = 0;
  #last = 0;
  #high = 0;
  #low = 0;

  constructor(rule: ClusterRule) {
    this.#gapNs = rule.gapMs * MS_NS;
    this.#threshold = rule.threshold;
    this.#levelsMin = rule.levelsMin;
    this.#prices = rule.levelsMin === 0 ? null : new PriceSlots();
    this.#dataOf = rule.dataOf;
  }

  get dueNs(): number {
    return this.#side === 0 ? Number.POSITIVE_INFINITY : this.#lastNs + this.#gapNs + 1;
  }

  get warm(): boolean {
    return this.#threshold.warm;
  }

  openSession(session: StudySession, output: StudyOutput): void {
    this.#output = output;
    this.#origin = session.origin;
    this.#side = 0;
  }

  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): number {
    const { ts, side } = batch;
    let k = 0;
    let row = from;
    while (row < to) {
      const ns = ts[row]! + offsetNs;
      const sign = side[row]!;
      if (this.#side !== 0 && ns - this.#lastNs > this.#gapNs) {
        this.#end((batch.firstRank + row - 1) as Rank, k + 1, true);
      }
      k = 0;
      if (sign !== this.#side || sign === 0) {
        if (this.#end((batch.firstRank + row) as Rank, 1)) k = 1;
        if (sign === 0) {
          row += 1;
          continue;
        }
        this.#begin(batch, row, offsetNs);
      }
      const next = this.#extend(batch, row, to, offsetNs);
      // Only the k of the last print is returned, and only a first print ends another cluster.
      if (next - row > 1) k = 0;
      if (this.#isShown()) {
        k += 1;
        this.#mark.day = batch.day;
        this.#mark.rank = (batch.firstRank + next - 1) as Rank;
        this.#mark.k = k;
      }
      row = next;
    }
    return k;
  }

  fire(entry: Readonly<Mark>): number {
    return this.#end(entry.rank, entry.k + 1) ? entry.k + 1 : entry.k;
  }

  closeSession(entry: Readonly<Mark>, isComplete: boolean): number {
    const k = this.fire(entry);
    this.#threshold.closeSession(isComplete);
    return k;
  }

  forming(since: Readonly<Mark> | null, visit: FormingVisitor): void {
    if (this.#side === 0 || !this.#isShown()) return;
    if (since !== null && compareMarks(this.#mark, since) <= 0) return;
    visit(this.#version(false), this.#mark);
  }

  #begin(batch: TradeBatch, row: number, offsetNs: number): void {
    this.#side = batch.side[row]!;
    this.#firstDay = batch.day;
    this.#firstRank = batch.firstRank + row;
    this.#firstNs = batch.ts[row]! + offsetNs;
    this.#first = batch.price[row]!;
    this.#high = this.#first;
    this.#low = this.#first;
    this.#last = this.#first;
    this.#prices?.clear();
    this.#size = 0;
    this.#trades = 0;
  }

  /** Adds the print at `from` and those that continue its cluster; returns the row after them. */
  #extend(batch: TradeBatch, from: number, to: number, offsetNs: number): number {
    const { ts, price, size, side } = batch;
    const sign = side[from]!;
    const gapNs = this.#gapNs;
    let last = this.#last;
    let lots = this.#size;
    let row = from;
    do {
      const ticks = price[row]!;
      if (ticks !== last) {
        this.#moveTo(ticks);
        last = ticks;
      }
      lots += size[row]!;
      row += 1;
    } while (row < to && side[row] === sign && ts[row]! - ts[row - 1]! <= gapNs);
    this.#last = last;
    this.#lastNs = ts[row - 1]! + offsetNs;
    this.#size = lots;
    this.#trades += row - from;
    return row;
  }

  #moveTo(price: number): void {
    if (price !== this.#first) this.#prices?.slotOf(price);
    if (price > this.#high) this.#high = price;
    if (price < this.#low) this.#low = price;
  }

  #isShown(): boolean {
    return this.#size >= this.#threshold.lots && this.#levels() >= this.#levelsMin;
  }

  #levels(): number {
    return this.#prices === null ? 0 : 1 + this.#prices.count;
  }

  /** Ends the open cluster, if any; true if it was shown, and so final by update `k`. `isByClock`: ended when due. */
  #end(rank: Rank, k: number, isByClock = false): boolean {
    if (this.#side === 0) return false;
    const isShown = this.#isShown();
    if (isShown) {
      this.#output!.upsert(this.#version(true), rank, k, isByClock ? this.dueNs : undefined);
    }
    this.#threshold.add(this.#size);
    this.#side = 0;
    return isShown;
  }

  #version(final: boolean) {
    return {
      id: `${this.#firstDay}.${this.#firstRank}`,
      final,
      ts: epochNsText(this.#origin, this.#firstNs),
      data: this.#dataOf({
        side: this.#side,
        size: this.#size,
        trades: this.#trades,
        first: this.#first,
        last: this.#last,
        high: this.#high,
        low: this.#low,
        levels: this.#levels(),
        threshold: this.#threshold.lots,
        end: epochNsText(this.#origin, this.#lastNs),
      }),
    };
  }
}
