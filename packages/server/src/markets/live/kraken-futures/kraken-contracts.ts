/** Kraken's perpetuals and futures as the venue describes them. */

import { instantOf } from '../lines/line.ts';
import { listedContracts, type Row, requestRows, stepOf } from '../listed-contracts.ts';
import type { Network } from '../network.ts';
import { timeOfText } from '../time-of-text.ts';
import { fieldsOf, textOf, wholeOf } from '../venue-answers.ts';
import type { VenueAddresses, VenueContract } from '../venue-kind.ts';

const INVERSE = 'futures_inverse';
/** The list has indices and options too. */
const TYPES: ReadonlySet<unknown> = new Set([INVERSE, 'futures_vanilla', 'flexible_futures']);

export async function krakenContracts(
  network: Network,
  { rest }: VenueAddresses,
  venueSymbols: readonly string[],
  signal: AbortSignal,
): Promise<readonly VenueContract[]> {
  const url = `${rest}/derivatives/api/v3/instruments`;
  const all = await requestRows(network, url, 'instruments', signal);
  const rows = all.filter((row) => TYPES.has((row as Row | null)?.type));
  const list = { venue: 'Kraken Futures', url, rows, nameField: 'symbol', read: contractOf };
  return listedContracts(list, venueSymbols);
}

function contractOf(value: Row, venueSymbol: string): VenueContract {
  const row = fieldsOf(value, 'instruments');
  const end = row.lastTradingTime ?? null;
  const kind = end === null ? 'perpetual' : 'future';
  const isInverse = row.type === INVERSE;
  const precision = wholeOf(row.contractValueTradePrecision, 'contractValueTradePrecision');
  return {
    venueSymbol,
    kind,
    root: kind === 'future' ? venueSymbol.replace(/_\d{6}$/, '') : venueSymbol,
    title: `${venueSymbol} ${kind}`,
    base: row.base === undefined ? '' : textOf(row.base, 'base'),
    currency: textOf(row.quote, 'quote'),
    tick: stepOf(row.tickSize, 'tickSize'),
    // Decimals of a size; below zero: sizes are multiples of 10, 100 …
    lot: stepOf(`1e${-precision}`, 'contractValueTradePrecision'),
    pointValue: isInverse ? '1' : stepOf(row.contractSize, 'contractSize'),
    isInverse,
    expiresAt: end === null ? null : instantOf(timeOfText(end, 'lastTradingTime')),
    notTraded: row.tradeable === true ? null : 'it is not tradeable',
    calendar: null,
  };
}
