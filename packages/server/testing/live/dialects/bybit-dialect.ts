/** The other end of Bybit's linear contracts: trades have texts, and a request returns the newest ones. */

import { bybitLinearKind } from '../../../src/markets/live/bybit/bybit-venue.ts';
import type { PageAnswer } from '../../../src/markets/live/feed.ts';
import type { Dialect, DialectSession, SimTrade } from '../dialect.ts';

const CONTRACTS = [
  { venueSymbol: 'BTCUSDT', tick: '0.1', lot: '0.001' },
  { venueSymbol: 'ETHUSDT', tick: '0.01', lot: '0.01' },
  { venueSymbol: 'DOGEUSDT', tick: '0.00001', lot: '1' },
] as const;
const PAGE_MAX = 1_000;
const TOPIC = 'publicTrade.';

export const bybitDialect: Dialect = {
  venue: bybitLinearKind.open({
    addresses: bybitLinearKind.addresses,
    key: null,
    venueDataset: null,
  }),
  contracts: CONTRACTS,
  proves: 'reconnects',
  hasNumbers: false,
  session: () => session,
  page({ url }, trades) {
    const { pathname, searchParams } = new URL(url);
    if (pathname === '/v5/market/instruments-info') {
      const answered = instruments(searchParams.get('cursor'));
      return { rows: [], answer: () => answered, forgotten: null };
    }
    if (pathname !== '/v5/market/recent-trade') return null;
    const symbol = searchParams.get('symbol')!;
    const limit = Math.min(Number(searchParams.get('limit')), PAGE_MAX);
    return {
      rows: trades(symbol).slice(-limit),
      answer: (rows) =>
        answer({ category: 'linear', list: rows.map((row) => pageRow(symbol, row)).reverse() }),
      forgotten: null,
    };
  },
  garbage: '{"topic":"publicTrade.BTCUSDT","type":"snapshot","data":[{"T":17863',
};

const session: DialectSession = {
  opened: () => [],
  received(message) {
    const { op, req_id, args } = JSON.parse(String(message)) as {
      op: string;
      req_id?: string;
      args?: readonly string[];
    };
    if (op === 'ping') {
      const pong = { success: true, ret_msg: 'pong', conn_id: 'f1', req_id: '', op: 'ping' };
      return { replies: [JSON.stringify(pong)] };
    }
    const unknown = args?.find((topic) => !isServed(topic));
    const ret_msg = unknown === undefined ? '' : `error:handler not found,topic:${unknown}`;
    const success = unknown === undefined;
    const said = JSON.stringify({ success, ret_msg, conn_id: 'f1', req_id, op: 'subscribe' });
    // One unknown topic refuses them all.
    const subscribed = success ? args?.map((topic) => topic.slice(TOPIC.length)) : [];
    return { replies: [said], subscribed: subscribed ?? [] };
  },
  trades: (symbol, rows, ts) => {
    const data = rows.map((row) => streamRow(symbol, row));
    return [JSON.stringify({ topic: `${TOPIC}${symbol}`, type: 'snapshot', ts, data })];
  },
  heartbeat: () => [],
};

function isServed(topic: string): boolean {
  return CONTRACTS.some(({ venueSymbol }) => topic === `${TOPIC}${venueSymbol}`);
}

/** Texts that neither grow nor follow each other. */
function keyOf(symbol: string, id: number): string {
  return `${((id * 7_919) % 100_003).toString(16).padStart(8, '0')}-${symbol}-${id}`;
}

function streamRow(s: string, { id, ms, price, size, isBuy }: SimTrade): object {
  const S = isBuy ? 'Buy' : 'Sell';
  const seq = 400_000_000_000 + Math.floor(id / 3) * 1_000;
  return { T: ms, s, S, v: size, p: price, i: keyOf(s, id), BT: false, RPI: false, seq };
}

function pageRow(symbol: string, { id, ms, price, size, isBuy }: SimTrade): object {
  return {
    ...{ execId: keyOf(symbol, id), symbol, price, size, side: isBuy ? 'Buy' : 'Sell' },
    ...{ time: `${ms}`, isBlockTrade: false, isRPITrade: false, seq: `${id}` },
  };
}

/** Two pages. */
function instruments(cursor: string | null): PageAnswer {
  const list = CONTRACTS.map(({ venueSymbol, tick, lot }) => ({
    ...{ symbol: venueSymbol, contractType: 'LinearPerpetual', status: 'Trading' },
    ...{ baseCoin: venueSymbol.replace('USDT', ''), quoteCoin: 'USDT', deliveryTime: '0' },
    ...{ priceFilter: { tickSize: tick }, lotSizeFilter: { qtyStep: lot } },
  }));
  const isFirst = cursor === null;
  return answer({
    category: 'linear',
    list: isFirst ? list.slice(0, 2) : list.slice(2),
    nextPageCursor: isFirst ? 'first=2&more' : '',
  });
}

function answer(result: object): PageAnswer {
  const body = JSON.stringify({ retCode: 0, retMsg: 'OK', result, time: 0 });
  return { status: 200, headers: {}, body };
}
