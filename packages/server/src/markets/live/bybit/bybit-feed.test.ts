import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bybitDialect } from '../../../../testing/live/dialects/bybit-dialect.ts';
import { assertFeedSurvives } from '../../../../testing/live/feed-property.ts';
import { FeedRun } from '../../../../testing/live/feed-run.ts';

const SCHEDULES = 5;

test('whatever a reconnect can show, a tape from Bybit has every trade in order or a gap that names it', () => {
  assertFeedSurvives(bybitDialect, SCHEDULES);
});

/** Cuts the connection for so long, and returns the gaps behind the start. */
function cutFor(ms: number, remembered: number) {
  const run = new FeedRun({ seed: 7, dialect: bybitDialect, tradesPerStep: 1 });
  run.run(10_000);
  run.set({ isDown: true });
  run.venue.cut(run.nowMs);
  run.run(ms);
  run.heal();
  run.set({ remembered });
  run.run(30_000);
  run.judge();
  assert.equal(run.feed.status(run.now).state, 'live');
  const gaps = run.intake.allGaps.filter(({ reason }) => reason !== 'start');
  return gaps.map(({ symbol, from, to, reason }) => ({
    symbol,
    reason,
    ms: Number(to! - from) / 1e6,
  }));
}

test('a cut that the newest 1,000 trades of Bybit bridge leaves no gap', () => {
  assert.deepEqual(cutFor(10_000, 1_000), []);
});

test('a cut that they do not bridge leaves one gap for each contract, no longer than it must be', () => {
  const gaps = cutFor(10_000, 100);
  assert.deepEqual(
    gaps.map(({ symbol, reason }) => `${symbol} ${reason}`),
    ['BTCUSDT', 'ETHUSDT', 'DOGEUSDT'].map((symbol) => `${symbol} not bridged`),
  );
  // 100 trades are five seconds.
  for (const { ms } of gaps) assert.ok(ms > 3_000 && ms < 8_000, `${ms}`);
});

for (const remembered of [0, 10, 30, 1_000]) {
  test(`trades that a crash left without their place are neither doubled nor missing, with ${remembered} remembered`, () => {
    const run = new FeedRun({ seed: 7, dialect: bybitDialect, tradesPerStep: 1 });
    run.run(10_000);
    run.fullSteps = 20;
    run.crash('half');
    run.set({ remembered });
    run.run(30_000);
    assert.equal(run.crashes, 1);
    run.judge();
    assert.equal(run.feed.status(run.now).state, 'live');
  });
}
