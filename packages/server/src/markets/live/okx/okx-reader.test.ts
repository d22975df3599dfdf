import assert from 'node:assert/strict';
import { test } from 'node:test';
import { okxDialect } from '../../../../testing/live/dialects/okx-dialect.ts';
import { contractsOf } from '../../../../testing/live/feed-run.ts';
import { readerOf } from '../../../../testing/live/reader-of.ts';
import type { FeedMessage, PageAnswer, Reading, VenueReader } from '../feed.ts';
import { FieldError } from '../venue-answers.ts';

const { venue } = okxDialect;
const contracts = contractsOf(okxDialect);
const [bitcoin] = contracts;
const TS = Date.UTC(2026, 10, 19, 12);
const ROW = {
  instId: 'BTC-USDT-SWAP',
  tradeId: '1110143192',
  px: '90831.5',
  sz: '0.03',
  side: 'buy',
  source: '0',
  ts: `${TS}`,
};
const TRADE = {
  id: 1_110_143_192,
  day: TS / 86_400_000 - 0.5,
  ns: 43_200_000_000_000,
  price: 908_315,
  size: 3,
  side: 1,
};

const acknowledged = (instId: string) =>
  JSON.stringify({
    event: 'subscribe',
    arg: { channel: 'trades-all', instId },
    connId: 'a4d3ae55',
  });

/** A reader behind the answers to all subscriptions. */
function subscribed(): VenueReader {
  const reader = readerOf(venue, contracts);
  for (const { venueSymbol } of contracts) reader.read(acknowledged(venueSymbol));
  return reader;
}

const read = (message: FeedMessage): readonly Reading[] => subscribed().read(message);
const pushed = (changed: object, arg: object = {}) =>
  JSON.stringify({
    arg: { channel: 'trades-all', instId: 'BTC-USDT-SWAP', ...arg },
    data: [{ ...ROW, ...changed }],
  });
const answered = (body: object, status = 200): PageAnswer => ({
  status,
  headers: {},
  body: JSON.stringify(body),
});
const page = (fromId: number | null, toId: number | null = null) => ({
  fromId,
  toId,
  before: null,
});

test('a trade has its number, its time, ticks, lots of contracts and the side of the taker', () => {
  assert.deepEqual(read(pushed({})), [
    { kind: 'trades', symbol: 'BTC-USDT-SWAP', trades: [TRADE] },
  ]);
  const sold = { side: 'sell', px: 90831.5, sz: 0.03, tradeId: 1_110_143_192, ts: TS };
  const [reading] = read(pushed({ ...sold, source: '1', added: { later: true } }));
  assert.deepEqual(reading, {
    kind: 'trades',
    symbol: 'BTC-USDT-SWAP',
    trades: [{ ...TRADE, side: -1 }],
  });
});

test('a trade with a wrong or missing field is not understood, and the field is named', () => {
  const wrong: readonly (readonly [field: string, value: unknown])[] = [
    ['tradeId', undefined],
    ['tradeId', '9007199254740993'],
    ['tradeId', 2 ** 53],
    ['tradeId', '12.5'],
    ['tradeId', -1],
    ['tradeId', ''],
    ['px', undefined],
    ['px', 'abc'],
    ['px', null],
    ['px', ''],
    ['sz', [1]],
    ['sz', '-1'],
    ['side', 'BUY'],
    ['side', undefined],
    ['ts', undefined],
    ['ts', '1e300'],
    ['ts', Number.MAX_SAFE_INTEGER],
    ['ts', -1],
    ['instId', 'ETH-USDT-SWAP'],
    ['instId', undefined],
  ];
  for (const [field, value] of wrong) {
    assert.throws(
      () => read(pushed({ [field]: value })),
      (error: Error) => error instanceof FieldError && error.message.includes(`field ${field} is`),
      `${field}: ${value}`,
    );
  }
});

test('a number with an exponent is exact, and one off the grid is not rounded', () => {
  const [reading] = read(pushed({ px: '9.08315e4', sz: '1e-2' }));
  assert.deepEqual(
    reading?.kind === 'trades' && reading.trades.map(({ price, size }) => [price, size]),
    [[908_315, 1]],
  );
  const [finer] = read(pushed({ px: 1e-7 }));
  assert.deepEqual(finer?.kind === 'trades' && finer.trades[0]?.price, 0.000001);
});

test('a cut message, bytes and data without a channel are not understood', () => {
  const whole = pushed({});
  for (let length = 0; length < whole.length; length += 1) {
    assert.throws(() => read(whole.slice(0, length)), `${length}`);
  }
  assert.equal(read(new Uint8Array(4))[0]?.kind, 'garbled');
  for (const damaged of [
    '[]',
    '7',
    'null',
    '{"data":[]}',
    '{"arg":{},"data":[]}',
    '{"arg":{"channel":"trades-all","instId":"BTC-USDT-SWAP"},"data":{}}',
  ]) {
    assert.throws(() => read(damaged), FieldError, damaged);
  }
});

test('what can hold no trade of ours is left alone', () => {
  for (const other of [
    pushed({}, { channel: 'trades' }),
    pushed({ instId: 'XRP-USDT-SWAP' }, { instId: 'XRP-USDT-SWAP' }),
    '{"event":"notice","code":"64008","msg":"The connection will soon be closed."}',
    '{"event":"channel-conn-count","channel":"trades-all","connCount":"2"}',
    '{"arg":{"channel":"trades-all","instId":"BTC-USDT-SWAP"},"data":[]}',
    '{}',
  ]) {
    assert.deepEqual(read(other), [], other);
  }
  assert.deepEqual(read('pong'), [{ kind: 'alive', venueTime: null }]);
});

test('an error that names a contract refuses it, and any other ends the connection', () => {
  const error = (code: string, msg: string) => read(JSON.stringify({ event: 'error', code, msg }));
  const msg = "Wrong URL or channel:trades-all,instId:ETH-USDT-SWAP doesn't exist.";
  assert.deepEqual(error('60018', msg), [
    { kind: 'refused', symbol: 'ETH-USDT-SWAP', why: `${msg} (60018)` },
  ]);
  assert.equal(error('60018', msg.replace('ETH', 'XRP'))[0]?.kind, 'garbled');
  assert.equal(error('60014', msg)[0]?.kind, 'garbled');
  assert.deepEqual(error('60012', 'Illegal request'), [
    { kind: 'garbled', why: 'Illegal request (60012)' },
  ]);
});

test('each contract is subscribed on its own, and one that is refused leaves the others alone', () => {
  const sent = venue.subscribe(contracts, new Map());
  assert.equal(sent.length, contracts.length);
  const session = okxDialect.session('wss://venue');
  const answers = sent.map((message) => session.received(message, () => [], TS));
  assert.deepEqual(
    answers.flatMap(({ subscribed }) => subscribed),
    contracts.map(({ venueSymbol }) => venueSymbol),
  );
  const reader = readerOf(venue, contracts);
  assert.deepEqual(
    answers.map(({ replies }) => reader.read(replies[0]!)),
    [[], [], [{ kind: 'subscribed' }]],
  );
  assert.equal(venue.address(contracts), 'wss://ws.okx.com:8443/ws/v5/business');
});

test('trades count once every subscription is answered: others would seem to be without trades', () => {
  const reader = readerOf(venue, contracts);
  const [first, second, third] = contracts.map(({ venueSymbol }) => venueSymbol);
  assert.deepEqual(reader.read(acknowledged(first!)), []);
  assert.deepEqual(reader.read(acknowledged(first!)), [], 'repeated');
  assert.deepEqual(reader.read(pushed({})), []);
  const msg = `Wrong URL or channel:trades-all,instId:${second} doesn't exist.`;
  const error = JSON.stringify({ event: 'error', code: '60018', msg });
  assert.equal(reader.read(error)[0]?.kind, 'refused');
  assert.deepEqual(reader.read(acknowledged(third!)), [{ kind: 'subscribed' }]);
  assert.deepEqual(reader.read(acknowledged(third!)), []);
  assert.equal(reader.read(pushed({}))[0]?.kind, 'trades');
});

test('a page begins at the first missing number, and is in the order of the trades', () => {
  const url = new URL(venue.page!(bitcoin!, page(500, 502)).url);
  assert.equal(url.origin + url.pathname, 'https://www.okx.com/api/v5/market/history-trades');
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    instId: 'BTC-USDT-SWAP',
    type: '1',
    limit: '100',
    after: '600',
  });
  assert.equal(new URL(venue.page!(bitcoin!, page(null)).url).searchParams.has('after'), false);
  const data = [3, 2, 1].map((id) => ({ ...ROW, tradeId: `${id}` }));
  const reading = venue.readPage(bitcoin!, page(1), answered({ code: '0', msg: '', data }));
  assert.ok(reading.kind === 'trades');
  assert.deepEqual([reading.trades.map(({ id }) => id), reading.isLast], [[1, 2, 3], true]);
  const full = Array.from({ length: 100 }, (_, index) => ({ ...ROW, tradeId: `${100 - index}` }));
  const more = venue.readPage(bitcoin!, page(1), answered({ code: '0', msg: '', data: full }));
  assert.equal(more.kind === 'trades' && more.isLast, false);
});

test('refusals of pages are told apart, and a damaged page is not understood', () => {
  const outcome = (answer: PageAnswer) => venue.readPage(bitcoin!, page(1), answer);
  assert.deepEqual(outcome(answered({ code: '50011', msg: 'Too Many Requests', data: [] })), {
    kind: 'refused',
    why: 'Too Many Requests (50011)',
    retryAfterMs: 2_000,
  });
  assert.equal(outcome(answered({ code: '50001', msg: 'down' })).kind, 'refused');
  assert.equal(outcome(answered({ code: '51001', msg: 'no such' })).kind, 'forgotten');
  assert.equal(outcome(answered({}, 503)).kind, 'refused');
  assert.throws(() => outcome({ status: 200, headers: {}, body: '{"code":"0","da' }));
  assert.throws(() => outcome(answered({ code: '0', msg: '' })), FieldError);
  const data = [{ ...ROW, tradeId: undefined }];
  assert.throws(() => outcome(answered({ code: '0', msg: '', data })), FieldError);
});
