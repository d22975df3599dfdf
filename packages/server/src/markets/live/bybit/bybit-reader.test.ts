import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bybitDialect } from '../../../../testing/live/dialects/bybit-dialect.ts';
import { contractsOf } from '../../../../testing/live/feed-run.ts';
import { readerOf } from '../../../../testing/live/reader-of.ts';
import type { FeedMessage, PageAnswer, Reading, VenueReader } from '../feed.ts';
import { FieldError } from '../venue-answers.ts';
import { bybitInverseKind } from './bybit-venue.ts';

const { venue } = bybitDialect;
const contracts = contractsOf(bybitDialect);
const [bitcoin] = contracts;
const TOPIC_CHARACTERS_MAX = 21_000;
const LONGEST_SYMBOL = 64;
const TS = Date.UTC(2026, 10, 19, 12);
const ROW = {
  T: TS,
  s: 'BTCUSDT',
  S: 'Sell',
  v: '0.004',
  p: '65114.20',
  L: 'MinusTick',
  i: 'a9188a0a-82bc-50de-be60-03eedbe3cdd7',
  BT: false,
  RPI: false,
  seq: 753_843_954_913,
};
const TRADE = {
  id: -1,
  day: TS / 86_400_000 - 0.5,
  ns: 43_200_000_000_000,
  price: 651_142,
  size: 4,
  side: -1,
  key: ROW.i,
};
const PAGE_ROW = {
  execId: ROW.i,
  symbol: 'BTCUSDT',
  price: '65114.2',
  size: '0.004',
  side: 'Sell',
  time: `${TS}`,
  isBlockTrade: false,
  isRPITrade: true,
};
const WISH = { fromId: null, toId: null, before: null };

const acknowledged = (symbol: string) =>
  JSON.stringify({ success: true, ret_msg: '', conn_id: 'c', req_id: symbol, op: 'subscribe' });
const refused = (ret_msg: string, req_id?: string) =>
  JSON.stringify({ success: false, ret_msg, conn_id: 'c', req_id, op: 'subscribe' });

function subscribed(): VenueReader {
  const reader = readerOf(venue, contracts);
  for (const { venueSymbol } of contracts) reader.read(acknowledged(venueSymbol));
  return reader;
}

const read = (message: FeedMessage): readonly Reading[] => subscribed().read(message);
const pushed = (...rows: readonly object[]) =>
  JSON.stringify({
    ...{ topic: 'publicTrade.BTCUSDT', type: 'snapshot', ts: TS },
    data: rows.map((row) => ({ ...ROW, ...row })),
  });
const answered = (result: unknown, retCode: unknown = 0, retMsg = 'OK'): PageAnswer => ({
  status: 200,
  headers: {},
  body: JSON.stringify({ retCode, retMsg, result }),
});

test('a trade has its text, its time, ticks, lots and the side of the taker', () => {
  assert.deepEqual(read(pushed({})), [{ kind: 'trades', symbol: 'BTCUSDT', trades: [TRADE] }]);
  const [bought] = read(pushed({ S: 'Buy', v: 0.004, p: 65114.2, T: `${TS}`, RPI: true, new: 1 }));
  assert.deepEqual(bought?.kind === 'trades' && bought.trades, [{ ...TRADE, side: 1 }]);
});

test('block trades are left out and counted, and those with orders for retail stay', () => {
  const rows = Array.from({ length: 1_024 }, (_, index) => ({
    i: `${index}`,
    BT: index % 4 === 3,
  }));
  const readings = read(pushed(...rows));
  assert.ok(readings[0]?.kind === 'trades');
  assert.equal(readings[0].trades.length, 768);
  const leftOut = { kind: 'leftOut', symbol: 'BTCUSDT', what: 'block trade' };
  assert.deepEqual(readings.slice(1), Array(256).fill(leftOut));
  assert.deepEqual(read(pushed({ BT: true })), [leftOut]);
});

test('a trade with a wrong or missing field is not understood, and the field is named', () => {
  const wrong: readonly (readonly [field: string, value: unknown])[] = [
    ['i', undefined],
    ['i', 7],
    ['i', ''],
    ['T', undefined],
    ['T', 1.5],
    ['T', 2 ** 53],
    ['T', Number.MAX_SAFE_INTEGER],
    ['s', 'ETHUSDT'],
    ['s', undefined],
    ['S', 'buy'],
    ['S', undefined],
    ['v', undefined],
    ['v', '-0.004'],
    ['v', 'NaN'],
    ['p', undefined],
    ['p', {}],
    ['p', '1,5'],
    ['BT', undefined],
    ['BT', 'false'],
  ];
  for (const [field, value] of wrong) {
    assert.throws(
      () => read(pushed({}, { [field]: value })),
      (error: Error) => error instanceof FieldError && error.message.includes(`field ${field} is`),
      `${field}: ${value}`,
    );
  }
});

test('a number with an exponent is exact, and one off the grid is not rounded', () => {
  const [reading] = read(pushed({ p: '6.51142e4', v: '1e-3' }, { p: 1e-7 }));
  assert.deepEqual(
    reading?.kind === 'trades' && reading.trades.map(({ price, size }) => [price, size]),
    [
      [651_142, 1],
      [0.000001, 4],
    ],
  );
});

test('a cut message, bytes and data without a topic are not understood', () => {
  const whole = pushed({});
  for (let length = 0; length < whole.length; length += 1) {
    assert.throws(() => read(whole.slice(0, length)), `${length}`);
  }
  assert.equal(read(new Uint8Array(4))[0]?.kind, 'garbled');
  for (const damaged of ['[]', 'null', '{"data":[]}', '{"topic":"publicTrade.BTCUSDT"}']) {
    assert.throws(() => read(damaged), FieldError, damaged);
  }
});

test('what can hold no trade of ours is left alone, and an answer to a ping shows life', () => {
  for (const other of ['{}', '{"topic":"tickers.BTCUSDT","data":{}}', '{"op":"auth"}']) {
    assert.deepEqual(read(other), [], other);
  }
  assert.deepEqual(read('{"topic":"publicTrade.XRPUSDT","data":[{}]}'), []);
  assert.deepEqual(read('{"success":true,"ret_msg":"pong","conn_id":"c","op":"ping"}'), [
    { kind: 'alive', venueTime: null },
  ]);
  assert.deepEqual(read('{"op":"pong","args":["1675418560633"],"conn_id":"c"}'), [
    { kind: 'alive', venueTime: 1_675_418_560_633_000_000n },
  ]);
});

test('trades wait for the last subscription of their connection', () => {
  const reader = readerOf(venue, contracts);
  assert.deepEqual(reader.read(acknowledged('BTCUSDT')), []);
  assert.deepEqual(reader.read(pushed({})), []);
  assert.deepEqual(reader.read(acknowledged('ETHUSDT')), []);
  assert.deepEqual(
    reader.read(acknowledged('DOGEUSDT')).map(({ kind }) => kind),
    ['subscribed', 'trades'],
  );
  assert.equal(reader.read(pushed({ i: 'b' })).length, 1);
});

test('a refused contract leaves the others alone, and any other error ends the connection', () => {
  for (const why of [
    'error:handler not found,topic:publicTrade.ETHUSDT',
    'Invalid symbol :[publicTrade.ETHUSDT]',
  ]) {
    const reader = readerOf(venue, contracts);
    reader.read(acknowledged('BTCUSDT'));
    reader.read(acknowledged('DOGEUSDT'));
    assert.deepEqual(reader.read(refused(why)), [
      { kind: 'refused', symbol: 'ETHUSDT', why },
      { kind: 'subscribed' },
    ]);
  }
  assert.equal(read(refused('Invalid symbol', 'ETHUSDT'))[0]?.kind, 'refused');
  assert.equal(read(refused('Invalid symbol :[publicTrade.XRPUSDT]'))[0]?.kind, 'garbled');
  assert.equal(read(refused('too many requests', 'ETHUSDT'))[0]?.kind, 'garbled');
});

test('each contract is subscribed on its own, within the characters of a connection', () => {
  const sent = venue.subscribe(contracts, new Map()).map((message) => JSON.parse(String(message)));
  assert.deepEqual(
    sent.map(({ args }) => args),
    contracts.map(({ venueSymbol }) => [`publicTrade.${venueSymbol}`]),
  );
  const longest = 'publicTrade.'.length + LONGEST_SYMBOL + 3;
  assert.ok(venue.limits.contractsPerConnection * longest < TOPIC_CHARACTERS_MAX);
  assert.equal(venue.address(contracts), 'wss://stream.bybit.com/v5/public/linear');
  const inverse = bybitInverseKind.open({
    addresses: { stream: 'ws://localhost:1', rest: 'http://localhost:2' },
    key: null,
    venueDataset: null,
  });
  assert.equal(inverse.address(contracts), 'ws://localhost:1/v5/public/inverse');
  assert.equal(
    inverse.page!(bitcoin!, WISH).url,
    'http://localhost:2/v5/market/recent-trade?category=inverse&symbol=BTCUSDT&limit=1000',
  );
});

test('a page has the newest trades in their order, without block trades', () => {
  const list = [
    { ...PAGE_ROW, execId: 'c' },
    { ...PAGE_ROW, execId: 'b', isBlockTrade: true },
    { ...PAGE_ROW, execId: 'a', time: TS, side: 'Buy' },
  ];
  const reading = venue.readPage(bitcoin!, WISH, answered({ category: 'linear', list }));
  assert.deepEqual(reading, {
    kind: 'trades',
    trades: [
      { ...TRADE, key: 'a', side: 1 },
      { ...TRADE, key: 'c' },
    ],
    isLast: true,
  });
});

test('refusals of pages are told apart, and a damaged page is not understood', () => {
  const outcome = (answer: PageAnswer) => venue.readPage(bitcoin!, WISH, answer);
  assert.deepEqual(outcome(answered({}, 10_006, 'Too many visits!')), {
    kind: 'refused',
    why: 'Too many visits! (10006)',
    retryAfterMs: 5_000,
  });
  assert.equal(outcome(answered({}, 10_001, 'params error')).kind, 'refused');
  assert.equal(outcome({ status: 403, headers: {}, body: '' }).kind, 'refused');
  assert.equal(outcome(answered({}, null)).kind, 'refused');
  assert.throws(() => outcome({ status: 200, headers: {}, body: '{"retCode":0,"re' }));
  assert.throws(() => outcome(answered({})), FieldError);
  const list = [{ ...PAGE_ROW, execId: undefined }];
  assert.throws(() => outcome(answered({ list })), /field execId is nothing/);
});
