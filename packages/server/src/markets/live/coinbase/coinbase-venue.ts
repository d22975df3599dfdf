/**
 * Coinbase behind the port of a venue: the stream of Advanced Trade, and the pages of Coinbase Exchange, which has the
 * same trades with the same numbers.
 */

import type { FeedContract, PageAnswer, PageOutcome, PageRequest, Venue } from '../feed.ts';
import type { FeedTrade, PageWish } from '../lines/line.ts';
import { NumberedLine } from '../lines/numbered-line.ts';
import { fieldsOf, listOf, refusalOf } from '../venue-answers.ts';
import type { VenueAddresses } from '../venue-kind.ts';
import { CoinbaseReader, TRADES_CHANNEL } from './coinbase-reader.ts';
import { coinbaseTrade } from './coinbase-rows.ts';

const PAGE_TRADES_MAX = 1_000;
/** Of a product whose numbers are not known yet. */
const NEWEST_TRADES = 10;
/** There is a heartbeat each second. */
const DEAD_AFTER_MS = 10_000;

export function coinbaseVenue({ stream, rest }: VenueAddresses): Venue {
  return {
    name: 'coinbase',
    limits: {
      contractsPerConnection: 200,
      requests: { units: 100, perMs: 10_000 },
      pageWeight: 1,
      pagesAtOnce: 4,
      // Each sends two messages, of which this machine may send eight a second.
      connects: { units: 3, perMs: 1_000 },
      messages: { units: 8, perMs: 1_000 },
      connectionLifeMs: null,
    },
    acknowledges: true,
    keepAlive: null,
    deadAfterMs: DEAD_AFTER_MS,
    address: () => stream,
    subscribe: (contracts) => {
      const product_ids = contracts.map(({ venueSymbol }) => venueSymbol);
      return [
        JSON.stringify({ type: 'subscribe', product_ids, channel: TRADES_CHANNEL }),
        JSON.stringify({ type: 'subscribe', channel: 'heartbeats' }),
      ];
    },
    reader: (contracts) => new CoinbaseReader(contracts),
    line: ({ contract: { symbol }, ...options }) => new NumberedLine({ symbol, ...options }),
    page: (contract, wish) => pageRequest(rest, contract, wish),
    readPage,
  };
}

/**
 * The venue counts back from a number. Since there is one for each trade, a hole is filled from its beginning. A page is
 * always a whole one, since all cost the same: trades behind the hole may be wanted too.
 */
function pageRequest(
  rest: string,
  { venueSymbol }: FeedContract,
  { fromId }: PageWish,
): PageRequest {
  const address = `${rest}/products/${encodeURIComponent(venueSymbol)}/trades`;
  const query =
    fromId === null
      ? `limit=${NEWEST_TRADES}`
      : `after=${fromId + PAGE_TRADES_MAX}&limit=${PAGE_TRADES_MAX}`;
  return { url: `${address}?${query}` };
}

function readPage(contract: FeedContract, { fromId }: PageWish, answer: PageAnswer): PageOutcome {
  const refusal = refusalOf(answer);
  if (refusal !== null) return refusal;
  const trades = listOf(JSON.parse(answer.body), 'of the page').map((row) =>
    coinbaseTrade(fieldsOf(row, 'of the page'), contract),
  );
  return { kind: 'trades', trades, isLast: fromId === null || endsAtNewest(trades, fromId) };
}

/** Whether the venue has no later trade. A page without the last known trade is older than what we know. */
function endsAtNewest(trades: readonly FeedTrade[], fromId: number): boolean {
  const newestId = trades.reduce((highest, { id }) => Math.max(highest, id), -1);
  return newestId >= fromId - 1 && newestId < fromId + PAGE_TRADES_MAX - 1;
}
