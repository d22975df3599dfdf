/** The naive twin of unfinished auctions. */

import type { Part } from './bar-twin.ts';
import { type CarriedParams, carriedTwin, type TwinFind } from './carried-twin.ts';
import type { TwinTape, TwinUpdate } from './twin-tape.ts';

export interface UnfinishedAuctionsParams extends CarriedParams {
  readonly minVolume: number;
}

export function unfinishedAuctionsTwin(
  tape: TwinTape,
  params: UnfinishedAuctionsParams,
): TwinUpdate[] {
  return carriedTwin(tape, params, (parts, barId) => {
    const prices = parts.map((part) => part.price);
    const ends = [
      { n: 1, kind: 'high', side: 1, price: Math.max(...prices) },
      { n: 2, kind: 'low', side: -1, price: Math.min(...prices) },
    ];
    return ends.flatMap(({ n, kind, side, price }): TwinFind[] => {
      const [bid, ask] = [lotsAt(parts, price, -1), lotsAt(parts, price, 1)];
      if (bid < params.minVolume || ask < params.minVolume) return [];
      return [{ n, side, price, data: { kind, price, bid, ask, barId } }];
    });
  });
}

function lotsAt(parts: readonly Part[], price: number, side: number): number {
  return parts
    .filter((part) => part.price === price && part.side === side)
    .reduce((all, part) => all + part.size, 0);
}
