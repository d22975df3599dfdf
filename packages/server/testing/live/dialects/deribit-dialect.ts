/** The other end of Deribit. */

import { deribit } from '../../../src/markets/live/deribit/deribit.ts';
import type { FeedMessage, PageAnswer } from '../../../src/markets/live/feed.ts';
import type { Dialect, DialectAnswer, DialectSession, SimTrade } from '../dialect.ts';

const { addresses } = deribit;
const TRADES_PATH = '/api/v2/public/get_last_trades_by_instrument';
const LIST_PATH = '/api/v2/public/get_instruments';

/** As the venue describes them. */
const INSTRUMENTS: readonly Readonly<Record<string, unknown>>[] = [
  {
    instrument_name: 'BTC-PERPETUAL',
    kind: 'future',
    instrument_type: 'reversed',
    settlement_period: 'perpetual',
    base_currency: 'BTC',
    quote_currency: 'USD',
    tick_size: 0.5,
    tick_size_steps: [],
    contract_size: 10,
    min_trade_amount: 10,
    expiration_timestamp: 32_503_708_800_000,
    is_active: true,
  },
  {
    instrument_name: 'ETH-25SEP26',
    kind: 'future',
    instrument_type: 'reversed',
    settlement_period: 'month',
    base_currency: 'ETH',
    quote_currency: 'USD',
    tick_size: 0.25,
    tick_size_steps: [],
    contract_size: 1,
    min_trade_amount: 1,
    expiration_timestamp: Date.UTC(2026, 8, 25, 8),
    is_active: true,
  },
  {
    instrument_name: 'XRP_USDC-PERPETUAL',
    kind: 'future',
    instrument_type: 'linear',
    settlement_period: 'perpetual',
    base_currency: 'XRP',
    quote_currency: 'USDC',
    tick_size: 0.0001,
    tick_size_steps: [],
    contract_size: 0.01,
    min_trade_amount: 1,
    expiration_timestamp: 32_503_708_800_000,
    is_active: false,
  },
  {
    instrument_name: 'BTC_USDC',
    kind: 'spot',
    base_currency: 'BTC',
    quote_currency: 'USDC',
    tick_size: 1,
    contract_size: 1,
    min_trade_amount: 1e-7,
    is_active: true,
  },
];

export const deribitDialect: Dialect = {
  venue: deribit.open({ addresses, key: null, venueDataset: null }),
  contracts: [
    { venueSymbol: 'BTC-PERPETUAL', tick: '0.5', lot: '10' },
    { venueSymbol: 'ETH-25SEP26', tick: '0.25', lot: '1' },
    { venueSymbol: 'XRP_USDC-PERPETUAL', tick: '0.0001', lot: '0.01' },
  ],
  proves: 'everything',
  hasNumbers: true,
  leftOut: ['block', 'combo'],
  session: () => new DeribitSession(),
  page({ url }, trades, nowMs) {
    const { pathname, searchParams } = new URL(url);
    if (pathname === LIST_PATH) {
      const kind = searchParams.get('kind');
      const result = INSTRUMENTS.filter((one) => one.kind === kind);
      return { rows: [], answer: () => answer({ result, ...times(nowMs) }), forgotten: null };
    }
    if (pathname !== TRADES_PATH) return null;
    const name = searchParams.get('instrument_name')!;
    const count = Number(searchParams.get('count') ?? '10');
    const from = Number(searchParams.get('start_seq') ?? '0');
    const to = Number(searchParams.get('end_seq') ?? 'Infinity');
    const found = trades(name).filter(({ id }) => id >= from && id <= to);
    const isAscending = searchParams.get('sorting') === 'asc';
    const rows = isAscending ? found.slice(0, count) : found.slice(-count).reverse();
    const has_more = rows.length < found.length;
    return {
      rows,
      answer: (some) => {
        const result = { trades: some.map((row) => rowOf(name, row)), has_more };
        return answer({ result, ...times(nowMs) });
      },
      forgotten: null,
    };
  },
  garbage: '{"jsonrpc":"2.0","method":"subscription","params":{"channel":"trades.BTC-PE',
};

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly channels?: readonly string[]; readonly interval?: number };
}

class DeribitSession implements DialectSession {
  #hasHeartbeat = false;
  #isTest = false;

  opened(): readonly FeedMessage[] {
    return [];
  }

  received(message: FeedMessage, _trades: unknown, nowMs: number): DialectAnswer {
    const { id, method, params } = JSON.parse(String(message)) as Call;
    const reply = (result: unknown) => [text({ id, result, ...times(nowMs) })];
    if (method === 'public/set_heartbeat') this.#hasHeartbeat = params.interval! >= 10;
    if (method !== 'public/subscribe') return { replies: reply('ok') };
    const known = (channel: string) =>
      INSTRUMENTS.some((one) => channel === `trades.${one.instrument_name}.100ms`);
    const channels = params.channels!.filter(known);
    const subscribed = channels.map((channel) => channel.split('.')[1]!);
    return { replies: reply(channels), subscribed };
  }

  trades(name: string, rows: readonly SimTrade[]): readonly FeedMessage[] {
    const data = rows.map((row) => rowOf(name, row));
    const params = { channel: `trades.${name}.100ms`, data };
    return [text({ method: 'subscription', params })];
  }

  heartbeat(): readonly FeedMessage[] {
    if (!this.#hasHeartbeat) return [];
    this.#isTest = !this.#isTest;
    const type = this.#isTest ? 'test_request' : 'heartbeat';
    return [text({ method: 'heartbeat', params: { type } })];
  }
}

function rowOf(name: string, { id, ms, price, size, isBuy, leftOut }: SimTrade): object {
  return {
    trade_seq: id,
    trade_id: `${id + 7_000_000}`,
    timestamp: ms,
    tick_direction: 0,
    price: Number(price),
    mark_price: Number(price),
    index_price: Number(price),
    instrument_name: name,
    direction: isBuy ? 'buy' : 'sell',
    amount: Number(size),
    ...(leftOut === 'block' && { block_trade_id: `BLOCK-${id}`, block_trade_leg_count: 1 }),
    ...(leftOut === 'combo' && { combo_id: 'BTC-FS-25SEP26_PERP', combo_trade_id: id }),
  };
}

function times(nowMs: number): object {
  return { usIn: nowMs * 1_000 - 120, usOut: nowMs * 1_000, usDiff: 120, testnet: false };
}

function text(message: object): string {
  return JSON.stringify({ jsonrpc: '2.0', ...message });
}

function answer(body: object): PageAnswer {
  return { status: 200, headers: {}, body: text(body) };
}
