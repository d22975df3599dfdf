/**
 * Diagonal imbalances: aggressive buying in a row against aggressive selling one row below, and the mirror image. Rows
 * are neighbours by price, not by index: an untraded row has volume 0. The ratio is compared in whole hundredths, so
 * nothing is rounded.
 */

import type { ParameterDefinition, Params } from './indicator.ts';
import type { PriceRows } from './price-histogram.ts';

export const IMBALANCE_PARAMETERS: readonly ParameterDefinition[] = [
  {
    name: 'ratio',
    type: 'number',
    default: 3,
    minimum: 1,
    maximum: 1_000,
    multipleOf: 0.01,
    description:
      'The least multiple of the opposite volume that the dominant volume must be; 3 is "300 %".',
  },
  {
    name: 'minVolume',
    type: 'integer',
    default: 10,
    minimum: 1,
    maximum: 1_000_000_000,
    unit: 'lots',
    description: 'Lots that the dominant side of an imbalance must hold at least.',
  },
  {
    name: 'zero',
    type: 'string',
    default: 'ignore',
    values: ['ignore', 'count'],
    description: 'Whether an opposite volume of 0 makes an imbalance.',
  },
];

export const IMBALANCE_RULES =
  'A row has a buy imbalance if ask(row) ≥ ratio × bid(row below), and a sell imbalance if bid(row) ' +
  '≥ ratio × ask(row above). The dominant side must also hold at least minVolume lots. The row ' +
  'above or below is the neighbour in price; a row without a trade has volume 0. An opposite volume ' +
  'of 0 makes an imbalance only if zero is count.';

export interface ImbalanceRule {
  /** Dominant volume over opposite volume, times 100. */
  readonly ratioHundredths: number;
  /** The least lots of the dominant side. */
  readonly minVolume: number;
  /** Whether an opposite volume of 0 makes an imbalance. */
  readonly zeroCounts: boolean;
}

export function imbalanceRule(params: Params): ImbalanceRule {
  return {
    ratioHundredths: Math.round((params.ratio as number) * 100),
    minVolume: params.minVolume as number,
    zeroCounts: params.zero === 'count',
  };
}

/** `[price, side]` pairs, ascending by price, at one price the sell side (-1) first. */
export function imbalances(rows: PriceRows, rule: ImbalanceRule): [number, number][] {
  const found: [number, number][] = [];
  for (let row = 0; row < rows.count; row += 1) {
    const price = rows.price[row]!;
    const hasAbove = row + 1 < rows.count && rows.price[row + 1] === price + rows.group;
    const hasBelow = row > 0 && rows.price[row - 1] === price - rows.group;
    const askAbove = hasAbove ? rows.ask[row + 1]! : 0;
    const bidBelow = hasBelow ? rows.bid[row - 1]! : 0;
    if (dominates(rows.bid[row]!, askAbove, rule)) found.push([price, -1]);
    if (dominates(rows.ask[row]!, bidBelow, rule)) found.push([price, 1]);
  }
  return found;
}

function dominates(volume: number, opposite: number, rule: ImbalanceRule): boolean {
  if (volume < rule.minVolume) return false;
  if (opposite === 0) return rule.zeroCounts;
  return volume * 100 >= rule.ratioHundredths * opposite;
}
