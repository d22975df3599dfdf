/** What a venue does to single trades and connections, and what the operator sees of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BinanceDialect } from '../../../testing/live/dialects/binance-dialect.ts';
import { FeedRun } from '../../../testing/live/feed-run.ts';

const GAP_AFTER_MS = 40_000;

function stage(options: Partial<ConstructorParameters<typeof FeedRun>[0]> = {}) {
  const run = new FeedRun({ seed: 7, feed: { gapAfterMs: GAP_AFTER_MS }, ...options });
  run.run(20_000);
  assert.equal(run.feed.status(run.now).state, 'live');
  return run;
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
