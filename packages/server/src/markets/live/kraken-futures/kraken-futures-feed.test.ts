import assert from 'node:assert/strict';
import { test } from 'node:test';
import { krakenFuturesDialect } from '../../../../testing/live/dialects/kraken-futures-dialect.ts';
import { assertFeedSurvives } from '../../../../testing/live/feed-property.ts';
import { FeedRun } from '../../../../testing/live/feed-run.ts';

const SCHEDULES = 3;

test('whatever happens to a feed of Kraken Futures, its tape is whole or names what is missing', () => {
  assertFeedSurvives(krakenFuturesDialect, SCHEDULES);
});

const gapReasons = (run: FeedRun) => [
  ...new Set(run.intake.allGaps.map(({ reason }) => reason).filter((one) => one !== 'start')),
];

test('an outage of a thousand trades and a restart in it are fetched by keys, without a gap', () => {
  const run = new FeedRun({ seed: 5, dialect: krakenFuturesDialect, tradesPerStep: 4 });
  run.run(10_000);
  run.set({ isDown: true });
  run.venue.cut(run.nowMs);
  run.crash('half');
  run.run(15_000);
  run.heal();
  run.run(5_000);
  run.crash('after');
  run.run(40_000);
  run.set({ isQuiet: true });
  run.run(5_000);
  assert.ok(run.crashes >= 1);
  assert.equal(run.feed.status(run.now).state, 'live');
  assert.deepEqual(gapReasons(run), []);
  run.judge();
});

for (const { brokenMs, reasons } of [
  { brokenMs: 5_000, reasons: [] },
  { brokenMs: 90_000, reasons: ['lost'] },
]) {
  test(`pages that lack rows for ${brokenMs} ms make no wrong numbers: ${reasons.length} gaps`, () => {
    const run = new FeedRun({ seed: 6, dialect: krakenFuturesDialect, tradesPerStep: 4 });
    run.run(10_000);
    run.set({ isDown: true });
    run.venue.cut(run.nowMs);
    run.run(10_000);
    run.set({ isDown: false, rowsMissing: 0.05 });
    run.run(brokenMs);
    run.heal();
    run.run(30_000);
    assert.deepEqual(gapReasons(run), reasons);
    run.judge();
  });
}

test('a single silent subscription among others is found by its pages', () => {
  const run = new FeedRun({ seed: 7, dialect: krakenFuturesDialect });
  run.run(20_000);
  run.venue.mute('PF_ETHUSD');
  run.run(90_000);
  assert.match(run.feed.status(run.now).lastEnd!, /the subscription of PF_ETHUSD is silent/);
  assert.deepEqual(gapReasons(run), []);
  run.judge();
});
