/** The other end of Coinbase. */

import { coinbase } from '../../../src/markets/live/coinbase/coinbase.ts';
import type { FeedMessage, PageAnswer } from '../../../src/markets/live/feed.ts';
import type { Dialect, DialectAnswer, DialectSession, SimTrade, SimTrades } from '../dialect.ts';

const SNAPSHOT_TRADES = 100;

/** As the venue describes them. */
const PRODUCTS = [
  {
    id: 'BTC-USD',
    base_currency: 'BTC',
    quote_currency: 'USD',
    quote_increment: '0.01',
    base_increment: '0.00000001',
    status: 'online',
    trading_disabled: false,
  },
  {
    id: 'ETH-USD',
    base_currency: 'ETH',
    quote_currency: 'USD',
    quote_increment: '0.01',
    base_increment: '0.00000001',
    status: 'online',
    trading_disabled: true,
  },
  {
    id: 'DOGE-EUR',
    base_currency: 'DOGE',
    quote_currency: 'EUR',
    quote_increment: '0.00001',
    base_increment: '0.1',
    status: 'delisted',
    trading_disabled: false,
  },
];

export const coinbaseDialect: Dialect = {
  venue: coinbase.open({ addresses: coinbase.addresses, key: null, venueDataset: null }),
  contracts: PRODUCTS.map(({ id, quote_increment, base_increment }) => ({
    venueSymbol: id,
    tick: quote_increment,
    lot: base_increment,
  })),
  proves: 'everything',
  hasNumbers: true,
  session: () => new CoinbaseSession(),
  page({ url }, trades) {
    const { pathname, searchParams } = new URL(url);
    if (pathname === '/products') {
      return { rows: [], answer: () => answer(PRODUCTS), forgotten: null };
    }
    const name = /^\/products\/([^/]+)\/trades$/.exec(pathname)?.[1];
    if (name === undefined) return null;
    const after = Number(searchParams.get('after') ?? 'Infinity');
    const known = trades(decodeURIComponent(name));
    const end = Math.min(known.length, Math.max(0, after - (known[0]?.id ?? 0)));
    const start = Math.max(0, end - Number(searchParams.get('limit') ?? '1000'));
    return {
      rows: known.slice(start, end).reverse(),
      answer: (rows) => answer(rows.map(pageRow)),
      forgotten: null,
    };
  },
  garbage: '{"channel":"market_trades","timestamp":"2026-08-09T21:05:48.2',
};

class CoinbaseSession implements DialectSession {
  #sequence = 0;
  #hasHeartbeats = false;
  #beats = 0;

  opened(): readonly FeedMessage[] {
    return [];
  }

  received(message: FeedMessage, trades: SimTrades, nowMs: number): DialectAnswer {
    const { channel, product_ids = [] } = JSON.parse(String(message)) as {
      readonly channel: string;
      readonly product_ids?: readonly string[];
    };
    if (channel === 'heartbeats') this.#hasHeartbeats = true;
    if (channel !== 'market_trades') {
      const subscriptions = { heartbeats: ['heartbeats'] };
      return { replies: [this.#envelope('subscriptions', { subscriptions }, nowMs)] };
    }
    const subscribed = product_ids.filter((name) => PRODUCTS.some(({ id }) => id === name));
    const snapshots = subscribed.map((name) =>
      this.#envelope(
        'market_trades',
        { type: 'snapshot', trades: streamRows(name, trades(name).slice(-SNAPSHOT_TRADES)) },
        nowMs,
      ),
    );
    const subscriptions = { market_trades: subscribed };
    const replies = [...snapshots, this.#envelope('subscriptions', { subscriptions }, nowMs)];
    return { replies, subscribed };
  }

  trades(name: string, rows: readonly SimTrade[], nowMs: number): readonly FeedMessage[] {
    const event = { type: 'update', trades: streamRows(name, rows) };
    return [this.#envelope('market_trades', event, nowMs)];
  }

  heartbeat(nowMs: number): readonly FeedMessage[] {
    if (!this.#hasHeartbeats) return [];
    this.#beats += 1;
    const event = { current_time: textOf(nowMs), heartbeat_counter: this.#beats };
    return [this.#envelope('heartbeats', event, nowMs)];
  }

  #envelope(channel: string, event: object, nowMs: number): string {
    const sequence_num = this.#sequence;
    this.#sequence += 1;
    const timestamp = textOf(nowMs);
    return JSON.stringify({ channel, client_id: '', timestamp, sequence_num, events: [event] });
  }
}

/** Newest first; the side is the maker's. */
function streamRows(product_id: string, rows: readonly SimTrade[]): readonly object[] {
  return rows.toReversed().map(({ id, ms, price, size, isBuy }) => ({
    product_id,
    trade_id: `${id}`,
    price,
    size,
    time: textOf(ms),
    side: isBuy ? 'SELL' : 'BUY',
  }));
}

function pageRow({ id, ms, price, size, isBuy }: SimTrade): object {
  return { trade_id: id, side: isBuy ? 'sell' : 'buy', size, price, time: textOf(ms) };
}

/** To the microsecond. */
function textOf(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

function answer(body: unknown): PageAnswer {
  return { status: 200, headers: {}, body: JSON.stringify(body) };
}
