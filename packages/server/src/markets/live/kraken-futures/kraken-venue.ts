/** Kraken Futures behind the port of a venue: a numbered stream, and pages without numbers that go back from a time. */

import { DAY_MS, MS_NS } from '@tapeloom/core/units';
import type { FeedContract, PageAnswer, PageOutcome, PageRequest, Venue } from '../feed.ts';
import { KeyedPagesLine } from '../lines/keyed-pages-line.ts';
import type { PageWish } from '../lines/line.ts';
import { fieldsOf, listOf, refusalOf } from '../venue-answers.ts';
import type { VenueAddresses } from '../venue-kind.ts';
import { KrakenReader } from './kraken-reader.ts';
import { pageTrade } from './kraken-rows.ts';

/** Kraken wants a sign of life within 60 s, and its heartbeats are as frequent. */
const DEAD_AFTER_MS = 70_000;

export function krakenFuturesVenue({ stream, rest }: VenueAddresses): Venue {
  return {
    name: 'kraken-futures',
    limits: {
      contractsPerConnection: 200,
      // The venue names no limit for public requests; those with a key have 500 in 10 s.
      requests: { units: 400, perMs: 10_000 },
      pageWeight: 1,
      pagesAtOnce: 4,
      connects: { units: 60, perMs: 60_000 },
      messages: { units: 50, perMs: 1_000 },
      connectionLifeMs: null,
    },
    acknowledges: true,
    keepAlive: null,
    deadAfterMs: DEAD_AFTER_MS,
    address: () => stream,
    subscribe: (contracts) => {
      const product_ids = contracts.map(({ venueSymbol }) => venueSymbol);
      return [
        JSON.stringify({ event: 'subscribe', feed: 'trade', product_ids }),
        JSON.stringify({ event: 'subscribe', feed: 'heartbeat' }),
      ];
    },
    reader: (contracts) => new KrakenReader(contracts),
    line: ({ contract: { symbol }, ...options }) =>
      new KeyedPagesLine({ symbol, ...options, beginsWithNewest: true }),
    page: (contract, wish) => pageRequest(rest, contract, wish),
    readPage,
  };
}

/** The trades before a time. That of the known trade behind the hole is one of them. */
function pageRequest(
  rest: string,
  { venueSymbol }: FeedContract,
  { before }: PageWish,
): PageRequest {
  const query = new URLSearchParams({ symbol: venueSymbol });
  if (before !== null) {
    const behindMs = before.day * DAY_MS + Math.floor(before.ns / MS_NS) + 1;
    query.set('lastTime', new Date(behindMs).toISOString());
  }
  return { url: `${rest}/derivatives/api/v3/history?${query}` };
}

function readPage(contract: FeedContract, _wish: PageWish, answer: PageAnswer): PageOutcome {
  const refusal = refusalOf(answer);
  if (refusal !== null) return refusal;
  const { history } = fieldsOf(JSON.parse(answer.body), 'of the page');
  const trades = listOf(history, 'history').map((row) => pageTrade(row, contract));
  return { kind: 'trades', trades, isLast: false };
}
