/**
 * A study whose objects are found in finished bars and carried until a price trades. Objects are final at birth and
 * bars are no objects, so k counts births and removals only. A trade first removes what it reaches, in each bar it is
 * part of; then the bar it fills creates its objects. A bar that ends otherwise creates its objects before the trade
 * that ended it counts. At the close the last bar creates its objects, then the oldest expire. From a session's first
 * missing time on no bar creates objects.
 */

import type { Rank } from '../numbers.ts';
import type { TradeBatch } from '../trade-batch.ts';
import { epochNsText } from '../utc-day.ts';
import type { CarriedObjects, Trigger } from './carried-objects.ts';
import { type BarCutter, barId, type CutBar } from './cutters/bar-cutter.ts';
import type { Mark, Study, StudyOutput, StudySession } from './study.ts';

/** An object found in a finished bar, the `n`-th of that bar. */
export interface Find {
  readonly n: number;
  readonly data: object;
  readonly trigger: Trigger;
}

/** Accumulates a bar's trades to find objects in it. */
export interface BarFinder {
  clear(): void;
  /** Whole trades: rows [from, to), at least one. */
  addRows(batch: TradeBatch, from: number, to: number): void;
  addPart(price: number, size: number, side: number): void;
  /** The objects of the finished bar, in the order of birth. */
  finds(barId: string): readonly Find[];
}

export class FinishedBarStudy implements Study {
  /** Always true for carried objects; see `indicator.ts`. */
  readonly warm = true;
  readonly #carried: CarriedObjects;
  readonly #bar: SearchedBar;
  readonly #cutter: BarCutter;
  #session: StudySession | null = null;

  constructor(finder: BarFinder, carried: CarriedObjects, cutterFor: (bar: CutBar) => BarCutter) {
    this.#carried = carried;
    this.#bar = new SearchedBar(finder, carried);
    this.#cutter = cutterFor(this.#bar);
  }

  get dueNs(): number {
    return this.#bar.forming ? this.#cutter.endNs : Number.POSITIVE_INFINITY;
  }

  openSession(session: StudySession, output: StudyOutput): void {
    this.#session = session;
    this.#carried.openSession(output);
    this.#bar.openSession(session);
    this.#cutter.openSession(session);
  }

  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): number {
    this.#carried.enter();
    this.#cutter.apply(batch, from, to, offsetNs);
    return this.#carried.updatesOf(batch.firstRank + to - 1);
  }

  fire(entry: Readonly<Mark>): number {
    this.#carried.resume(entry);
    this.#bar.finishAfter(entry.rank, this.#cutter.endNs);
    return this.#carried.updatesOf(entry.rank);
  }

  closeSession(entry: Readonly<Mark>, isComplete: boolean): number {
    const { origin, closeNs } = this.#session!;
    this.#carried.resume(entry);
    if (this.#bar.forming) this.#bar.finishAfter(entry.rank, closeNs);
    this.#carried.expire(entry.rank, epochNsText(origin, closeNs), isComplete);
    return this.#carried.updatesOf(entry.rank);
  }

  forming(): void {}
}

/** The bar under construction, searched when it is finished. */
class SearchedBar implements CutBar {
  readonly #finder: BarFinder;
  readonly #carried: CarriedObjects;
  #session: StudySession | null = null;
  #forming = false;
  #id = '';
  #startNs = 0;
  /** The last trade that is part of the bar. */
  #lastRank = 0;
  openEdge: number | null = null;
  closeEdge: number | null = null;

  constructor(finder: BarFinder, carried: CarriedObjects) {
    this.#finder = finder;
    this.#carried = carried;
  }

  get forming(): boolean {
    return this.#forming;
  }

  openSession(session: StudySession): void {
    this.#session = session;
    this.#forming = false;
  }

  start(batch: TradeBatch, row: number, n: number, startNs: number): void {
    this.#id = barId(batch, row, n);
    this.#startNs = startNs;
    this.#forming = true;
    this.#finder.clear();
  }

  addRows(batch: TradeBatch, from: number, to: number): void {
    this.#carried.trade(batch, from, to);
    this.#finder.addRows(batch, from, to);
    this.#lastRank = batch.firstRank + to - 1;
  }

  addPart(batch: TradeBatch, row: number, size: number): void {
    this.#carried.trade(batch, row, row + 1);
    this.#finder.addPart(batch.price[row]!, size, batch.side[row]!);
    this.#lastRank = batch.firstRank + row;
  }

  finish(endNs: number): void {
    this.finishAfter(this.#lastRank, endNs);
  }

  finishBy(batch: TradeBatch, row: number, endNs: number): void {
    this.finishAfter(batch.firstRank + row, endNs);
  }

  /** The bar ends. Its objects are born by further updates of entry `rank`. */
  finishAfter(rank: number, endNs: number): void {
    this.#forming = false;
    const finds = this.#finder.finds(this.#id);
    const session = this.#session!;
    if (finds.length === 0 || !session.isWhole(rank as Rank, endNs)) return;
    const ts = epochNsText(session.origin, this.#startNs);
    const end = epochNsText(session.origin, endNs);
    for (const { n, data, trigger } of finds) {
      const version = { id: `${this.#id}.${n}`, final: true, ts, data };
      this.#carried.add(version, trigger, rank, end, endNs);
    }
  }
}
