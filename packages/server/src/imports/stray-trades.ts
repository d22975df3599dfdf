/**
 * Stray trades: trades in a file that were made before it begins. A file cut by time of capture has trades that were
 * captured late. They lie in hours that another file covers, so a replacement must know which file they belong to.
 */

import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { StrayTrade } from '../tape/imported/imported-manifest.ts';
import { CAPTURE_NS_MAX, type DayCoverage, extentOf } from './file-coverage.ts';
import { tradesIn } from './merge-day.ts';

/** Per day; more than this have another cause, and are treated as ordinary trades. */
const STRAYS_MAX = 1_000;

/** The strays of a file on a day. */
export function straysIn(trades: TradeBatch, { edges, covered }: DayCoverage): StrayTrade[] {
  const strays = edges
    .filter(({ isBegin, by }) => isBegin && by === 'capture')
    .flatMap(({ ns: edge }) =>
      tradesIn(trades, [edge - CAPTURE_NS_MAX, edge]).map((trade) => ({ ...trade, edge })),
    )
    .filter(({ ns }) => !covered.some(([from, to]) => from <= ns && ns < to));
  return strays.length > STRAYS_MAX ? [] : strays;
}

/** Whether a trade belongs to this file's coverage, and not to another file. */
export function isStrayOf({ ns, edge }: StrayTrade, coverage: DayCoverage): boolean {
  const isByCapture = coverage.edges.some(({ by }) => by === 'capture');
  const place = isByCapture ? edge : ns;
  return extentOf(coverage).some(([from, to]) => from <= place && place < to);
}

/** The known strays of a day after those of a file were added. */
export function withStrays(
  known: readonly StrayTrade[],
  more: readonly StrayTrade[],
): readonly StrayTrade[] {
  const keyOf = ({ ns, price, size, side, edge }: StrayTrade) =>
    [ns, price, size, side, edge].join(' ');
  const keys = new Set(more.map(keyOf));
  const all = [...known.filter((one) => !keys.has(keyOf(one))), ...more];
  return all.sort((a, b) => a.ns - b.ns).slice(0, STRAYS_MAX);
}
