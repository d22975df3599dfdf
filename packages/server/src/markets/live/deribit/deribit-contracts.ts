/** Deribit's futures, perpetuals and spot pairs as the venue describes them. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { listedContracts, type Row, requestRows, stepOf } from '../listed-contracts.ts';
import type { Network } from '../network.ts';
import { FieldError, textOf, wholeOf } from '../venue-answers.ts';
import type { VenueAddresses, VenueContract } from '../venue-kind.ts';

export async function deribitContracts(
  network: Network,
  { rest }: VenueAddresses,
  venueSymbols: readonly string[],
  signal: AbortSignal,
): Promise<readonly VenueContract[]> {
  const url = `${rest}/public/get_instruments?currency=any`;
  const rows: unknown[] = [];
  for (const kind of ['future', 'spot']) {
    rows.push(...(await requestRows(network, `${url}&kind=${kind}`, 'result', signal)));
  }
  const list = { venue: 'Deribit', url, rows, nameField: 'instrument_name', read: contractOf };
  return listedContracts(list, venueSymbols);
}

function contractOf(row: Row, venueSymbol: string): VenueContract {
  const kind = kindOf(row);
  const isInverse = kind !== 'spot' && row.instrument_type === 'reversed';
  return {
    venueSymbol,
    kind,
    root: kind === 'future' ? venueSymbol.replace(/-[^-]+$/, '') : venueSymbol,
    title: kind === 'perpetual' ? venueSymbol : `${venueSymbol} ${kind}`,
    base: textOf(row.base_currency, 'base_currency'),
    currency: textOf(row.quote_currency, 'quote_currency'),
    tick: stepOf(row.tick_size, 'tick_size'),
    lot: lotOf(row, kind),
    // Sizes are dollars of an inverse contract, and coins of every other one.
    pointValue: '1',
    isInverse,
    expiresAt: kind === 'future' ? expiryOf(row) : null,
    notTraded: row.is_active === false ? 'it is not active' : null,
    calendar: null,
  };
}

function kindOf(row: Row): VenueContract['kind'] {
  if (row.kind === 'spot') return 'spot';
  if (row.kind !== 'future') throw new FieldError('kind', row.kind);
  return row.settlement_period === 'perpetual' ? 'perpetual' : 'future';
}

/** A contract; of a spot pair, which has none, the least amount. */
function lotOf(row: Row, kind: VenueContract['kind']): string {
  const field = kind === 'spot' ? 'min_trade_amount' : 'contract_size';
  return stepOf(row[field], field);
}

function expiryOf(row: Row): EpochNs {
  const ms = wholeOf(row.expiration_timestamp, 'expiration_timestamp');
  return (BigInt(ms) * MS_NS_BIG) as EpochNs;
}
