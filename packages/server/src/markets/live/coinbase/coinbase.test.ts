import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialectNetwork } from '../../../../testing/live/dialect-network.ts';
import { coinbaseDialect } from '../../../../testing/live/dialects/coinbase-dialect.ts';
import { contractsOf } from '../../../../testing/live/feed-run.ts';
import { readerOf } from '../../../../testing/live/reader-of.ts';
import { recorded, recordingsMissing } from '../../../../testing/live/recorded-messages.ts';
import type { Reading } from '../feed.ts';
import type { FeedTrade, PageWish } from '../lines/line.ts';
import { coinbase } from './coinbase.ts';

const { venue } = coinbaseDialect;
const contracts = contractsOf(coinbaseDialect);
const [bitcoin] = contracts as [(typeof contracts)[number]];
const { signal } = new AbortController();
const settings = { addresses: coinbase.addresses, key: null, venueDataset: null };

const ROW = {
  product_id: 'BTC-USD',
  trade_id: '1070000007',
  price: '65083.67',
  size: '0.002186',
  time: '2026-08-09T00:00:01.514318Z',
  side: 'SELL',
};
const DAY = 20_674;
const TRADE = {
  id: 1_070_000_007,
  day: DAY,
  ns: 1_514_318_000,
  price: 6_508_367,
  size: 218_600,
  side: 1,
};
const TIME = '2026-08-09T00:00:01.728568804Z';
const ALIVE = { kind: 'alive', venueTime: BigInt(DAY) * 86_400_000_000_000n + 1_728_568_804n };

const message = (trades: readonly object[], type = 'update', sequence_num = 0) => ({
  channel: 'market_trades',
  client_id: '',
  timestamp: TIME,
  sequence_num,
  events: [{ type, trades }],
});
const newReader = () => readerOf(venue, contracts);
const read = (value: object | string, reader = newReader()) =>
  reader.read(typeof value === 'string' ? value : JSON.stringify(value));
const tradesOf = (readings: readonly Reading[]): readonly FeedTrade[] =>
  readings.flatMap((reading) => (reading.kind === 'trades' ? reading.trades : []));
const WISH: PageWish = { fromId: 5, toId: 9, before: null };
const page = (body: unknown, wish: Partial<PageWish> = {}, status = 200) =>
  venue.readPage(
    bitcoin,
    { ...WISH, ...wish },
    { status, headers: {}, body: JSON.stringify(body) },
  );

test('the aggressor is the side that the maker is not', () => {
  const buy = { ...ROW, trade_id: '1070000008', side: 'BUY' };
  assert.deepEqual(read(message([buy, ROW])), [
    {
      kind: 'trades',
      symbol: 'BTC-USD',
      trades: [TRADE, { ...TRADE, id: TRADE.id + 1, side: -1 }],
    },
  ]);
});

test('a snapshot is the past: its newest trade comes first, so that a new line begins there', () => {
  const rows = [5, 9, 7].map((id) => ({ ...ROW, trade_id: `${id}` }));
  const ids = (type: string) => tradesOf(read(message(rows, type))).map(({ id }) => id);
  assert.deepEqual(
    [ids('snapshot'), ids('update')],
    [
      [9, 7, 5],
      [5, 7, 9],
    ],
  );
});

test('trades of several products in one message are told apart; those of others are ignored', () => {
  const other = { ...ROW, product_id: 'DOGE-EUR', price: '0.12345', size: '10.5' };
  const readings = read(message([ROW, other, { product_id: 'SOL-USD' }, ROW]));
  assert.deepEqual(
    readings.map((reading) => (reading.kind === 'trades' ? reading.trades.length : reading.kind)),
    [2, 1],
  );
});

test('a hole in the numbers of the messages ends the connection, a repeated one does not', () => {
  const reader = newReader();
  const kinds = (sequence: number) =>
    read(message([ROW], 'update', sequence), reader).map(({ kind }) => kind);
  assert.deepEqual(kinds(0), ['trades']);
  assert.deepEqual(kinds(1), ['trades']);
  assert.deepEqual(kinds(0), ['trades']);
  assert.deepEqual(kinds(2), ['trades']);
  const [garbled, ...rest] = read(message([ROW], 'update', 5), reader);
  assert.deepEqual(garbled, { kind: 'garbled', why: 'messages 3 to 4 are missing' });
  assert.equal(tradesOf(rest).length, 1);
});

test('a row with a missing or wrong field names it', () => {
  const damages: readonly (readonly [field: string, value: unknown])[] = [
    ['trade_id', undefined],
    ['trade_id', '9007199254740993'],
    ['trade_id', '12x'],
    ['trade_id', -1],
    ['price', '1,5'],
    ['price', null],
    ['size', ''],
    ['size', false],
    ['size', '-0.002186'],
    ['time', 1_786_309_548],
    ['time', '2026-08-09 21:05:48'],
    ['time', '2026-02-30T21:05:48Z'],
    ['time', '2026-08-09T24:05:48Z'],
    ['side', 'UNKNOWN'],
  ];
  for (const [field, value] of damages) {
    const names = new RegExp(`the field ${field} `);
    assert.throws(() => read(message([{ ...ROW, [field]: value }])), names);
    assert.throws(() => page([{ ...ROW, [field]: value }]), names);
  }
  assert.throws(() => read(message([{ ...ROW, product_id: 5 }])), /the field product_id is 5/);
  assert.throws(() => read(message([ROW], 'other')), /the field type is "other"/);
  assert.throws(
    () => read({ ...message([ROW]), sequence_num: undefined }),
    /sequence_num is nothing/,
  );
  assert.throws(() => read({ ...message([ROW]), events: {} }), /the field events/);
});

test('numbers may come as numbers, times with fewer digits, and sizes with exponents', () => {
  const row = { ...ROW, trade_id: 7, price: 65083.67, size: 1e-7, time: '2026-08-09T00:00:01Z' };
  assert.deepEqual(tradesOf(read(message([row]))), [
    { ...TRADE, id: 7, size: 10, ns: 1_000_000_000 },
  ]);
});

test('a message that ends too early is not understood', () => {
  const whole = JSON.stringify(message([ROW]));
  for (let length = 0; length < whole.length; length += 1) {
    assert.throws(() => read(whole.slice(0, length)));
  }
});

test('heartbeats and other channels are signs of life; an error is not understood', () => {
  const beat = { ...message([]), channel: 'heartbeats', events: [{ heartbeat_counter: 3 }] };
  assert.deepEqual(read(beat), [ALIVE]);
  assert.deepEqual(read({ ...beat, channel: 'status', events: 5, timestamp: undefined }), [
    { kind: 'alive', venueTime: null },
  ]);
  assert.deepEqual(read({ hello: 1 }), []);
  const why = 'error {"type":"error","message":"rate limit"}';
  assert.deepEqual(read({ type: 'error', message: 'rate limit' }), [{ kind: 'garbled', why }]);
});

test('a product that the answer lacks is refused', () => {
  const answer = (subscriptions: object) =>
    read({ ...message([]), channel: 'subscriptions', events: [{ subscriptions }] }).slice(1);
  assert.deepEqual(answer({ heartbeats: ['heartbeats'] }), []);
  assert.deepEqual(answer({ market_trades: ['BTC-USD', 'ETH-USD'] }), [
    { kind: 'subscribed' },
    { kind: 'refused', symbol: 'DOGE-EUR', why: 'Coinbase does not serve DOGE-EUR.' },
  ]);
});

test('an error that names one product as invalid refuses it, and ends the connection', () => {
  const failed = (reason: string) =>
    read({ type: 'error', message: 'Failed to subscribe', reason }).map((it) =>
      'symbol' in it ? `${it.kind} ${it.symbol}` : it.kind,
    );
  assert.deepEqual(failed('DOGE-EUR is not a valid product'), ['refused DOGE-EUR', 'garbled']);
  assert.deepEqual(failed('Invalid product ID provided'), ['garbled']);
  assert.deepEqual(failed('DOGE-EURC is not a valid product'), ['garbled']);
  assert.deepEqual(failed('BTC-USD or ETH-USD is not a valid product'), ['garbled']);
  assert.deepEqual(failed('too many requests for DOGE-EUR'), ['garbled']);
});

test('pages count back from a number, so that a hole is filled from its beginning', () => {
  const query = (wish: Partial<PageWish>) => venue.page!(bitcoin, { ...WISH, ...wish }).url;
  const address = 'https://api.exchange.coinbase.com/products/BTC-USD/trades';
  assert.equal(query({}), `${address}?after=1005&limit=1000`);
  assert.equal(query({ toId: null }), `${address}?after=1005&limit=1000`);
  assert.equal(query({ fromId: null, toId: null }), `${address}?limit=10`);
});

test('a page reaches the newest trade if it has the last known one, and room behind it', () => {
  const isLast = (ids: readonly number[], wish: Partial<PageWish> = { toId: null }) => {
    const reading = page(
      ids.map((trade_id) => ({ ...ROW, trade_id, side: 'sell' })),
      wish,
    );
    assert.ok(reading.kind === 'trades');
    assert.deepEqual(
      reading.trades.map(({ id, side }) => [id, side]),
      ids.map((id) => [id, 1]),
    );
    return reading.isLast;
  };
  assert.deepEqual([isLast([6, 5]), isLast([4]), isLast([1_003, 5])], [true, true, true]);
  assert.deepEqual([isLast([1_004, 5]), isLast([3]), isLast([])], [false, false, false]);
  assert.equal(isLast([], { fromId: null, toId: null }), true);
  const refused = page({ message: 'Public rate limit exceeded' }, {}, 429);
  assert.ok(refused.kind === 'refused');
  assert.match(refused.why, /Public rate limit exceeded/);
  assert.throws(() => page({ message: 'NotFound' }), /the field of the page/);
});

test('products are described by the venue', async () => {
  const requested: string[] = [];
  const network = dialectNetwork(coinbaseDialect, requested);
  const found = await coinbase.contracts(
    network,
    settings,
    ['DOGE-EUR', 'BTC-USD', 'ETH-USD'],
    signal,
  );
  assert.deepEqual(
    found.map(({ venueSymbol, kind, base, currency, tick, lot, notTraded }) =>
      [venueSymbol, kind, base, currency, tick, lot, notTraded].join(' '),
    ),
    [
      'DOGE-EUR spot DOGE EUR 0.00001 0.1 its status is delisted',
      'BTC-USD spot BTC USD 0.01 0.00000001 ',
      'ETH-USD spot ETH USD 0.01 0.00000001 its trading is disabled',
    ],
  );
  assert.deepEqual(requested, ['https://api.exchange.coinbase.com/products']);
  await assert.rejects(coinbase.contracts(network, settings, ['BTC-USDC'], signal), {
    message: 'Coinbase has no contract BTC-USDC. Did you mean "BTC-USD"?',
  });
});

test('the recording of 2026: 279 trades of two products, no hole, messages of two snapshots', {
  skip: recordingsMissing,
}, () => {
  const [subscribe, ...messages] = recorded('coinbase-advanced-market-trades-2026');
  assert.deepEqual(JSON.parse(subscribe!), {
    type: 'subscribe',
    product_ids: ['BTC-USD', 'ETH-USD'],
    channel: 'market_trades',
  });
  const reader = newReader();
  const ids = new Map<string, number[]>();
  let buyers = 0;
  messages.forEach((text, sequence_num) => {
    // The extract has left out the messages of other channels.
    const whole = { ...(JSON.parse(text) as object), sequence_num };
    for (const reading of read(whole, reader)) {
      assert.ok(reading.kind === 'trades', reading.kind);
      const known = ids.getOrInsertComputed(reading.symbol, () => []);
      known.push(...reading.trades.map(({ id }) => id));
      assert.ok(reading.trades.every(({ price, size }) => Number.isInteger(price + size)));
      buyers += reading.trades.filter(({ side }) => side === 1).length;
    }
  });
  const sorted = [...ids.values()].map((some) => some.sort((a, b) => a - b));
  assert.deepEqual(
    sorted.map(({ length }) => length),
    [147, 132],
  );
  for (const some of sorted) {
    assert.ok(
      some.every((id, index) => id === some[0]! + index),
      'a hole',
    );
  }
  const makers = messages.join('').match(/"side":"SELL"/g)!;
  assert.equal(buyers, makers.length);
});
