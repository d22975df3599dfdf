/** All venues that the service can receive live trades from, by the name that an operator writes. */

import { coinbase } from './coinbase/coinbase.ts';
import { deribit } from './deribit/deribit.ts';
import { krakenFutures } from './kraken-futures/kraken-futures.ts';
import type { VenueKind } from './venue-kind.ts';

export const VENUES: readonly VenueKind[] = [coinbase, deribit, krakenFutures];

/** Null: there is none of this name. */
export function venueNamed(name: string): VenueKind | null {
  return VENUES.find((kind) => kind.name === name) ?? null;
}
