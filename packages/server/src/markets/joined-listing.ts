/**
 * The joined listing of several markets, each on its own day. A name means one thing in all of them, and so does a
 * dataset's name.
 */

import type { Contract } from '@tapeloom/core/instrument/contract';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { Market, MarketListing } from './market.ts';

/** Two markets use the same name; the message names it. */
export class MarketClashError extends Error {}

/** Contracts of several markets, and those of them that can be streamed now. */
export interface JoinedListing extends Omit<MarketListing, 'streamedOn'> {
  readonly streamed: readonly Contract[];
}

/** `dayOf`: the day of a dataset. Throws a `MarketClashError`. */
export function joinedListing(
  markets: readonly Market[],
  dayOf: (dataset: string) => UtcDay,
): JoinedListing {
  refuseNamesakes(markets);
  const days = markets.map(({ dataset }) => dayOf(dataset));
  const listings = markets.map((market, index) => market.listing(days[index]!));
  const streamed = listings.flatMap((listing, index) => listing.streamedOn(days[index]!));
  if (markets.length === 1) return { ...listings[0]!, streamed };
  const byName = new Map<string, string>();
  for (const [index, { book }] of listings.entries()) {
    const { dataset } = markets[index]!;
    const names = [
      ...book.all().map((it) => it.symbol),
      ...book.allAliases().map((it) => it.alias),
    ];
    for (const name of names) {
      const other = byName.get(name);
      if (other !== undefined) {
        throw new MarketClashError(
          `${name} is in ${other} and in ${dataset}: within a service a name means one thing. ` +
            'Give one of them another symbol, or leave one of the two out',
        );
      }
      byName.set(name, dataset);
    }
  }
  const contracts = listings.flatMap((listing) => listing.contracts);
  const aliases = listings.flatMap(({ book }) => book.allAliases());
  return {
    contracts,
    book: new InstrumentBook(contracts, aliases),
    streamed,
  };
}

function refuseNamesakes(markets: readonly Market[]): void {
  const seen = new Set<string>();
  for (const { dataset } of markets) {
    if (seen.has(dataset)) {
      throw new MarketClashError(
        `${dataset} is the name of two datasets of this service. Give the imported one another`,
      );
    }
    seen.add(dataset);
  }
}
