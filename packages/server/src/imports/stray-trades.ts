/**
 * Trades that a file has though they were made before it begins: a file that is cut by the time of capture has those that
 * were captured late. They stand among hours that another file covers, so a replacement must know whose they are.
 */

import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { StrayTrade } from '../tape/imported/imported-manifest.ts';
import { CAPTURE_NS_MAX, type DayCoverage, extentOf } from './file-coverage.ts';
import { tradesIn } from './merge-day.ts';

/** Of one day; a file with more has another reason for them, and they are trades like any other. */
const STRAYS_MAX = 1_000;

/** Those that a file has of a day. */
export function straysIn(trades: TradeBatch, { edges, covered }: DayCoverage): StrayTrade[] {
  const strays = edges
    .filter(({ isBegin, by }) => isBegin && by === 'capture')
    .flatMap(({ ns: edge }) =>
      tradesIn(trades, [edge - CAPTURE_NS_MAX, edge]).map((trade) => ({ ...trade, edge })),
    )
    .filter(({ ns }) => !covered.some(([from, to]) => from <= ns && ns < to));
  return strays.length > STRAYS_MAX ? [] : strays;
}

/** Whether a trade belongs to what a file covers, and not to another one. */
export function isStrayOf({ ns, edge }: StrayTrade, coverage: DayCoverage): boolean {
  const isByCapture = coverage.edges.some(({ by }) => by === 'capture');
  const place = isByCapture ? edge : ns;
  return extentOf(coverage).some(([from, to]) => from <= place && place < to);
}

/** Those that are known of a day once a file's have come to them. */
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
