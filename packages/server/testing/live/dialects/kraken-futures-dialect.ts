/** The other end of Kraken Futures. */

import type { FeedMessage, PageAnswer } from '../../../src/markets/live/feed.ts';
import { krakenFutures } from '../../../src/markets/live/kraken-futures/kraken-futures.ts';
import type { Dialect, DialectAnswer, DialectSession, SimTrade, SimTrades } from '../dialect.ts';

const SNAPSHOT_TRADES = 100;
const PAGE_TRADES = 100;

/** As the venue describes them. */
const INSTRUMENTS: readonly Readonly<Record<string, unknown>>[] = [
  { symbol: 'in_xbtusd', type: 'spot index', tradeable: false },
  {
    symbol: 'PI_XBTUSD',
    type: 'futures_inverse',
    tickSize: 0.5,
    contractSize: 1,
    contractValueTradePrecision: 0,
    base: 'BTC',
    quote: 'USD',
    tradeable: true,
  },
  {
    symbol: 'PF_ETHUSD',
    type: 'flexible_futures',
    tickSize: 0.1,
    contractSize: 1,
    contractValueTradePrecision: 3,
    base: 'ETH',
    quote: 'USD',
    tradeable: true,
  },
  {
    symbol: 'FI_XBTUSD_260925',
    type: 'futures_inverse',
    tickSize: 0.5,
    contractSize: 1,
    contractValueTradePrecision: 0,
    base: 'BTC',
    quote: 'USD',
    lastTradingTime: '2026-09-25T15:00:00.000Z',
    tradeable: true,
  },
  {
    symbol: 'PF_PEPEUSD',
    type: 'flexible_futures',
    tickSize: 1e-8,
    contractSize: 1,
    contractValueTradePrecision: -3,
    quote: 'USD',
    tradeable: false,
  },
];

export const krakenFuturesDialect: Dialect = {
  venue: krakenFutures.open({
    addresses: krakenFutures.addresses,
    key: null,
    venueDataset: null,
  }),
  contracts: [
    { venueSymbol: 'PI_XBTUSD', tick: '0.5', lot: '1' },
    { venueSymbol: 'PF_ETHUSD', tick: '0.1', lot: '0.001' },
    { venueSymbol: 'FI_XBTUSD_260925', tick: '0.5', lot: '1' },
  ],
  proves: 'everything',
  hasNumbers: true,
  leftOut: ['block'],
  session: () => new KrakenSession(),
  page({ url }, trades) {
    const { pathname, searchParams } = new URL(url);
    if (pathname === '/derivatives/api/v3/instruments') {
      const list = { result: 'success', instruments: INSTRUMENTS };
      return { rows: [], answer: () => answer(list), forgotten: null };
    }
    if (pathname !== '/derivatives/api/v3/history') return null;
    const name = searchParams.get('symbol')!;
    const lastTime = searchParams.get('lastTime');
    const untilMs = lastTime === null ? Number.POSITIVE_INFINITY : Date.parse(lastTime);
    const prior = trades(name).filter(({ ms }) => ms < untilMs);
    return {
      rows: prior.slice(-PAGE_TRADES).reverse(),
      answer: (rows) =>
        answer({ result: 'success', history: rows.map((row) => pageRow(name, row)) }),
      forgotten: null,
    };
  },
  garbage: '{"feed":"trade","product_id":"PI_XBTUSD","uid":"8b3e',
};

class KrakenSession implements DialectSession {
  #hasHeartbeat = false;

  opened(): readonly FeedMessage[] {
    return [JSON.stringify({ event: 'info', version: 1 })];
  }

  received(message: FeedMessage, trades: SimTrades): DialectAnswer {
    const { feed, product_ids = [] } = JSON.parse(String(message)) as {
      readonly feed: string;
      readonly product_ids?: readonly string[];
    };
    if (feed === 'heartbeat') {
      this.#hasHeartbeat = true;
      return { replies: [JSON.stringify({ event: 'subscribed', feed })] };
    }
    const subscribed = product_ids.filter((name) =>
      INSTRUMENTS.some(({ symbol }) => symbol === name),
    );
    const answers = subscribed.map((name) =>
      JSON.stringify({ event: 'subscribed', feed, product_ids: [name] }),
    );
    const snapshots = subscribed.map((product_id) => {
      const rows = trades(product_id).slice(-SNAPSHOT_TRADES).reverse();
      const newest = rows.map((row) => streamRow(product_id, row));
      return JSON.stringify({ feed: 'trade_snapshot', product_id, trades: newest });
    });
    return { replies: [...answers, ...snapshots], subscribed };
  }

  trades(name: string, rows: readonly SimTrade[]): readonly FeedMessage[] {
    return rows.map((row) => JSON.stringify(streamRow(name, row)));
  }

  heartbeat(nowMs: number): readonly FeedMessage[] {
    return this.#hasHeartbeat ? [JSON.stringify({ feed: 'heartbeat', time: nowMs })] : [];
  }
}

function streamRow(product_id: string, { id, ms, price, size, isBuy, leftOut }: SimTrade): object {
  return {
    feed: 'trade',
    product_id,
    uid: uidOf(product_id, id),
    side: isBuy ? 'buy' : 'sell',
    type: leftOut ?? 'fill',
    seq: id,
    time: ms,
    qty: Number(size),
    price: Number(price),
  };
}

function pageRow(name: string, { id, ms, price, size, isBuy, leftOut }: SimTrade): object {
  return {
    time: new Date(ms).toISOString(),
    price: Number(price),
    size: Number(size),
    side: isBuy ? 'buy' : 'sell',
    type: leftOut ?? 'fill',
    uid: uidOf(name, id),
  };
}

/** It tells nothing of the number. */
function uidOf(name: string, id: number): string {
  const mixed = Math.imul(id, 2_654_435_761) >>> 0;
  return `${mixed.toString(16).padStart(8, '0')}-${name.toLowerCase()}`;
}

function answer(body: unknown): PageAnswer {
  return { status: 200, headers: {}, body: JSON.stringify(body) };
}
