/** All venues that the service can receive live trades from, by the name that an operator writes. */

import { binanceCoinm, binanceUsdm } from './binance/binance-venue.ts';
import { bybitInverseKind, bybitLinearKind } from './bybit/bybit-venue.ts';
import { coinbase } from './coinbase/coinbase.ts';
import { databentoKind } from './databento/databento-kind.ts';
import { deribit } from './deribit/deribit.ts';
import { krakenFutures } from './kraken-futures/kraken-futures.ts';
import { okxKind } from './okx/okx-venue.ts';
import type { VenueKind } from './venue-kind.ts';

export const VENUES: readonly VenueKind[] = [
  binanceUsdm,
  binanceCoinm,
  databentoKind,
  coinbase,
  deribit,
  krakenFutures,
  okxKind,
  bybitLinearKind,
  bybitInverseKind,
];

/** Null: there is none of this name. */
export function venueNamed(name: string): VenueKind | null {
  return VENUES.find((kind) => kind.name === name) ?? null;
}
