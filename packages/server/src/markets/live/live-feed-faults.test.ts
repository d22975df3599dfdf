/** What a venue does to single trades and connections, and what the operator sees of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DialectContract } from '../../../testing/live/dialect.ts';
import { ALL_DIALECTS } from '../../../testing/live/dialects/all-dialects.ts';
import { BinanceDialect } from '../../../testing/live/dialects/binance-dialect.ts';
import { FeedRun } from '../../../testing/live/feed-run.ts';
import type { PageAnswer } from './feed.ts';

const GAP_AFTER_MS = 40_000;

function stage(options: Partial<ConstructorParameters<typeof FeedRun>[0]> = {}) {
  const run = new FeedRun({ seed: 7, feed: { gapAfterMs: GAP_AFTER_MS }, ...options });
  run.run(20_000);
  assert.equal(run.feed.status(run.now).state, 'live');
  return run;
}

/** What venues say of a contract that they do not know any more. */
const DELISTED = [
  { name: 'binance-usdm', answer: saying(400, { code: -1121, msg: 'Invalid symbol.' }) },
  { name: 'deribit', answer: saying(400, { error: { code: -32602, message: 'Invalid params' } }) },
  { name: 'okx', answer: saying(200, { code: '51001', msg: 'does not exist', data: [] }) },
];

function saying(status: number, body: object): PageAnswer {
  return { status, headers: {}, body: JSON.stringify(body) };
}

const reasons = (run: FeedRun) =>
  run.intake.allGaps.map(({ reason }) => reason).filter((reason) => reason !== 'start');

test('a quiet market is no reason to connect again, and a dead subscription is found half a minute after it', () => {
  const run = stage();
  run.set({ isQuiet: true });
  run.run(20 * 60_000);
  assert.equal(run.feed.status(run.now).reconnects, 0);
  assert.ok(run.feed.status(run.now).lagMs < 3_000);
  run.set({ isQuiet: false, isMute: true });
  run.run(35_000);
  assert.match(run.feed.status(run.now).lastEnd!, /is silent/);
  run.heal();
  run.run(60_000);
  assert.deepEqual(reasons(run), []);
  run.judge();
});

test('without a page to compare with, a silent connection ends after a minute', () => {
  for (const options of [{ venue: { page: null } }, {}]) {
    const run = stage(options);
    const isWithout = 'venue' in options;
    run.set({ isQuiet: true, pageStatus: 500 });
    run.run(isWithout ? 29_000 : 58_000);
    assert.equal(run.feed.status(run.now).reconnects, 0);
    run.run(4_000);
    assert.match(
      run.feed.status(run.now).lastEnd!,
      isWithout ? /no data for 30 s in an open market$/ : /no data for 60 s .* to compare with/,
    );
  }
});

test('a print larger than the tape holds is a gap of one trade, also behind a restart and as the first one', () => {
  for (const places of [['stream'], ['restart'], ['first'], ['page', 'restart']]) {
    const run = places.includes('first') ? new FeedRun({ seed: 3 }) : stage();
    if (places.includes('page')) {
      run.set({ isDown: true });
      run.venue.cut(run.nowMs);
      run.run(2_000);
    }
    run.venue.print('AAA-PERP', run.nowMs, { price: '101', size: '2147483648' });
    run.set({ isQuiet: true });
    const { id } = run.venue.trades.get('AAA-PERP')!.at(-1)!;
    run.run(1_000);
    run.set({ isDown: false });
    run.run(10_000);
    if (places.includes('restart')) run.crash('after');
    run.run(2_000);
    run.heal();
    run.run(30_000);
    run.judge();
    const lost = run.intake.allGaps.filter(({ reason }) => reason !== 'start');
    if (!places.includes('first')) {
      assert.deepEqual(
        lost.map(({ reason, firstId, lastId }) => [reason, firstId, lastId]),
        [['too large', id, id]],
        places.join(),
      );
    }
    const { state, contracts } = run.feed.status(run.now);
    assert.deepEqual([state, contracts[0]!.fault], ['live', null]);
  }
});

test('prints of size 0 are left out and counted, as an import does', () => {
  const run = stage();
  const terms = { price: '101', size: '0', leftOut: 'size 0' };
  for (let count = 0; count < 3; count += 1) run.venue.print('AAA-PERP', run.nowMs, terms);
  run.run(1_000);
  run.venue.print('BBB-PERP', run.nowMs, terms);
  run.run(10_000);
  assert.deepEqual(run.feed.status(run.now).leftOut, { 'trades of size 0': 4 });
  assert.deepEqual(reasons(run), []);
  run.judge();
});

test('a trade of tomorrow is a gap of one number, and moves neither the watermark nor the others', () => {
  const run = stage();
  const terms = { price: '101', size: '1', aheadMs: 86_400_000 };
  run.venue.print('AAA-PERP', run.nowMs, terms);
  const { id } = run.venue.trades.get('AAA-PERP')!.at(-1)!;
  run.run(20_000);
  const [lost] = run.intake.allGaps.filter(({ reason }) => reason === 'impossible time');
  assert.deepEqual([lost!.firstId, lost!.lastId], [id, id]);
  const { state, lagMs } = run.feed.status(run.now);
  assert.ok(state === 'live' && lagMs < 1_000, `${lagMs}`);
  run.judge();
});

test('a venue that refuses connections for a while is not asked before, and the reason is told', () => {
  const run = stage();
  run.set({ isDown: true, connectAfterMs: 60_000 });
  run.venue.cut(run.nowMs);
  run.run(58_000);
  const { reconnects, lastFailure } = run.feed.status(run.now);
  // Both connections were cut, and tried once more.
  assert.deepEqual([reconnects, lastFailure], [4, 'example.invalid: refused']);
  run.heal();
  run.run(15_000);
  assert.deepEqual(
    [run.feed.status(run.now).state, run.feed.status(run.now).lastFailure],
    ['live', null],
  );
  run.judge();
});

test('why a connection ended, and why a page failed, names who it was', () => {
  const run = stage();
  run.set({ isDown: true });
  run.venue.cut(run.nowMs);
  run.run(3_000);
  assert.equal(run.feed.status(run.now).lastEnd, 'example.invalid: refused');
  run.heal();
  run.run(3_000);
  run.venue.garble(run.nowMs);
  run.run(1_000);
  assert.match(run.feed.status(run.now).lastEnd!, /^example\.invalid: not understood: /);
  run.set({ isSilent: true });
  run.run(12_000);
  assert.match(run.feed.status(run.now).lastEnd!, /^example\.invalid: no message for 10000 ms/);
});

test('whatever a venue says, the operator is told in a short line', () => {
  const said = `\u001b[31m\n${'x'.repeat(100_000)}`;
  const long: Readonly<Record<string, object>> = {
    coinbase: { type: 'error', message: `BTC-USD is not a valid product ${said}` },
    'kraken-futures': { event: 'error', message: said },
    deribit: { jsonrpc: '2.0', id: 1, error: { message: said } },
    okx: { event: 'error', code: '60018', msg: `instId:BTC-USDT-SWAP doesn't exist ${said}` },
    'bybit-linear': {
      ...{ op: 'subscribe', success: false, req_id: 'BTCUSDT' },
      ret_msg: `Invalid symbol ${said}`,
    },
    'binance-usdm': { id: 1, error: { code: 2, msg: said } },
  };
  for (const [name, message] of Object.entries(long)) {
    const run = stage({ dialect: ALL_DIALECTS[name]!() });
    run.feed.event(1, { kind: 'message', message: JSON.stringify(message) }, run.now);
    run.run(100);
    const { lastEnd } = run.feed.status(run.now);
    for (const text of [...run.down, ...(lastEnd === null ? [] : [lastEnd])]) {
      assert.ok(text.length < 400 && !/\p{Cc}/u.test(text), `${name}: ${text.slice(0, 400)}`);
    }
    assert.ok(lastEnd !== null || run.down.length > 0, name);
  }
});

test('a contract that is delisted in an outage keeps no other waiting', () => {
  for (const { name, answer } of DELISTED) {
    let isListed = true;
    const dialect = ALL_DIALECTS[name]!();
    const [{ venueSymbol }] = dialect.contracts as readonly [DialectContract];
    const run = stage({
      dialect: {
        ...dialect,
        venue: dialect.venue,
        session(address) {
          const session = dialect.session(address);
          return {
            opened: (nowMs) => session.opened(nowMs),
            received(message, trades, nowMs) {
              const said = session.received(message, trades, nowMs);
              const isServed = (symbol: string) => isListed || symbol !== venueSymbol;
              return { ...said, subscribed: said.subscribed?.filter(isServed) ?? [] };
            },
            trades: (...args) => session.trades(...args),
            heartbeat: (nowMs) => session.heartbeat(nowMs),
          };
        },
        page(request, trades, nowMs) {
          const isIts = new RegExp(`${venueSymbol}(?:[/&]|$)`).test(request.url);
          if (isListed || !isIts) return dialect.page(request, trades, nowMs);
          return { rows: [], answer: () => answer, forgotten: null };
        },
      },
    });
    isListed = false;
    run.set({ isDown: true });
    run.venue.cut(run.nowMs);
    run.run(5_000);
    run.heal();
    run.run(5_000);
    const states = () => run.feed.status(run.now).contracts.map(({ state }) => state);
    assert.deepEqual(states(), ['stale', 'live', 'live'], name);
    run.run(2 * GAP_AFTER_MS);
    assert.equal(states()[1], 'live', name);
    assert.ok(run.feed.status(run.now).lagMs <= GAP_AFTER_MS + 1_000, name);
    // Its requests, which fail, are no reason to hold back those of the others.
    run.set({ isDown: true });
    run.venue.cut(run.nowMs);
    run.run(5_000);
    run.heal();
    run.run(10_000);
    assert.deepEqual(states().slice(1), ['live', 'live'], name);
    run.judge();
  }
});

for (const status of [403, 418, 429, 451, 500, 503]) {
  test(`pages that are refused with ${status} are asked again, and the reason is told`, () => {
    const run = new FeedRun({
      ...{ seed: 7, feed: { gapAfterMs: GAP_AFTER_MS }, tradesPerStep: 2 },
      dialect: new BinanceDialect('binance-usdm'),
    });
    run.run(20_000);
    run.set({ isDown: true });
    run.venue.cut(run.nowMs);
    run.run(5_000);
    run.set({ isDown: false, pageStatus: status });
    run.run(10_000);
    const { lastFailure, connection } = run.feed.status(run.now);
    assert.match(lastFailure!, new RegExp(`^fapi\\.binance\\.com: .*\\(${status}`));
    assert.equal(connection, 'backfilling');
    run.heal();
    run.run(60_000);
    assert.equal(run.feed.status(run.now).lastFailure, null);
    assert.deepEqual(reasons(run), []);
    run.judge();
  });
}
