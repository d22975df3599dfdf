/**
 * A cutter divides the trades of a session into bars of one kind, restarting at each open. It passes runs of rows to
 * the bar, so that the hot loop there works on typed arrays. Every bar has a trade, except empty renko bricks.
 */

import type { TradeBatch } from '../../trade-batch.ts';
import type { StudySession } from '../study.ts';

export interface BarCutter {
  /** When the forming bar ends by the clock; Infinity if only trades end it. */
  readonly endNs: number;
  openSession(session: StudySession): void;
  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): void;
}

/** The bar that a cutter builds; it is reused for each bar. */
export interface CutBar {
  readonly forming: boolean;
  /** The edges of a renko brick; null if open and close are those of the trades. */
  openEdge: number | null;
  closeEdge: number | null;
  /** A bar starts with this trade: its `n`-th bar, or 0 if a trade starts one at most. */
  start(batch: TradeBatch, row: number, n: number, startNs: number): void;
  addRows(batch: TradeBatch, from: number, to: number, offsetNs: number): void;
  addPart(batch: TradeBatch, row: number, size: number, offsetNs: number): void;
  /** The bar is full with the trades it has. */
  finish(endNs: number): void;
  /** The bar ends by this trade, which is not part of it. */
  finishBy(batch: TradeBatch, row: number, endNs: number): void;
}

/** <UTC day>.<rank> of the bar's first trade, and `n` if not 0. */
export function barId(batch: TradeBatch, row: number, n: number): string {
  const id = `${batch.day}.${batch.firstRank + row}`;
  return n === 0 ? id : `${id}.${n}`;
}
