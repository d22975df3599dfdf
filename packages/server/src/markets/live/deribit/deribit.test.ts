import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialectNetwork } from '../../../../testing/live/dialect-network.ts';
import { deribitDialect } from '../../../../testing/live/dialects/deribit-dialect.ts';
import { contractsOf } from '../../../../testing/live/feed-run.ts';
import { readerOf } from '../../../../testing/live/reader-of.ts';
import type { PageWish } from '../lines/line.ts';
import { deribit } from './deribit.ts';

const { venue } = deribitDialect;
const contracts = contractsOf(deribitDialect);
const [perpetual] = contracts as [(typeof contracts)[number]];
const DAY = 20_673;
const MIDNIGHT = DAY * 86_400_000;
const { signal } = new AbortController();
const settings = { addresses: deribit.addresses, key: null, venueDataset: null };

const ROW = {
  trade_seq: 215_000_001,
  trade_id: '301554001',
  timestamp: MIDNIGHT + 1_234,
  tick_direction: 2,
  price: 92_000.5,
  mark_price: 92_001.13,
  instrument_name: 'BTC-PERPETUAL',
  index_price: 92_010.2,
  direction: 'sell',
  contracts: 3,
  amount: 30,
};
const TRADE = { id: 215_000_001, day: DAY, ns: 1_234_000_000, price: 184_001, size: 3, side: -1 };

const message = (...data: readonly object[]) => ({
  jsonrpc: '2.0',
  method: 'subscription',
  params: { channel: 'trades.BTC-PERPETUAL.100ms', data },
});
const read = (value: object | string) =>
  readerOf(venue, contracts).read(typeof value === 'string' ? value : JSON.stringify(value));
const page = (body: unknown, status = 200, wish: PageWish = WISH) =>
  venue.readPage(perpetual, wish, { status, headers: {}, body: JSON.stringify(body) });
const WISH: PageWish = { fromId: 5, toId: 9, before: null };

test('a batch of trades: the taker, dollars as contracts, and the number', () => {
  const [reading] = read(message(ROW, { ...ROW, trade_seq: 215_000_002, direction: 'buy' }));
  assert.deepEqual(reading, {
    kind: 'trades',
    symbol: 'BTC-PERPETUAL',
    trades: [TRADE, { ...TRADE, id: 215_000_002, side: 1 }],
  });
});

test('numbers may be texts, and texts of other fields may be anything', () => {
  const [reading] = read(
    message({ ...ROW, price: '92000.50', amount: '3e1', trade_id: 5, iv: {} }),
  );
  assert.deepEqual(reading, { kind: 'trades', symbol: 'BTC-PERPETUAL', trades: [TRADE] });
});

test('a tiny size in exponents is exact', () => {
  const tiny = { ...perpetual, lotSizeNanos: 100 };
  const [reading] = readerOf(venue, [tiny]).read(JSON.stringify(message({ ...ROW, amount: 3e-7 })));
  assert.ok(reading?.kind === 'trades');
  assert.equal(reading.trades[0]!.size, 3);
});

test('blocks and combos keep their numbers and are left out; liquidations stay', () => {
  const rows = [
    { ...ROW, block_trade_id: 'BLOCK-1', combo_id: 'BTC-FS-1' },
    { ...ROW, combo_id: 'BTC-FS-1', price: 1.23 },
    { ...ROW, legs: [{ instrument_name: 'BTC-25SEP26' }] },
    { ...ROW, liquidation: 'T', block_trade_id: null },
  ];
  const [reading] = read(message(...rows));
  assert.ok(reading?.kind === 'trades');
  assert.deepEqual(
    reading.trades.map(({ id, leftOut }) => [id, leftOut]),
    [
      [TRADE.id, 'block'],
      [TRADE.id, 'combo'],
      [TRADE.id, 'combo'],
      [TRADE.id, undefined],
    ],
  );
});

test('a row with a missing or wrong field names it', () => {
  const damages: readonly (readonly [field: string, value: unknown])[] = [
    ['trade_seq', undefined],
    ['trade_seq', 2 ** 53],
    ['trade_seq', '9007199254740993'],
    ['trade_seq', 1.5],
    ['trade_seq', -1],
    ['timestamp', 'yesterday'],
    ['timestamp', null],
    ['price', ''],
    ['price', '92,000'],
    ['price', null],
    ['amount', undefined],
    ['amount', true],
    ['amount', -30],
    ['direction', 'SELL'],
    ['direction', undefined],
    ['instrument_name', 'ETH-PERPETUAL'],
  ];
  for (const [field, value] of damages) {
    assert.throws(
      () => read(message({ ...ROW, [field]: value })),
      new RegExp(`the field ${field} `),
    );
    assert.throws(
      () => page({ result: { trades: [{ ...ROW, [field]: value }], has_more: false } }),
      new RegExp(`the field ${field} `),
    );
  }
  assert.throws(() => read(message(5 as never)), /the field data is 5/);
  assert.throws(
    () => read({ ...message(), params: { channel: 'trades.BTC-PERPETUAL.100ms' } }),
    /data/,
  );
});

test('a message that ends too early is not understood', () => {
  const whole = JSON.stringify(message(ROW));
  for (let length = 0; length < whole.length; length += 1) {
    assert.throws(() => read(whole.slice(0, length)));
  }
});

test('what cannot hold trades is ignored, and trades of other channels too', () => {
  assert.deepEqual(read({ jsonrpc: '2.0', method: 'platform_state', params: {} }), []);
  const other = message(ROW);
  other.params.channel = 'trades.BTC-PERPETUAL.raw';
  assert.deepEqual(read(other), []);
});

test('a test request is answered at once, and answers tell the time of the venue', () => {
  const heartbeat = (type: string) => read({ method: 'heartbeat', params: { type } });
  const [reply] = heartbeat('test_request');
  assert.ok(reply?.kind === 'reply');
  assert.match(String(reply.message), /"method":"public\/test"/);
  assert.deepEqual(heartbeat('heartbeat'), [{ kind: 'alive', venueTime: null }]);
  assert.throws(() => heartbeat('other'), /the field type is "other"/);
  const answer = {
    jsonrpc: '2.0',
    id: 3,
    result: { version: '1.2.26' },
    usOut: 1_786_309_548_174_375,
  };
  assert.deepEqual(read(answer), [{ kind: 'alive', venueTime: 1_786_309_548_174_375_000n }]);
});

test('a channel that the answer lacks is refused, and an error is not understood', () => {
  const result = ['trades.BTC-PERPETUAL.100ms', 'trades.XRP_USDC-PERPETUAL.100ms'];
  const readings = read({ jsonrpc: '2.0', id: 1, result, usOut: 1_000 });
  assert.deepEqual(readings.slice(1), [
    { kind: 'subscribed' },
    { kind: 'refused', symbol: 'ETH-25SEP26', why: 'Deribit does not serve ETH-25SEP26.' },
  ]);
  const error = { code: 10_028, message: 'too_many_requests' };
  const why = 'error {"code":10028,"message":"too_many_requests"}';
  assert.deepEqual(read({ jsonrpc: '2.0', id: 1, error, usOut: 1_000 }), [
    { kind: 'garbled', why },
  ]);
});

test('the subscription comes first, then the heartbeat', () => {
  const messages = venue.subscribe(contracts, new Map()).map((one) => JSON.parse(String(one)));
  assert.deepEqual(
    messages.map(({ method, params }) => [method, params]),
    [
      [
        'public/subscribe',
        { channels: contracts.map(({ venueSymbol }) => `trades.${venueSymbol}.100ms`) },
      ],
      ['public/set_heartbeat', { interval: 10 }],
    ],
  );
});

test('pages are requested by numbers', () => {
  const query = (wish: Partial<PageWish>) =>
    venue.page!(perpetual, { ...WISH, ...wish }).url.split('?')[1];
  const name = 'instrument_name=BTC-PERPETUAL';
  assert.equal(query({}), `${name}&start_seq=5&end_seq=9&count=1000&sorting=asc`);
  assert.equal(query({ toId: null }), `${name}&start_seq=5&count=1000&sorting=asc`);
  assert.equal(query({ fromId: null, toId: null }), `${name}&count=10&sorting=desc`);
});

test('a page says whether there are more trades, or why there is none', () => {
  assert.deepEqual(page({ result: { trades: [ROW], has_more: true } }), {
    kind: 'trades',
    trades: [TRADE],
    isLast: false,
  });
  assert.deepEqual(page({ result: { trades: [], has_more: false } }), {
    kind: 'trades',
    trades: [],
    isLast: true,
  });
  assert.throws(() => page({ result: { trades: [] } }), /the field has_more is nothing/);
  assert.throws(() => page({ error: { code: 13_020 } }), /the field result is nothing/);
  const refused = page({ error: { code: 10_028 } }, 429);
  assert.ok(refused.kind === 'refused');
  assert.match(refused.why, /too many requests \(429: .*10028/);
});

test('contracts are described by the venue', async () => {
  const names = ['XRP_USDC-PERPETUAL', 'BTC-PERPETUAL', 'ETH-25SEP26', 'BTC_USDC'];
  const found = await deribit.contracts(dialectNetwork(deribitDialect), settings, names, signal);
  assert.deepEqual(
    found.map(({ venueSymbol, kind, root, base, currency, tick, lot, pointValue, isInverse }) =>
      [venueSymbol, kind, root, base, currency, tick, lot, pointValue, isInverse].join(' '),
    ),
    [
      'XRP_USDC-PERPETUAL perpetual XRP_USDC-PERPETUAL XRP USDC 0.0001 0.01 1 false',
      'BTC-PERPETUAL perpetual BTC-PERPETUAL BTC USD 0.5 10 1 true',
      'ETH-25SEP26 future ETH ETH USD 0.25 1 1 true',
      'BTC_USDC spot BTC_USDC BTC USDC 1 0.0000001 1 false',
    ],
  );
  assert.deepEqual(
    found.map(({ expiresAt, notTraded }) => [expiresAt, notTraded]),
    [
      [null, 'it is not active'],
      [null, null],
      [BigInt(Date.UTC(2026, 8, 25, 8)) * 1_000_000n, null],
      [null, null],
    ],
  );
});

test('an unknown contract is an error that names the nearest', async () => {
  const ask = deribit.contracts(dialectNetwork(deribitDialect), settings, ['BTC-PERPETUL'], signal);
  await assert.rejects(ask, {
    name: 'Error',
    message: 'Deribit has no contract BTC-PERPETUL. Did you mean "BTC-PERPETUAL"?',
    isTemporary: false,
  });
});

test('a description that cannot be read is an error that names the address and the field', async () => {
  const network = dialectNetwork(deribitDialect);
  const answering = (body: unknown) => ({
    ...network,
    request: async () => ({ status: 200, headers: {}, body: JSON.stringify(body) }),
  });
  const ask = (body: unknown) =>
    deribit.contracts(answering(body), settings, ['BTC-PERPETUAL'], signal);
  const row = { instrument_name: 'BTC-PERPETUAL', kind: 'option' };
  await assert.rejects(ask({ result: [row] }), /www\.deribit\.com .* the field kind is "option"/);
  await assert.rejects(ask({ error: {} }), /www\.deribit\.com did not answer with a list/);
  await assert.rejects(ask([]), /did not answer with a list/);
});
