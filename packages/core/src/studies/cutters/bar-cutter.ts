/**
 * A cutter turns the trades of a session into bars of one kind. It hands whole runs of rows to the
 * bar it drives, so that the hot loop behind sees typed arrays and not single trades. All kinds start
 * afresh at a session's open; none makes a bar without a trade, save empty renko bricks.
 */

import type { TradeBatch } from '../../trade-batch.ts';
import type { StudySession } from '../study.ts';

export interface BarCutter {
  /** When the forming bar ends by the clock; Infinity for kinds that only trades end. */
  readonly endNs: number;
  openSession(session: StudySession): void;
  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): void;
}

/** The bar a cutter builds, one after the other. */
export interface CutBar {
  readonly forming: boolean;
  /** The brick's edges; null where the first and the last trade tell open and close. */
  openEdge: number | null;
  closeEdge: number | null;
  /** A bar starts with this trade: its `n`-th bar, or 0 where a trade starts one at most. */
  start(batch: TradeBatch, row: number, n: number, startNs: number): void;
  addRows(batch: TradeBatch, from: number, to: number, offsetNs: number): void;
  /** A part of one trade. */
  addPart(batch: TradeBatch, row: number, size: number, offsetNs: number): void;
  /** The bar is full with what it got last. */
  finish(endNs: number): void;
  /** The bar ends by this trade, without holding any more of it. */
  finishBy(batch: TradeBatch, row: number, endNs: number): void;
}

/** <UTC day>.<rank> of the bar's first trade, and which of its bars it is. */
export function barId(batch: TradeBatch, row: number, n: number): string {
  const id = `${batch.day}.${batch.firstRank + row}`;
  return n === 0 ? id : `${id}.${n}`;
}
