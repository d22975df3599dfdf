/** Why a cell is marked: the rule and its numbers, in sentences. */

import { BUY, type Rows, SELL } from '../series/rows.ts';
import type { CellRules } from '../spec/chart-spec.ts';
import { countText } from './number-text.ts';

export function whyMarked(rows: Rows, row: number, rules: CellRules): readonly string[] {
  const why: string[] = [];
  const marked = rows.imbalance[row] ?? 0;
  if ((marked & BUY) !== 0) {
    const bid = row > 0 ? rows.bid[row - 1]! : 0;
    why.push(imbalanceText('Buy', 'Ask', rows.ask[row]!, 'bid', bid, 'lower', rules));
  }
  if ((marked & SELL) !== 0) {
    const ask = row + 1 < rows.count ? rows.ask[row + 1]! : 0;
    why.push(imbalanceText('Sell', 'Bid', rows.bid[row]!, 'ask', ask, 'higher', rules));
  }
  for (const { side, from, to } of rows.stacks) {
    if (row < from || row > to) continue;
    const name = side > 0 ? 'buy' : 'sell';
    why.push(`Stacked. ${to - from + 1} ${name} imbalances in a row; ${rules.stack} make a stack.`);
  }
  if (row === rows.poc) {
    const volume = rows.bid[row]! + rows.ask[row]! + rows.unknown[row]!;
    why.push(`Point of control of this bar. No row traded more than ${countText(volume)}.`);
  }
  if (row === rows.vah) why.push(areaText('Upper', rules));
  if (row === rows.val && rows.val !== rows.vah) why.push(areaText('Lower', rules));
  if (row === rows.count - 1 && rows.isUnfinishedHigh) {
    why.push('Unfinished auction. Both sides traded at the high.');
  }
  if (row === 0 && rows.isUnfinishedLow) {
    why.push('Unfinished auction. Both sides traded at the low.');
  }
  return why;
}

/** "Buy imbalance. Ask 1,883 is 3.9 × the bid 488 one row lower." */
function imbalanceText(
  name: string,
  strong: string,
  lots: number,
  weak: string,
  opposite: number,
  where: 'lower' | 'higher',
  { minVolume }: CellRules,
): string {
  const from = `${strong} ${countText(lots)}`;
  if (opposite === 0) {
    return `${name} imbalance. ${from}, and no ${weak} one row ${where}; at least ${countText(minVolume)} are needed.`;
  }
  const times = timesText(lots / opposite);
  return `${name} imbalance. ${from} is ${times} × the ${weak} ${countText(opposite)} one row ${where}.`;
}

function timesText(ratio: number): string {
  return ratio >= 100 ? countText(ratio) : ratio.toFixed(1);
}

function areaText(edge: string, { valueArea }: CellRules): string {
  return `${edge} edge of the value area. It holds at least ${valueArea} % of the bar's volume.`;
}
