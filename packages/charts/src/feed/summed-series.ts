/** The objects of an indicator among the sums of a chart. */

import type { ObjectSeries } from '../series/object-series.ts';
import type { SessionSums } from '../series/sums.ts';

/** Null: it is not summed. */
export function summedSeries(sums: SessionSums, indicator: string): ObjectSeries | null {
  switch (indicator) {
    case 'delta':
      return sums.delta as ObjectSeries;
    case 'vwap':
      return sums.vwap as ObjectSeries;
    case 'volume-profile':
      return sums.profile as ObjectSeries;
    case 'unfinished-auctions':
      return sums.unfinished as ObjectSeries;
    default:
      return null;
  }
}
