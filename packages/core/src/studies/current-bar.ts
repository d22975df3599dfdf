/**
 * The bar under construction, and the numbering that all bars share. A trade causes one update per bar it touches (k =
 * 1, 2, …). A full bar is final in the update that filled it; a bar that ends otherwise becomes final by one more.
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

/** Properties of a bar that do not follow from its trades. */
export interface BarShape {
  /** The edges of a renko brick; null if open and close are those of the trades. */
  readonly openEdge: number | null;
  readonly closeEdge: number | null;
  /** When the bar ended; while it forms, the time of its last trade. Nanoseconds as text. */
  readonly end: string;
}

/** What a bar-based indicator accumulates from a bar's trades. */
export interface BarContent {
  /** A session opens: contents that span several bars start again. */
  openSession?(session: StudySession): void;
  clear(): void;
  /** Whole trades: rows [from, to), at least one. */
  addRows(batch: TradeBatch, from: number, to: number): void;
  /** A part of one trade. */
  addPart(price: number, size: number, side: number): void;
  data(shape: BarShape): object;
}

export class CurrentBar implements CutBar, BarShape {
  readonly #content: BarContent;
  readonly #mark: Mark = { day: 0 as UtcDay, rank: 0 as Rank, k: 0 };
  #output: StudyOutput | null = null;
  #origin = 0 as UtcDay;
  #forming = false;
  #id = '';
  #startNs = 0;
  #lastNs = 0;
  #endNs = 0;
  /** The trade whose updates `#k` counts. */
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

  /** The updates of the last trade so far. */
  get k(): number {
    return this.#k;
  }

  /** The end of the version under construction, formatted only for contents that show it. */
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

  /** The bar is full: final in its newest update. */
  finish(endNs: number): void {
    this.#settle(endNs);
  }

  /** The bar ends by a further update of this trade, which is not part of it. */
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
