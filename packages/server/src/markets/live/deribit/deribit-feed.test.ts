import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deribitDialect } from '../../../../testing/live/dialects/deribit-dialect.ts';
import { assertFeedSurvives } from '../../../../testing/live/feed-property.ts';
import { FeedRun, type RunOptions } from '../../../../testing/live/feed-run.ts';

const GAP_AFTER_MS = 40_000;
const SCHEDULES = 3;

function start(options: Partial<RunOptions> & { readonly seed: number }): FeedRun {
  const { limits } = deribitDialect.venue;
  return new FeedRun({
    dialect: deribitDialect,
    venue: { limits: { ...limits, contractsPerConnection: 2 } },
    feed: { gapAfterMs: GAP_AFTER_MS },
    ...options,
  });
}

test('whatever happens to a feed of Deribit, its tape is whole or names what is missing', () => {
  assertFeedSurvives(deribitDialect, SCHEDULES);
});

test('blocks and combos take their numbers, are counted once, and leave no gap', () => {
  const run = start({ seed: 7 });
  run.run(10_000);
  run.set({ isDown: true, repeated: 1 });
  run.venue.cut(run.nowMs);
  run.run(5_000);
  run.set({ isDown: false });
  run.run(60_000);
  run.set({ isQuiet: true });
  run.run(3_000);
  run.judge();
  const reasons = run.intake.allGaps.map(({ reason }) => reason);
  assert.deepEqual(new Set(reasons), new Set(['start']));
  const made = [...run.venue.trades].flatMap(([symbol, trades]) => {
    const first = run.intake.trades.get(symbol)![0]!.id;
    return trades.filter(({ id, leftOut }) => id > first && leftOut !== undefined);
  });
  const { block = 0, combo = 0 } = run.feed.status(run.now).leftOut;
  // Those before the first trade on the tape may have been seen too.
  assert.ok(block > 20 && combo > 20 && block + combo - made.length <= 3, `${block} ${combo}`);
  assert.ok(block + combo >= made.length);
});

test('a restart behind numbers that are left out asks only for what follows', () => {
  const run = start({ seed: 3, tradesPerStep: 0.05 });
  for (let rounds = 0; rounds < 20; rounds += 1) {
    run.run(3_000);
    run.crash('after');
    run.run(3_000);
  }
  run.run(20_000);
  run.judge();
  assert.equal(run.feed.status(run.now).state, 'live');
  assert.ok(run.crashes >= 15);
});
