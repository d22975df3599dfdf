/** The other end of OKX: one trade a message, and pages that go back from a number. */

import type { PageAnswer } from '../../../src/markets/live/feed.ts';
import { okxKind } from '../../../src/markets/live/okx/okx-venue.ts';
import type { Dialect, DialectSession, SimTrade } from '../dialect.ts';

const CONTRACTS = [
  { venueSymbol: 'BTC-USDT-SWAP', tick: '0.1', lot: '0.01' },
  { venueSymbol: 'ETH-USDT-SWAP', tick: '0.01', lot: '0.001' },
  { venueSymbol: 'BTC-USD-261225', tick: '0.5', lot: '1' },
] as const;
const PAGE_MAX = 100;

export const okxDialect: Dialect = {
  venue: okxKind.open({ addresses: okxKind.addresses, key: null, venueDataset: null }),
  contracts: CONTRACTS,
  proves: 'everything',
  hasNumbers: true,
  session: () => session,
  page({ url }, trades) {
    const { pathname, searchParams } = new URL(url);
    if (pathname === '/api/v5/public/instruments') {
      return { rows: [], answer: () => instruments(searchParams.get('instType')), forgotten: null };
    }
    if (pathname !== '/api/v5/market/history-trades') return null;
    const instId = searchParams.get('instId')!;
    const known = trades(instId);
    const after = Number(searchParams.get('after') ?? Number.POSITIVE_INFINITY);
    const limit = Math.min(Number(searchParams.get('limit')), PAGE_MAX);
    // Numbers have no holes.
    const end = Math.min(known.length, Math.max(0, after - (known[0]?.id ?? after)));
    return {
      rows: known.slice(Math.max(0, end - limit), end),
      answer: (rows) => answer(rows.map((row) => rowOf(instId, row)).reverse()),
      forgotten: null,
    };
  },
  garbage: '{"arg":{"channel":"trades-all","instId":"BTC-USDT-SWAP"},"data":[{"tradeId"',
};

const session: DialectSession = {
  opened: () => [],
  received(message) {
    if (message === 'ping') return { replies: ['pong'] };
    const { op, args } = JSON.parse(String(message)) as {
      op: string;
      args: readonly { readonly channel: string; readonly instId: string }[];
    };
    if (op !== 'subscribe') return { replies: [] };
    const served = args.filter(isServed);
    return {
      replies: args.map((arg) => JSON.stringify(isServed(arg) ? acknowledged(arg) : refused(arg))),
      subscribed: served.map(({ instId }) => instId),
    };
  },
  trades: (instId, rows) =>
    rows.map((row) =>
      JSON.stringify({ arg: { channel: 'trades-all', instId }, data: [rowOf(instId, row)] }),
    ),
  heartbeat: () => [],
};

interface Argument {
  readonly channel: string;
  readonly instId: string;
}

function isServed({ channel, instId }: Argument): boolean {
  return channel === 'trades-all' && CONTRACTS.some(({ venueSymbol }) => venueSymbol === instId);
}

function acknowledged(arg: Argument): object {
  return { event: 'subscribe', arg, connId: 'a4d3ae55' };
}

function refused({ channel, instId }: Argument): object {
  const msg = `Wrong URL or channel:${channel},instId:${instId} doesn't exist. Use another one.`;
  return { event: 'error', code: '60018', msg, connId: 'a4d3ae55' };
}

function rowOf(instId: string, { id, ms, price, size, isBuy }: SimTrade): object {
  const side = isBuy ? 'buy' : 'sell';
  return { instId, tradeId: `${id}`, px: price, sz: size, side, source: '0', ts: `${ms}` };
}

function instruments(type: string | null): PageAnswer {
  const swap = {
    instType: 'SWAP',
    ctMult: '1',
    ctType: 'linear',
    expTime: '',
    state: 'live',
  };
  const all = [
    { ...swap, instId: 'BTC-USDT-SWAP', instFamily: 'BTC-USDT', ctVal: '0.01', ctValCcy: 'BTC' },
    { ...swap, instId: 'ETH-USDT-SWAP', instFamily: 'ETH-USDT', ctVal: '0.1', ctValCcy: 'ETH' },
    {
      ...{ instType: 'FUTURES', instId: 'BTC-USD-261225', instFamily: 'BTC-USD', ctVal: '100' },
      ...{ ctMult: '1', ctValCcy: 'USD', ctType: 'inverse', expTime: '1798185600000' },
      state: 'live',
    },
  ];
  const rows = all
    .filter(({ instType }) => instType === type)
    .map((row) => {
      const { tick, lot } = CONTRACTS.find(({ venueSymbol }) => venueSymbol === row.instId)!;
      return { ...row, tickSz: tick, lotSz: lot };
    });
  return answer(rows);
}

function answer(data: readonly object[]): PageAnswer {
  return { status: 200, headers: {}, body: JSON.stringify({ code: '0', msg: '', data }) };
}
