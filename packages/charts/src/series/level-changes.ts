/** What a newer version of a bar adds to an older one, price by price. */

import type { ChartBar } from './chart-bar.ts';

export type LevelVisitor = (price: number, bid: number, ask: number, unknown: number) => void;

/** All levels of a bar, or those that changed since `before`, with the lots added. */
export function visitAdded(bar: ChartBar, before: ChartBar | null, visit: LevelVisitor): void {
  const { levels } = bar;
  if (levels === null) return;
  const old = before?.levels ?? null;
  let at = 0;
  for (let row = 0; row < levels.count; row += 1) {
    const price = levels.price[row]!;
    while (old !== null && at < old.count && old.price[at]! < price) at += 1;
    const isOld = old !== null && at < old.count && old.price[at] === price;
    const bid = levels.bid[row]! - (isOld ? old.bid[at]! : 0);
    const ask = levels.ask[row]! - (isOld ? old.ask[at]! : 0);
    const unknown = levels.unknown[row]! - (isOld ? old.unknown[at]! : 0);
    if (bid !== 0 || ask !== 0 || unknown !== 0) visit(price, bid, ask, unknown);
  }
}

/** Whether `bar` is `before` with more trades. A version from another course of things is not. */
export function isGrown(bar: ChartBar, before: ChartBar): boolean {
  if (bar.id !== before.id || before.isFinal || bar.trades < before.trades) return false;
  const { levels } = bar;
  const old = before.levels;
  if (old === null || levels === null) return old === levels;
  let at = 0;
  for (let row = 0; row < old.count; row += 1) {
    const price = old.price[row]!;
    while (at < levels.count && levels.price[at]! < price) at += 1;
    if (at === levels.count || levels.price[at] !== price) return false;
    if (levels.bid[at]! < old.bid[row]! || levels.ask[at]! < old.ask[row]!) return false;
    if (levels.unknown[at]! < old.unknown[row]!) return false;
  }
  return true;
}
