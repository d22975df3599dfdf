import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { SimTrade } from '../../../../testing/live/dialect.ts';
import { BinanceDialect } from '../../../../testing/live/dialects/binance-dialect.ts';
import { readerOf } from '../../../../testing/live/reader-of.ts';
import type { FeedContract, PageAnswer } from '../feed.ts';
import type { PageWish } from '../lines/line.ts';
import { LineBudget } from '../lines/line-budget.ts';
import { binanceCoinm, binanceUsdm } from './binance-venue.ts';

const { addresses } = binanceUsdm;
const venue = binanceUsdm.open({ addresses, key: null, venueDataset: null });
const BTC: FeedContract = {
  ...{ symbol: 'BTC', venueSymbol: 'BTCUSDT', hours: null },
  ...{ tickSizeNanos: 100_000_000, lotSizeNanos: 1_000_000 },
};
const NOW = 0n as EpochNs;
const FROM: PageWish = { fromId: 11, toId: null, before: null };
const NEWEST: PageWish = { fromId: null, toId: null, before: null };

const rowOf = (a: number) => ({ a, p: '60000.1', q: '0.5', f: a, l: a, T: a, m: false });
const tradesOf = (from: number, count: number): SimTrade[] =>
  Array.from({ length: count }, (_, at) => {
    const id = from + at;
    return { id, ms: id, price: '60000.1', size: '0.5', isBuy: true };
  });

function answerOf(body: unknown, status = 200, headers = {}): PageAnswer {
  return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

const readIds = (answer: PageAnswer, wish = FROM) => {
  const outcome = venue.readPage(BTC, wish, answer);
  if (outcome.kind !== 'trades') return outcome;
  return { ids: outcome.trades.map(({ id }) => id), isLast: outcome.isLast };
};

test('a page is requested by number, of the right market', () => {
  const at = 'https://fapi.binance.com/fapi/v1/aggTrades?symbol=BTCUSDT';
  assert.deepEqual(venue.page!(BTC, FROM), { url: `${at}&fromId=11&limit=1000` });
  assert.deepEqual(venue.page!(BTC, NEWEST), { url: `${at}&limit=10` });
  const addresses = { stream: 'ws://localhost:1/market', rest: 'http://localhost:2' };
  const coinm = binanceCoinm.open({ addresses, key: null, venueDataset: null });
  const life = { ...BTC, venueSymbol: '币安人生USDT' };
  assert.equal(
    coinm.page!(life, NEWEST).url,
    'http://localhost:2/dapi/v1/aggTrades?symbol=%E5%B8%81%E5%AE%89%E4%BA%BA%E7%94%9FUSDT&limit=10',
  );
  assert.equal(coinm.address([]), 'ws://localhost:1/market/ws');
  assert.equal(venue.address([]), 'wss://fstream.binance.com/market/ws');
});

test('a short page is the last one', () => {
  const rows = tradesOf(11, 1_000).map(({ id }) => rowOf(id));
  const full = venue.readPage(BTC, FROM, answerOf(rows));
  assert.ok(full.kind === 'trades' && !full.isLast && full.trades.length === 1_000);
  assert.deepEqual(full.trades[0], {
    ...{ id: 11, day: 0, ns: 11_000_000, price: 600_001, size: 500, side: 1 },
  });
  assert.deepEqual(readIds(answerOf([])), { ids: [], isLast: true });
  assert.deepEqual(readIds(answerOf([rowOf(11)])), { ids: [11], isLast: true });
});

test('a damaged page is not understood', () => {
  const { a: _, ...without } = rowOf(11);
  const bad = [[without], [rowOf(2 ** 53)], [{ ...rowOf(11), m: 'true' }], [5], {}, '[{"a":11'];
  for (const body of bad) {
    assert.throws(() => venue.readPage(BTC, FROM, answerOf(body)), Error, JSON.stringify(body));
  }
});

test('a refusal says how long to wait, and what is too old is forgotten', () => {
  const tooOld = { code: -4_166, msg: 'Search window is restricted to recent 2 days only.' };
  const unknown = { code: -1_121, msg: 'Invalid symbol.' };
  const forgotten = { kind: 'forgotten', oldestId: null };
  assert.deepEqual(readIds(answerOf(tooOld, 400)), forgotten);
  assert.deepEqual(readIds(answerOf(unknown, 400)), forgotten);
  const before = { id: 19, day: 0, ns: 0, price: 1, size: 1, side: 1 };
  const ofHole = { ...FROM, toId: 18, before };
  assert.deepEqual(readIds(answerOf(tooOld, 400), ofHole), forgotten);
  assert.deepEqual(readIds(answerOf(unknown, 400), ofHole), { kind: 'forgotten', oldestId: 19 });
  for (const status of [418, 429]) {
    const said = answerOf({ code: -1_003, msg: 'Too many' }, status, { 'retry-after': '120' });
    const outcome = venue.readPage(BTC, FROM, said);
    assert.ok(outcome.kind === 'refused' && outcome.retryAfterMs === 120_000);
    assert.match(outcome.why, /-1003/);
  }
  for (const status of [400, 403, 451, 500]) {
    const outcome = venue.readPage(BTC, FROM, answerOf('<html>', status));
    assert.ok(outcome.kind === 'refused' && outcome.retryAfterMs === null, `${status}`);
  }
});

test('the weight that the venue has counted is read', () => {
  const used = (headers: Record<string, string>) => venue.usedUnits!(answerOf([], 200, headers));
  assert.equal(used({ 'x-mbx-used-weight-1m': '2380' }), 2_380);
  assert.equal(used({ 'X-MBX-USED-WEIGHT-1M': '40' }), 40);
  assert.equal(used({ 'x-mbx-used-weight-1m': 'many' }), null);
  assert.equal(used({}), null);
});

test('a line closes its hole over pages that repeat and miss rows, and names what no page has', () => {
  const line = venue.line({ contract: BTC, budget: new LineBudget(), lastId: 10, position: null });
  line.connected(NOW);
  const live = readerOf(venue, [BTC]);
  live.read('{"result":null,"id":1}');
  const [reading] = live.read(JSON.stringify({ e: 'aggTrade', s: 'BTCUSDT', ...rowOf(19) }));
  assert.ok(reading?.kind === 'trades');
  line.live(reading.trades, NOW);
  const pages = [[11, 12, 12, 11], [14, 15, 13, 15], [18, 19], [], [18], []];
  let at = 0;
  for (let ms = 0; ms < 60_000; ms += 50) {
    const now = (BigInt(ms) * 1_000_000n) as EpochNs;
    const wish = line.wanted(now);
    if (wish === null) continue;
    const rows = (pages[at] ?? []).map(rowOf);
    at += 1;
    line.page(wish, venue.readPage(BTC, wish, answerOf(rows)) as never, now);
  }
  const first = line.take(100)!;
  assert.deepEqual(
    first.trades.map(({ id }) => id),
    [11, 12, 13, 14, 15],
  );
  assert.deepEqual(first.loss?.ids, { firstId: 16, lastId: 17 });
  assert.deepEqual(
    line.take(100)?.trades.map(({ id }) => id),
    [18, 19],
  );
  assert.ok(line.isWhole);
});

test('the simulated Binance answers a wrong request as Binance does', () => {
  const dialect = new BinanceDialect('binance-usdm');
  const ask = (query: string) => {
    const url = `https://fapi.binance.com/fapi/v1/aggTrades?${query}`;
    const page = dialect.page({ url }, () => tradesOf(1, 2_000), 0)!;
    const { status, body } = page.answer(page.rows);
    const said = JSON.parse(body) as { code: number } | readonly { a: number }[];
    return 'code' in said ? [status, said.code] : [status, said.length, said[0]?.a];
  };
  assert.deepEqual(ask('symbol=BTCUSDT'), [200, 500, 1_501]);
  assert.deepEqual(ask('symbol=BTCUSDT&fromId=7&limit=1000'), [200, 1_000, 7]);
  assert.deepEqual(ask('symbol=btcusdt'), [400, -1_121]);
  assert.deepEqual(ask('fromId=7'), [400, -1_102]);
  assert.deepEqual(ask('symbol=BTCUSDT&fromId=x'), [400, -1_100]);
  assert.deepEqual(ask('symbol=BTCUSDT&limit=1001'), [400, -1_130]);
  assert.deepEqual(ask('symbol=BTCUSDT&from=1'), [400, -1_101]);
  while (ask('symbol=BTCUSDT')[0] === 200);
  assert.equal(dialect.weightMax, 2_420);
  assert.deepEqual(ask('symbol=BTCUSDT'), [429, -1_003]);
  assert.equal(
    dialect.page({ url: 'https://dapi.binance.com/dapi/v1/aggTrades' }, () => [], 0),
    null,
  );
});

test('the simulated Binance refuses a wrong subscription, and keeps silent on a long one', () => {
  const session = new BinanceDialect('binance-usdm').session();
  const say = (message: unknown, second: number) => {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    const { replies, subscribed, isEnd } = session.received(text, () => [], second * 1_000);
    const reply = JSON.parse(String(replies[0] ?? 'null')) as { error?: { code: number } } | null;
    return [reply?.error?.code ?? reply, subscribed ?? [], isEnd ?? false];
  };
  const ask = (params: unknown, id: unknown = 1, method = 'SUBSCRIBE') => ({ method, params, id });
  const done = { result: null, id: 1 };
  assert.deepEqual(say(ask(['btcusdt@aggTrade']), 1), [done, ['BTCUSDT'], false]);
  assert.deepEqual(say(ask(['BTCUSDT@aggTrade', 'x@nope']), 2), [done, [], false]);
  assert.deepEqual(say(ask(['x@aggTrade'], 'one'), 3), [2, [], false]);
  assert.deepEqual(say(ask(['x@aggTrade'], 1, 'SUBSCRIBED'), 4), [2, [], false]);
  assert.deepEqual(say(ask('x@aggTrade'), 5), [2, [], false]);
  assert.deepEqual(say('{"method":', 6), [3, [], false]);
  assert.deepEqual(say(ask(Array.from({ length: 1_024 }, (_, at) => `${at}`)), 7)[0], null);
  assert.deepEqual(say(ask(['combined'], 9, 'GET_PROPERTY'), 8)[0], { result: false, id: 9 });
  for (let times = 0; times < 9; times += 1) assert.equal(say(ask(['x']), 9)[2], false);
  assert.deepEqual([say(ask(['x']), 9)[2], say(ask(['x']), 9)[2]], [false, true]);
});
