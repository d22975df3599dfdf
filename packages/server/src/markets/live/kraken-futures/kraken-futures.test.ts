import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialectNetwork } from '../../../../testing/live/dialect-network.ts';
import { krakenFuturesDialect } from '../../../../testing/live/dialects/kraken-futures-dialect.ts';
import { contractsOf } from '../../../../testing/live/feed-run.ts';
import { readerOf } from '../../../../testing/live/reader-of.ts';
import { recorded, recordingsMissing } from '../../../../testing/live/recorded-messages.ts';
import type { FeedContract, Reading } from '../feed.ts';
import type { FeedTrade, PageWish } from '../lines/line.ts';
import { krakenFutures } from './kraken-futures.ts';

const { venue } = krakenFuturesDialect;
const contracts = contractsOf(krakenFuturesDialect);
const [inverse, linear] = contracts as [FeedContract, FeedContract];
const { signal } = new AbortController();
const settings = { addresses: krakenFutures.addresses, key: null, venueDataset: null };
const DAY = 20_674;
const MIDNIGHT = DAY * 86_400_000;

const ROW = {
  feed: 'trade',
  product_id: 'PI_XBTUSD',
  uid: '2a6f0f9e-0d0b-4d0e-8d1c-0c6a6f1f3a55',
  side: 'sell',
  type: 'fill',
  seq: 653_355,
  time: MIDNIGHT + 1_514,
  qty: 15_000,
  price: 64_969.5,
};
const TRADE = {
  id: 653_355,
  day: DAY,
  ns: 1_514_000_000,
  price: 129_939,
  size: 15_000,
  side: -1,
  key: ROW.uid,
};
const PAGE_ROW = {
  time: '2026-08-09T00:00:01.514Z',
  price: 64_969.5,
  size: 15_000,
  side: 'sell',
  type: 'fill',
  uid: ROW.uid,
};
const WISH: PageWish = { fromId: 5, toId: 9, before: null };
const read = (value: object | string) =>
  readerOf(venue, contracts).read(typeof value === 'string' ? value : JSON.stringify(value));
const snapshot = (...trades: readonly object[]) => ({
  feed: 'trade_snapshot',
  product_id: 'PI_XBTUSD',
  trades,
});
const page = (body: unknown, status = 200) =>
  venue.readPage(inverse, WISH, { status, headers: {}, body: JSON.stringify(body) });
const tradesOf = (readings: readonly Reading[]): readonly FeedTrade[] =>
  readings.flatMap((reading) => (reading.kind === 'trades' ? reading.trades : []));

test('a trade has its number, its key and the side of the taker', () => {
  assert.deepEqual(read(ROW), [{ kind: 'trades', symbol: 'PI_XBTUSD', trades: [TRADE] }]);
  assert.equal(tradesOf(read({ ...ROW, side: 'buy' }))[0]!.side, 1);
  const coins = { ...ROW, product_id: 'PF_ETHUSD', qty: 1e-3, price: '2005.2' };
  assert.deepEqual(tradesOf(read(coins)), [{ ...TRADE, size: 1, price: 20_052 }]);
});

test('a snapshot is handed over with its newest trade first', () => {
  const trades = [7, 9, 8].map((seq) => ({ ...ROW, seq }));
  assert.deepEqual(
    tradesOf(read(snapshot(...trades))).map(({ id }) => id),
    [9, 8, 7],
  );
});

test('a block keeps its number and is left out; liquidations and assignments stay', () => {
  const kinds = ['fill', 'liquidation', 'assignment', 'block'].map((type) => ({ ...ROW, type }));
  const expected = [undefined, undefined, undefined, 'block'];
  assert.deepEqual(
    tradesOf(read(snapshot(...kinds))).map(({ leftOut }) => leftOut),
    expected,
  );
  const history = ['fill', 'liquidation', 'assignment', 'block'].map((type) => ({
    ...PAGE_ROW,
    type,
  }));
  const outcome = page({ history });
  assert.ok(outcome.kind === 'trades');
  assert.deepEqual(
    outcome.trades.map(({ leftOut }) => leftOut),
    expected,
  );
});

test('a row with a missing or wrong field names it', () => {
  const damages: readonly (readonly [field: string, value: unknown])[] = [
    ['seq', undefined],
    ['seq', 2 ** 53],
    ['seq', 'first'],
    ['seq', -1],
    ['qty', null],
    ['qty', '1 000'],
    ['qty', -15_000],
    ['price', {}],
    ['side', 'Sell'],
    ['time', 1.5],
    ['uid', 5],
    ['type', undefined],
  ];
  for (const [field, value] of damages) {
    const names = new RegExp(`the field ${field} `);
    assert.throws(() => read({ ...ROW, [field]: value }), names);
    assert.throws(() => read(snapshot(ROW, { ...ROW, [field]: value })), names);
  }
  const pageDamages = { time: MIDNIGHT, price: '', size: -1, side: null, type: 7, uid: '' };
  for (const [field, value] of Object.entries(pageDamages)) {
    const body = { history: [{ ...PAGE_ROW, [field]: value }] };
    assert.throws(() => page(body), new RegExp(`the field ${field} `));
  }
  assert.throws(() => read(snapshot({ ...ROW, product_id: 'PF_ETHUSD' })), /product_id/);
  assert.throws(() => read({ ...snapshot(), trades: 5 }), /the field trades is 5/);
});

test('a message that ends too early is not understood', () => {
  const whole = JSON.stringify(snapshot(ROW));
  for (let length = 0; length < whole.length; length += 1) {
    assert.throws(() => read(whole.slice(0, length)));
  }
});

test('events: subscriptions, refusals, errors, signs of life', () => {
  const product_ids = ['PI_XBTUSD'];
  assert.deepEqual(read({ event: 'subscribed', feed: 'trade', product_ids }), [
    { kind: 'subscribed' },
  ]);
  assert.deepEqual(read({ event: 'subscribed', feed: 'heartbeat' }), []);
  const why = 'Kraken Futures does not serve PI_XBTUSD.';
  assert.deepEqual(read({ event: 'subscribed_failed', feed: 'trade', product_ids }), [
    { kind: 'refused', symbol: 'PI_XBTUSD', why },
  ]);
  const error = { event: 'error', message: 'Invalid product id' };
  assert.deepEqual(read(error), [{ kind: 'garbled', why: `error ${JSON.stringify(error)}` }]);
  assert.deepEqual(read({ event: 'info', version: 1 }), []);
  assert.deepEqual(read({ feed: 'heartbeat', time: 1_534_262_350_627 }), [
    { kind: 'alive', venueTime: 1_534_262_350_627_000_000n },
  ]);
  assert.deepEqual(read({ feed: 'ticker', product_id: 'PI_XBTUSD' }), []);
  assert.deepEqual(read({ ...ROW, product_id: 'PI_OTHER', seq: 'x' }), []);
});

test('a page goes back from the known trade, which it contains, and has keys instead of numbers', () => {
  const url = (before: FeedTrade | null) => new URL(venue.page!(linear, { ...WISH, before }).url);
  const { pathname, searchParams } = url({ ...TRADE, ns: TRADE.ns + 999_999 });
  assert.deepEqual(
    [pathname, searchParams.get('symbol'), searchParams.get('lastTime')],
    ['/derivatives/api/v3/history', 'PF_ETHUSD', '2026-08-09T00:00:01.515Z'],
  );
  assert.equal(url(null).search, '?symbol=PF_ETHUSD');
  assert.deepEqual(page({ history: [PAGE_ROW] }), {
    kind: 'trades',
    trades: [{ ...TRADE, id: 0 }],
    isLast: false,
  });
  assert.throws(() => page({ result: 'error' }), /the field history is nothing/);
  assert.equal(page({}, 503).kind, 'refused');
});

test('contracts are described by the venue; indices are none', async () => {
  const network = dialectNetwork(krakenFuturesDialect);
  const names = ['PF_PEPEUSD', 'PI_XBTUSD', 'PF_ETHUSD', 'FI_XBTUSD_260925'];
  const found = await krakenFutures.contracts(network, settings, names, signal);
  assert.deepEqual(
    found.map(({ venueSymbol, kind, root, base, tick, lot, pointValue, isInverse, notTraded }) =>
      [venueSymbol, kind, root, base, tick, lot, pointValue, isInverse, notTraded].join(' '),
    ),
    [
      'PF_PEPEUSD perpetual PF_PEPEUSD  0.00000001 1000 1 false it is not tradeable',
      'PI_XBTUSD perpetual PI_XBTUSD BTC 0.5 1 1 true ',
      'PF_ETHUSD perpetual PF_ETHUSD ETH 0.1 0.001 1 false ',
      'FI_XBTUSD_260925 future FI_XBTUSD BTC 0.5 1 1 true ',
    ],
  );
  assert.equal(found[3]!.expiresAt, BigInt(Date.UTC(2026, 8, 25, 15)) * 1_000_000n);
  await assert.rejects(krakenFutures.contracts(network, settings, ['PF_ETHUS'], signal), {
    message: 'Kraken Futures has no contract PF_ETHUS. Did you mean "PF_ETHUSD"?',
  });
  await assert.rejects(krakenFutures.contracts(network, settings, ['in_xbtusd'], signal));
});

test('the recording of 2021: 1003 trades of 10 products without a hole', {
  skip: recordingsMissing,
}, () => {
  const [, ...messages] = recorded('kraken-futures-trade-2021');
  const products = messages
    .map((text) => JSON.parse(text) as { event?: string; product_ids?: readonly string[] })
    .flatMap(({ event, product_ids = [] }) => (event === 'subscribed' ? product_ids : []));
  assert.equal(products.length, 10);
  const all = products.map((venueSymbol) => ({
    symbol: venueSymbol,
    venueSymbol,
    tickSizeNanos: venueSymbol.includes('XRP') ? 10_000 : 10_000_000,
    lotSizeNanos: 1_000_000_000,
    hours: null,
  }));
  const reader = readerOf(venue, all);
  const ids = new Map<string, number[]>();
  const sides = new Map<number, number>();
  const keys = new Set<string>();
  for (const reading of messages.flatMap((text) => reader.read(text))) {
    if (reading.kind !== 'trades') continue;
    for (const trade of reading.trades) {
      ids.getOrInsertComputed(reading.symbol, () => []).push(trade.id);
      sides.set(trade.side, (sides.get(trade.side) ?? 0) + 1);
      keys.add(trade.key!);
      assert.ok(Number.isInteger(trade.price) && Number.isInteger(trade.size), reading.symbol);
    }
  }
  assert.deepEqual([sides.get(1), sides.get(-1), keys.size], [531, 472, 1_003]);
  for (const some of ids.values()) {
    const sorted = some.sort((a, b) => a - b);
    assert.ok(
      sorted.every((id, index) => id === sorted[0]! + index),
      'a hole',
    );
  }
});
