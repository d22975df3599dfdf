import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readerOf as openReader } from '../../../../testing/live/reader-of.ts';
import { recorded, recordingsMissing } from '../../../../testing/live/recorded-messages.ts';
import type { FeedContract, Reading, VenueReader } from '../feed.ts';
import type { FeedTrade } from '../lines/line.ts';
import type { VenueKind } from '../venue-kind.ts';
import { binanceCoinm, binanceUsdm } from './binance-venue.ts';

const MESSAGE = {
  e: 'aggTrade',
  E: 1_767_657_600_120,
  a: 3_000_000_001,
  s: 'BTCUSDT',
  p: '60123.40',
  q: '0.025',
  nq: '0.020',
  f: 7_500_000_010,
  l: 7_500_000_012,
  T: 1_767_657_600_050,
  m: true,
  st: 1,
};
const TRADE: FeedTrade = {
  id: 3_000_000_001,
  day: 20_459,
  ns: 50_000_000,
  price: 601_234,
  size: 25,
  side: -1,
};

function contract(venueSymbol: string, tick = 100_000_000, lot = 1_000_000): FeedContract {
  const terms = { tickSizeNanos: tick, lotSizeNanos: lot, hours: null };
  return { symbol: `${venueSymbol}.live`, venueSymbol, ...terms };
}

const openVenue = (kind: VenueKind) =>
  kind.open({ addresses: kind.addresses, key: null, venueDataset: null });

/** A reader behind its acknowledgement. */
function readerOf(kind: VenueKind, contracts = [contract('BTCUSDT')]): VenueReader {
  const reader = openReader(openVenue(kind), contracts);
  assert.deepEqual(reader.read('{"result":null,"id":1}'), [{ kind: 'subscribed' }]);
  return reader;
}

/** A field of `undefined` is left out. */
function readWith(fields: Readonly<Record<string, unknown>>, kind = binanceUsdm): Reading[] {
  return [...readerOf(kind).read(JSON.stringify({ ...MESSAGE, ...fields }))];
}

const ofTrade = (fields: Partial<FeedTrade> = {}): readonly Reading[] => [
  { kind: 'trades', symbol: 'BTCUSDT.live', trades: [{ ...TRADE, ...fields }] },
];

const garbled = (why: string): readonly Reading[] => [{ kind: 'garbled', why }];

test('a trade has its own time and the side of its aggressor, on both paths and as bytes', () => {
  const text = JSON.stringify(MESSAGE);
  const wrapped = JSON.stringify({ stream: 'btcusdt@aggTrade', data: MESSAGE });
  for (const message of [text, wrapped, new TextEncoder().encode(text)]) {
    assert.deepEqual(readerOf(binanceUsdm).read(message), ofTrade());
  }
  assert.deepEqual(readWith({ m: false }), ofTrade({ side: 1 }));
});

test('numbers are read as texts and texts as numbers, and none is rounded', () => {
  assert.deepEqual(readWith({ a: '3000000001', p: 60_123.4, q: 0.025 }), ofTrade());
  assert.deepEqual(readWith({ T: `${MESSAGE.T}`, f: '7500000010', st: '1' }), ofTrade());
  assert.deepEqual(readWith({ p: '6.01234e4', q: '25e-3' }), ofTrade());
  assert.deepEqual(readWith({ q: '1e-7' }), ofTrade({ size: 0.0001 }), 'off the grid');
  assert.deepEqual(readWith({ a: 2 ** 53 - 1 }), ofTrade({ id: 2 ** 53 - 1 }));
  const above = '9007199254740993';
  const text = JSON.stringify(MESSAGE).replace(`"a":${MESSAGE.a}`, `"a":${above}`);
  const why = 'the field a is 9007199254740992';
  assert.deepEqual(readerOf(binanceUsdm).read(text), garbled(why));
  assert.deepEqual(readWith({ a: above }), garbled(`the field a is "${above}"`));
});

test('a message with a missing or wrong field of a trade names the field', () => {
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    e: [undefined, null, 5],
    a: [undefined, null, 1.5, -1, 'x', '', {}, true],
    s: [undefined, null, 5],
    p: [undefined, null, '', 'x', '1,5', [], true, 'Infinity'],
    q: [undefined, null, '', 'x', '-0.025', false],
    f: [null, 0.5, 'x', 2 ** 60],
    l: [null, 0.5, 'x', 2 ** 60],
    m: [undefined, null, 'true', 1],
    st: [null, 'UM', 1.5],
    T: [undefined, null, 0.5, -1, 'x'],
  };
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      const shown = JSON.stringify(value) ?? 'nothing';
      const readings = readWith({ [field]: value });
      assert.deepEqual(readings, garbled(`the field ${field} is ${shown}`), `${field} ${shown}`);
    }
  }
});

test('a time that no calendar has is not understood, one of tomorrow is read as it is', () => {
  const [reading] = readWith({ T: MESSAGE.T * 1_000 });
  assert.match((reading as { why: string }).why, /^the field T is 17676576000500/);
  assert.deepEqual(readWith({ T: MESSAGE.T + 86_400_000 }), ofTrade({ day: TRADE.day + 1 }));
});

test('unknown fields, other messages and other contracts are ignored', () => {
  assert.deepEqual(readWith({ nq: undefined, st: undefined, X: 'new', E: 'x' }), ofTrade());
  assert.deepEqual(readWith({ f: undefined, l: undefined }), ofTrade());
  assert.deepEqual(readWith({ s: 'ETHUSDT' }), []);
  for (const e of ['trade', 'markPriceUpdate', 'contractInfo']) {
    assert.deepEqual(readWith({ e }), [], e);
  }
  const reader = readerOf(binanceUsdm);
  assert.deepEqual(reader.read(JSON.stringify([MESSAGE])), []);
  assert.deepEqual(reader.read(JSON.stringify({ stream: '!miniTicker@arr', data: [MESSAGE] })), []);
});

test('a trade of the other market is left out and counted', () => {
  const what = 'trade of another market';
  const left: readonly Reading[] = [{ kind: 'leftOut', symbol: 'BTCUSDT.live', what }];
  assert.deepEqual(readWith({ st: 2 }), left);
  assert.deepEqual(readWith({ st: 1 }, binanceCoinm), left);
  assert.deepEqual(readWith({ st: 2 }, binanceCoinm), ofTrade());
});

test('every cut of a message is not understood', () => {
  const text = JSON.stringify(MESSAGE);
  for (let end = 0; end < text.length; end += 1) {
    const [reading, ...others] = readerOf(binanceUsdm).read(text.slice(0, end));
    assert.deepEqual([reading?.kind, others.length], ['garbled', 0], text.slice(0, end));
  }
  for (const text of ['5', 'null', '"x"', '{}', '{"stream":"x"}', '{"stream":"x","data":5}']) {
    assert.equal(readerOf(binanceUsdm).read(text)[0]?.kind, 'garbled', text);
  }
});

test('a hole in the numbers of single trades is noted where no aggregate trade is missing', () => {
  const reader = readerOf(binanceUsdm);
  const kindsOf = (fields: object) =>
    reader.read(JSON.stringify({ ...MESSAGE, ...fields })).map(({ kind }) => kind);
  assert.deepEqual(kindsOf({ a: 10, f: 100, l: 102 }), ['trades']);
  assert.deepEqual(kindsOf({ a: 11, f: 103, l: 103 }), ['trades']);
  assert.deepEqual(kindsOf({ a: 12, f: 105, l: 106 }), ['trades', 'note']);
  assert.deepEqual(kindsOf({ a: 12, f: 105, l: 106 }), ['trades'], 'repeated');
  assert.deepEqual(kindsOf({ a: 15, f: 120, l: 120 }), ['trades'], 'behind a hole');
  assert.deepEqual(kindsOf({ a: 14, f: 119, l: 119 }), ['trades'], 'overtaken');
  assert.deepEqual(kindsOf({ a: 16, f: 122, l: 122 }), ['trades', 'note'], 'behind both');
  assert.deepEqual(kindsOf({ a: 17, f: 123, l: undefined }), ['trades']);
  assert.deepEqual(kindsOf({ a: 18, f: 140, l: 141 }), ['trades'], 'unknown');
});

test('a connection is subscribed when all of its messages are acknowledged', () => {
  const venue = openVenue(binanceUsdm);
  const contracts = Array.from({ length: 200 }, (_, at) => contract(`1000币安人生${at}USDT`));
  const messages = venue.subscribe(contracts, new Map()).map(String);
  const sent = messages.map((text) => JSON.parse(text) as { params: string[]; id: number });
  assert.deepEqual(
    sent.flatMap(({ params }) => params),
    contracts.map(({ venueSymbol }) => `${venueSymbol.toLowerCase()}@aggTrade`),
  );
  assert.ok(messages.every((text) => Buffer.byteLength(text) <= 4_000));
  assert.ok(sent.length >= 2 && sent.length <= 4, `${sent.length}`);
  const reader = openReader(venue, contracts);
  const trade = JSON.stringify({ ...MESSAGE, s: contracts[0]!.venueSymbol });
  const answers = sent.map(({ id }) => JSON.stringify({ result: null, id }));
  for (const answer of answers.slice(1)) assert.deepEqual(reader.read(answer), []);
  assert.deepEqual(reader.read(trade), [], 'others would seem to be subscribed');
  assert.deepEqual(reader.read(answers[1]!), [{ kind: 'alive', venueTime: null }], 'repeated');
  assert.deepEqual(reader.read(answers[0]!), [{ kind: 'subscribed' }]);
  assert.equal(reader.read(trade)[0]?.kind, 'trades');
});

test('a refused subscription ends the connection, a refused question does not', () => {
  const reader = openReader(openVenue(binanceUsdm), [contract('BTCUSDT')]);
  const fault = { code: 2, msg: 'Invalid request' };
  const why = 'the venue refuses the subscription: Invalid request (2)';
  for (const text of [{ ...fault, id: 1 }, { error: fault, id: 1 }, { error: fault }]) {
    assert.deepEqual(reader.read(JSON.stringify(text)), garbled(why));
  }
  assert.equal(reader.read('{"result":["x"],"id":1}')[0]?.kind, 'garbled');
  const { id } = JSON.parse(String(openVenue(binanceUsdm).keepAlive!.message)) as { id: number };
  for (const text of [
    { result: false, id },
    { error: fault, id },
  ]) {
    assert.deepEqual(reader.read(JSON.stringify(text)), [{ kind: 'alive', venueTime: null }]);
  }
});

const RECORDINGS = [
  {
    ...{ kind: binanceUsdm, name: 'binance-um-aggtrade-2021', symbols: 4, buys: 47, sells: 44 },
    decimals: { CTKUSDT: 5, AKROUSDT: 5, SUSHIUSDT: 4, KEEPUSDT: 4 },
  },
  {
    ...{ kind: binanceCoinm, name: 'binance-cm-aggtrade-2021', symbols: 7, buys: 17, sells: 34 },
    decimals: { BTCUSD_211231: 1, BCHUSD_PERP: 2, ETHUSD_210924: 2, XRPUSD_PERP: 4 },
  },
];

for (const { kind, name, symbols, buys, sells, decimals } of RECORDINGS) {
  test(`${name} is read without a hole`, { skip: recordingsMissing }, () => {
    const messages = recorded(name);
    const names = messages.map((text) => (JSON.parse(text) as { data: { s: string } }).data.s);
    const ticks = new Map(Object.entries<number>(decimals));
    const contracts = [...new Set(names)].map((symbol) =>
      contract(symbol, 10 ** (9 - (ticks.get(symbol) ?? 3)), 1_000_000_000),
    );
    assert.equal(contracts.length, symbols);
    const reader = readerOf(kind, contracts);
    const readings = messages.flatMap((text) => reader.read(text));
    const last = new Map<string, number>();
    const sides: number[] = [];
    for (const reading of readings) {
      if (reading.kind !== 'trades') assert.fail(JSON.stringify(reading));
      const [trade] = reading.trades;
      assert.ok([trade!.price, trade!.size].every((it) => Number.isInteger(it) && it > 0));
      const before = last.get(reading.symbol);
      if (before !== undefined) assert.equal(trade!.id, before + 1, reading.symbol);
      last.set(reading.symbol, trade!.id);
      sides.push(trade!.side);
    }
    const count = (side: number) => sides.filter((it) => it === side).length;
    assert.deepEqual([count(1), count(-1)], [buys, sells]);
  });
}
