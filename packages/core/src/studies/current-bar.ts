/**
 * The bar that is being built, whatever cuts it and whatever it holds, and the numbering all bars
 * share: a trade causes one update per bar it touches (k = 1, 2, …), a bar that is full becomes final
 * in the update that filled it, and a bar that something else ends becomes final by one update more.
 */

import type { Rank, UtcDay } from '../numbers.ts';
import type { TradeBatch } from '../trade-batch.ts';
import { epochNsText } from '../utc-day.ts';
import { barId, type CutBar } from './cutters/bar-cutter.ts';
import {
  compareMarks,
  type FormingVisitor,
  type Mark,
  type StudyOutput,
  type StudySession,
} from './study.ts';

/** What of a bar its trades do not tell. */
export interface BarShape {
  /** The brick's edges; null where the first and the last trade tell open and close. */
  readonly openEdge: number | null;
  readonly closeEdge: number | null;
  /** When the bar ended, or the time of its last trade while it forms; nanoseconds as text. */
  readonly end: string;
}

/** What a bar-based indicator gathers of a bar's trades. */
export interface BarContent {
  /** A session opens: contents that gather over more than a bar start afresh here. */
  openSession?(session: StudySession): void;
  /** A new bar begins. */
  clear(): void;
  /** Whole trades: rows [from, to), at least one. */
  addRows(batch: TradeBatch, from: number, to: number): void;
  /** A part of one trade. */
  addPart(price: number, size: number, side: number): void;
  /** The object's `data` as it stands. */
  data(shape: BarShape): object;
}

export class CurrentBar implements CutBar, BarShape {
  readonly #content: BarContent;
  /** The newest update of the bar. */
  readonly #mark: Mark = { day: 0 as UtcDay, rank: 0 as Rank, k: 0 };
  #output: StudyOutput | null = null;
  #origin = 0 as UtcDay;
  #forming = false;
  #id = '';
  #startNs = 0;
  #lastNs = 0;
  #endNs = 0;
  /** The trade that `#k` counts the updates of. */
  #rank = 0;
  #k = 0;
  openEdge: number | null = null;
  closeEdge: number | null = null;

  constructor(content: BarContent) {
    this.#content = content;
  }

  get forming(): boolean {
    return this.#forming;
  }

  /** Updates of the last trade so far. */
  get k(): number {
    return this.#k;
  }

  /** Of the version that is being built; made only for contents that show it. */
  get end(): string {
    return epochNsText(this.#origin, this.#endNs);
  }

  openSession(session: StudySession, output: StudyOutput): void {
    this.#origin = session.origin;
    this.#output = output;
    this.#forming = false;
    this.#content.openSession?.(session);
  }

  /** The next row is a trade that caused no update yet. */
  enter(): void {
    this.#rank = -1;
  }

  start(batch: TradeBatch, row: number, n: number, startNs: number): void {
    this.#id = barId(batch, row, n);
    this.#startNs = startNs;
    this.#lastNs = startNs;
    this.#forming = true;
    this.openEdge = null;
    this.closeEdge = null;
    this.#content.clear();
  }

  addRows(batch: TradeBatch, from: number, to: number, offsetNs: number): void {
    this.#content.addRows(batch, from, to);
    this.#lastNs = batch.ts[to - 1]! + offsetNs;
    this.#count(batch, to - 1);
  }

  addPart(batch: TradeBatch, row: number, size: number, offsetNs: number): void {
    this.#content.addPart(batch.price[row]!, size, batch.side[row]!);
    this.#lastNs = batch.ts[row]! + offsetNs;
    this.#count(batch, row);
  }

  /** The bar is full: final in the update it got last. */
  finish(endNs: number): void {
    this.#settle(endNs);
  }

  /** The bar ends by a further update of this trade, without holding any more of it. */
  finishBy(batch: TradeBatch, row: number, endNs: number): void {
    this.#count(batch, row);
    this.#settle(endNs);
  }

  /** The bar ends by time; `entry` is the last tape entry before. Returns that entry's new k. */
  finishAfter(entry: Readonly<Mark>, endNs: number): number {
    this.#mark.day = entry.day;
    this.#mark.rank = entry.rank;
    this.#mark.k = entry.k + 1;
    this.#settle(endNs);
    return this.#mark.k;
  }

  visit(since: Readonly<Mark> | null, visit: FormingVisitor): void {
    if (!this.#forming) return;
    if (since !== null && compareMarks(this.#mark, since) <= 0) return;
    visit(this.#version(false, this.#lastNs), this.#mark);
  }

  #count(batch: TradeBatch, row: number): void {
    const rank = batch.firstRank + row;
    this.#k = rank === this.#rank ? this.#k + 1 : 1;
    this.#rank = rank;
    this.#mark.day = batch.day;
    this.#mark.rank = rank as Rank;
    this.#mark.k = this.#k;
  }

  #settle(endNs: number): void {
    this.#forming = false;
    this.#output!.upsert(this.#version(true, endNs), this.#mark.rank, this.#mark.k, endNs);
  }

  #version(final: boolean, endNs: number) {
    this.#endNs = endNs;
    return {
      id: this.#id,
      final,
      ts: epochNsText(this.#origin, this.#startNs),
      data: this.#content.data(this),
    };
  }
}
