/**
 * A feed as the guide "Add a feed" shows it: a venue with numbered trades, a WebSocket with JSON messages, and pages of
 * the past by number. Its other end is `sim-venue.ts`.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_MS, MS_NS, MS_NS_BIG } from '@tapeloom/core/units';
import type {
  FeedContract,
  FeedMessage,
  PageOutcome,
  Reading,
  Venue,
  VenueReader,
} from '../../src/markets/live/feed.ts';
import type { FeedTrade } from '../../src/markets/live/lines/line.ts';
import { NumberedLine } from '../../src/markets/live/lines/numbered-line.ts';
import { onGrid } from '../../src/markets/live/on-grid.ts';

/** A row of the example venue: number, milliseconds, price, size, and whether the buyer was the aggressor. */
export type ExampleRow = readonly [
  id: number,
  ms: number,
  price: string,
  size: string,
  isBuy: boolean,
];

export type ExampleMessage =
  | { readonly t: 'trades'; readonly s: string; readonly rows: readonly ExampleRow[] }
  | { readonly t: 'subscribed' }
  | { readonly t: 'heartbeat'; readonly ms: number }
  | { readonly t: 'ping'; readonly n: number }
  | { readonly t: 'refused'; readonly s: string; readonly why: string };

export const EXAMPLE_PAGE_MAX = 100;

export const exampleVenue: Venue = {
  name: 'example',
  limits: {
    contractsPerConnection: 2,
    requests: { units: 1_200, perMs: 60_000 },
    pageWeight: 1,
    pagesAtOnce: 2,
    connects: { units: 120, perMs: 60_000 },
    messages: { units: 100, perMs: 1_000 },
    connectionLifeMs: null,
  },
  acknowledges: true,
  keepAlive: null,
  deadAfterMs: 10_000,
  address: () => 'wss://example.invalid/stream',
  subscribe: (contracts) => [
    JSON.stringify({ t: 'subscribe', s: contracts.map(({ venueSymbol }) => venueSymbol) }),
  ],
  reader: (contracts) => new ExampleReader(contracts),
  line: ({ contract: { symbol }, ...options }) => new NumberedLine({ symbol, ...options }),
  page: ({ venueSymbol }, { fromId }) => ({
    url: `https://example.invalid/trades?symbol=${venueSymbol}${fromId === null ? '' : `&from=${fromId}`}`,
  }),
  readPage(contract, _wish, { status, headers, body }): PageOutcome {
    if (status === 429) {
      const retryAfterMs = Number(headers['retry-after']) * 1_000;
      return { kind: 'refused', why: 'too many requests', retryAfterMs };
    }
    const answer = JSON.parse(body) as { rows: readonly ExampleRow[]; oldest?: number };
    if (status === 410) return { kind: 'forgotten', oldestId: answer.oldest ?? null };
    if (status !== 200) return { kind: 'refused', why: `status ${status}`, retryAfterMs: null };
    const trades = answer.rows.map((row) => tradeOf(contract, row));
    return { kind: 'trades', trades, isLast: trades.length < EXAMPLE_PAGE_MAX };
  },
};

class ExampleReader implements VenueReader {
  readonly #contracts: ReadonlyMap<string, FeedContract>;

  constructor(contracts: readonly FeedContract[]) {
    this.#contracts = new Map(contracts.map((contract) => [contract.venueSymbol, contract]));
  }

  read(message: FeedMessage): readonly Reading[] {
    const read = JSON.parse(String(message)) as ExampleMessage;
    switch (read.t) {
      case 'trades': {
        const contract = this.#contracts.get(read.s);
        if (contract === undefined) return [];
        const trades = read.rows.map((row) => tradeOf(contract, row));
        return [{ kind: 'trades', symbol: contract.symbol, trades }];
      }
      case 'subscribed':
        return [{ kind: 'subscribed' }];
      case 'heartbeat':
        return [{ kind: 'alive', venueTime: (BigInt(read.ms) * MS_NS_BIG) as EpochNs }];
      case 'ping':
        return [{ kind: 'reply', message: JSON.stringify({ t: 'pong', n: read.n }) }];
      case 'refused': {
        const symbol = this.#contracts.get(read.s)?.symbol ?? read.s;
        return [{ kind: 'refused', symbol, why: read.why }];
      }
      default:
        read satisfies never;
        return [{ kind: 'garbled', why: 'an unknown message' }];
    }
  }
}

function tradeOf(contract: FeedContract, [id, ms, price, size, isBuy]: ExampleRow): FeedTrade {
  return {
    id,
    day: Math.floor(ms / DAY_MS),
    ns: (ms % DAY_MS) * MS_NS,
    price: onGrid(price, contract.tickSizeNanos),
    size: onGrid(size, contract.lotSizeNanos),
    side: isBuy ? 1 : -1,
  };
}
