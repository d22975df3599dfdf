/** The naive twin of stacked imbalances: from every row upwards as far as the imbalances reach. */

import type { Part } from './bar-twin.ts';
import { type CarriedParams, carriedTwin, type TwinFind } from './carried-twin.ts';
import { type FootprintParams, imbalancesOf, rowsOf } from './footprint-twin.ts';
import type { TwinTape, TwinUpdate } from './twin-tape.ts';

export interface ImbalancesParams
  extends CarriedParams,
    Pick<FootprintParams, 'group' | 'ratio' | 'minVolume' | 'zero'> {
  readonly stack: number;
}

export function imbalancesTwin(tape: TwinTape, params: ImbalancesParams): TwinUpdate[] {
  return carriedTwin(tape, params, (parts, barId) => zonesIn(parts, barId, params));
}

function zonesIn(parts: readonly Part[], barId: string, params: ImbalancesParams): TwinFind[] {
  const { group, stack } = params;
  const rows = rowsOf(parts, group);
  const found = imbalancesOf(rows, params);
  const isOne = (price: number, side: number) =>
    found.some(([at, of]) => at === price && of === side);
  const zones = rows.flatMap(({ price: low }) =>
    [-1, 1].flatMap((side) => {
      if (!isOne(low, side) || isOne(low - group, side)) return [];
      let count = 1;
      while (isOne(low + count * group, side)) count += 1;
      if (count < stack) return [];
      const high = low + count * group - 1;
      const volume = parts
        .filter((part) => part.side === side && part.price >= low && part.price <= high)
        .reduce((all, part) => all + part.size, 0);
      return [{ side, low, high, rows: count, volume, barId }];
    }),
  );
  return zones.map((data, index) => {
    const removedBy =
      data.side === 1 ? { side: -1, price: data.low - 1 } : { side: 1, price: data.high + 1 };
    return { n: index + 1, data, ...removedBy };
  });
}
