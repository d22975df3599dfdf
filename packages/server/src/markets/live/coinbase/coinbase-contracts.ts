/** Coinbase's products as Coinbase Exchange describes them. */

import { listedContracts, type Row, requestRows, stepOf } from '../listed-contracts.ts';
import type { Network } from '../network.ts';
import { textOf } from '../venue-answers.ts';
import type { VenueAddresses, VenueContract } from '../venue-kind.ts';

export async function coinbaseContracts(
  network: Network,
  { rest }: VenueAddresses,
  venueSymbols: readonly string[],
  signal: AbortSignal,
): Promise<readonly VenueContract[]> {
  const url = `${rest}/products`;
  const rows = await requestRows(network, url, null, signal);
  const list = { venue: 'Coinbase', url, rows, nameField: 'id', read: contractOf };
  return listedContracts(list, venueSymbols);
}

function contractOf(row: Row, venueSymbol: string): VenueContract {
  return {
    venueSymbol,
    kind: 'spot',
    root: venueSymbol,
    title: `${venueSymbol} spot`,
    base: textOf(row.base_currency, 'base_currency'),
    currency: textOf(row.quote_currency, 'quote_currency'),
    tick: stepOf(row.quote_increment, 'quote_increment'),
    lot: stepOf(row.base_increment, 'base_increment'),
    pointValue: '1',
    isInverse: false,
    expiresAt: null,
    notTraded: whyNotTraded(row),
    calendar: null,
  };
}

function whyNotTraded(row: Row): string | null {
  const status = textOf(row.status, 'status');
  if (status !== 'online') return `its status is ${status}`;
  return row.trading_disabled === true ? 'its trading is disabled' : null;
}
