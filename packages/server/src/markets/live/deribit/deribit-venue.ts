/** Deribit behind the port of a venue: trades with numbers without holes, live by JSON-RPC, and pages by number. */

import type { FeedContract, PageAnswer, PageOutcome, PageRequest, Venue } from '../feed.ts';
import type { PageWish } from '../lines/line.ts';
import { NumberedLine } from '../lines/numbered-line.ts';
import { FieldError, fieldsOf, listOf, refusalOf } from '../venue-answers.ts';
import type { VenueAddresses } from '../venue-kind.ts';
import { channelOf, DeribitReader, HEARTBEAT_ID, SUBSCRIBE_ID } from './deribit-reader.ts';
import { deribitTrade } from './deribit-rows.ts';

const PAGE_TRADES_MAX = 1_000;
/** Of a contract whose numbers are not known yet. */
const NEWEST_TRADES = 10;
/** The least that the venue accepts. */
const HEARTBEAT_SECONDS = 10;
const DEAD_AFTER_MS = 25_000;

export function deribitVenue({ stream, rest }: VenueAddresses): Venue {
  return {
    name: 'deribit',
    limits: {
      contractsPerConnection: 200,
      // A page costs 500 credits, of which 50,000 are there at once and 10,000 come back each second.
      requests: { units: 500_000, perMs: 50_000 },
      pageWeight: 500,
      pagesAtOnce: 4,
      connects: { units: 60, perMs: 60_000 },
      messages: { units: 10, perMs: 3_000 },
      connectionLifeMs: null,
    },
    acknowledges: true,
    keepAlive: null,
    deadAfterMs: DEAD_AFTER_MS,
    address: () => stream,
    subscribe: (contracts) => [
      call(SUBSCRIBE_ID, 'public/subscribe', { channels: contracts.map(channelOf) }),
      call(HEARTBEAT_ID, 'public/set_heartbeat', { interval: HEARTBEAT_SECONDS }),
    ],
    reader: (contracts) => new DeribitReader(contracts),
    line: ({ contract: { symbol }, ...options }) => new NumberedLine({ symbol, ...options }),
    page: (contract, wish) => pageRequest(rest, contract, wish),
    readPage,
  };
}

function call(id: number, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

function pageRequest(
  rest: string,
  { venueSymbol }: FeedContract,
  { fromId, toId }: PageWish,
): PageRequest {
  const query = new URLSearchParams({ instrument_name: venueSymbol });
  if (fromId !== null) query.set('start_seq', `${fromId}`);
  if (toId !== null) query.set('end_seq', `${toId}`);
  query.set('count', `${fromId === null ? NEWEST_TRADES : PAGE_TRADES_MAX}`);
  query.set('sorting', fromId === null ? 'desc' : 'asc');
  return { url: `${rest}/public/get_last_trades_by_instrument?${query}` };
}

function readPage(contract: FeedContract, _wish: PageWish, answer: PageAnswer): PageOutcome {
  const refusal = refusalOf(answer);
  if (refusal !== null) return refusal;
  const result = fieldsOf(fieldsOf(JSON.parse(answer.body), 'of the page').result, 'result');
  const hasMore = result.has_more;
  if (typeof hasMore !== 'boolean') throw new FieldError('has_more', hasMore);
  const trades = listOf(result.trades, 'trades').map((row) => deribitTrade(row, contract));
  return { kind: 'trades', trades, isLast: !hasMore };
}
