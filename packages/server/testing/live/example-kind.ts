/** The example venue as the service knows venues: with descriptions of its contracts, and registered while a test runs. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { didYouMean } from '../../src/config/nearest-name.ts';
import type { PageAnswer } from '../../src/markets/live/feed.ts';
import { fieldsOf, listOf, requestJson } from '../../src/markets/live/venue-answers.ts';
import {
  type VenueContract,
  VenueError,
  type VenueKind,
} from '../../src/markets/live/venue-kind.ts';
import { VENUES } from '../../src/markets/live/venues.ts';
import type { Dialect } from './dialect.ts';
import { exampleDialect } from './example-dialect.ts';
import { exampleVenue } from './example-feed.ts';

const PERPETUAL: VenueContract = {
  venueSymbol: 'AAA-PERP',
  kind: 'perpetual',
  root: 'AAA',
  title: 'AAA perpetual',
  base: 'AAA',
  currency: 'USDT',
  tick: '0.25',
  lot: '1',
  pointValue: '1',
  isInverse: false,
  expiresAt: null,
  notTraded: null,
  calendar: null,
};

export function exampleFuture(venueSymbol: string, expiry: string): VenueContract {
  return {
    ...PERPETUAL,
    venueSymbol,
    kind: 'future',
    title: `AAA ${venueSymbol.slice(4)}`,
    expiresAt: Temporal.Instant.from(expiry).epochNanoseconds as EpochNs,
  };
}

/** What the example venue lists. */
export const EXAMPLE_CONTRACTS: readonly VenueContract[] = [
  PERPETUAL,
  { ...PERPETUAL, venueSymbol: 'BBB-PERP', root: 'BBB', title: 'BBB perpetual', lot: '1e-3' },
  {
    ...PERPETUAL,
    ...{ venueSymbol: 'CCC-PERP', root: 'CCC', title: 'CCC perpetual', currency: 'USD' },
    ...{ tick: '0.10', pointValue: '1', isInverse: true },
  },
  exampleFuture('AAA-MAR27', '2027-03-26T08:00:00Z'),
  exampleFuture('AAA-JUN27', '2027-06-25T08:00:00Z'),
  { ...exampleFuture('AAA-SEP27', '2027-09-24T08:00:00Z'), tick: '0.5' },
  { ...exampleFuture('AAA-DEC27', '2027-12-31T08:00:00Z'), lot: '10' },
  { ...PERPETUAL, venueSymbol: 'ZZZ-PERP', root: 'ZZZ', notTraded: 'it was delisted' },
];

export const exampleKind: VenueKind = {
  name: 'example',
  title: 'Example exchange',
  exchange: 'EXAMPLE',
  budgetGroup: 'example',
  addresses: { stream: 'wss://example.invalid/stream', rest: 'https://example.invalid' },
  needsKey: false,
  venueDataset: null,
  graceMs: 250,
  provesCompleteness: true,
  beginsEarlier: true,
  examples: ['AAA-PERP', 'BBB-PERP'],
  open: ({ addresses }) => ({ ...exampleVenue, address: () => addresses.stream }),
  async contracts(network, { addresses }, venueSymbols, signal) {
    const url = `${addresses.rest}/contracts?symbols=${venueSymbols.join(',')}`;
    const answer = fieldsOf(await requestJson(network, { url }, signal), 'answer');
    const listed = listOf(answer.contracts, 'contracts') as (VenueContract & { expiry?: string })[];
    return venueSymbols.map((name) => {
      const found = listed.find(({ venueSymbol }) => venueSymbol === name);
      if (found !== undefined) return { ...found, expiresAt: expiryOf(found.expiresAt) };
      const near = didYouMean(
        name,
        listed.map(({ venueSymbol }) => venueSymbol),
      );
      throw new VenueError(`Example exchange has no ${name}.${near}`, false);
    });
  },
};

/** The dialect of the example venue, with its list of contracts. */
export const exampleKindDialect: Dialect = {
  ...exampleDialect,
  page(request, trades, nowMs) {
    if (new URL(request.url).pathname !== '/contracts') {
      return exampleDialect.page(request, trades, nowMs);
    }
    return { rows: [], answer: () => contractsAnswer(), forgotten: null };
  },
};

export function contractsAnswer(contracts = EXAMPLE_CONTRACTS): PageAnswer {
  const texts = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
  return { status: 200, headers: {}, body: JSON.stringify({ contracts }, texts) };
}

/** JSON has no bigint. */
function expiryOf(text: unknown): EpochNs | null {
  return text === null ? null : (BigInt(text as string) as EpochNs);
}

/** Files of instruments may name this venue until it is disposed. */
export function registerVenue(kind: VenueKind): Disposable {
  const venues = VENUES as VenueKind[];
  venues.push(kind);
  return { [Symbol.dispose]: () => void venues.splice(venues.indexOf(kind), 1) };
}
