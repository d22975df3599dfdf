import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  BinanceDialect,
  type BinanceKind,
} from '../../../../testing/live/dialects/binance-dialect.ts';
import { faultSchedule, suffer } from '../../../../testing/live/fault-schedule.ts';
import { FeedRun } from '../../../../testing/live/feed-run.ts';

const SCHEDULES = 4;
const GAP_AFTER_MS = 40_000;
const KINDS: readonly BinanceKind[] = ['binance-usdm', 'binance-coinm'];

const reasons = (run: FeedRun) =>
  run.intake.allGaps.map(({ reason }) => reason).filter((reason) => reason !== 'start');

test('whatever happens, the tape equals what Binance traded, or names exactly what is missing', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.constantFrom(...KINDS),
      fc.constantFrom(0, -3_600_000, 3_600_000, 1_500),
      fc.constantFrom(0.05, 0.4, 2),
      faultSchedule,
      (seed, kind, skewMs, tradesPerStep, schedule) => {
        const dialect = new BinanceDialect(kind);
        const feed = { gapAfterMs: GAP_AFTER_MS, waitingBytesMax: 30_000 };
        const run = new FeedRun({ seed, dialect, skewMs, tradesPerStep, feed });
        run.run(3_000);
        suffer(run, schedule);
        run.heal();
        run.run(150_000);
        run.judge();
        const status = run.feed.status(run.now);
        assert.equal(status.state, 'live');
        assert.equal(status.gapsOpen, 0);
        assert.deepEqual([run.down, status.notes], [[], {}]);
        assert.ok(dialect.weightMax <= 2_400, `${dialect.weightMax}`);
      },
    ),
    { numRuns: SCHEDULES },
  );
});

for (const kind of KINDS) {
  test(`a sound feed of ${kind} has no gap but its start, no late trade and no reconnect`, () => {
    const dialect = new BinanceDialect(kind);
    const run = new FeedRun({ seed: 7, dialect, feed: { gapAfterMs: GAP_AFTER_MS } });
    run.run(120_000);
    const { state, reconnects, lagMs } = run.feed.status(run.now);
    assert.deepEqual([state, reconnects, reasons(run), run.intake.late], ['live', 0, [], 0]);
    assert.ok(lagMs < 1_000, `${lagMs}`);
    assert.ok(run.judge().present > 1_000);
  });
}

test('a hole of many pages is closed, and the weight stays below the limit', () => {
  const dialect = new BinanceDialect('binance-usdm');
  const feed = { gapAfterMs: 900_000 };
  const run = new FeedRun({ seed: 7, dialect, tradesPerStep: 8, feed });
  run.run(20_000);
  run.set({ isDown: true });
  run.venue.cut(run.nowMs);
  run.run(60_000);
  run.heal();
  run.run(30_000);
  assert.deepEqual([reasons(run), run.feed.status(run.now).state], [[], 'live']);
  assert.ok(dialect.weightMax >= 30 * 20 && dialect.weightMax <= 2_400, `${dialect.weightMax}`);
  run.judge();
});

test('what Binance has forgotten is named by its numbers', () => {
  const dialect = new BinanceDialect('binance-usdm');
  const run = new FeedRun({ seed: 7, dialect, tradesPerStep: 2, feed: { gapAfterMs: 900_000 } });
  run.run(20_000);
  run.set({ isDown: true });
  run.venue.cut(run.nowMs);
  run.run(20_000);
  run.heal();
  run.set({ remembered: 400, saysForgotten: true });
  run.run(60_000);
  const lost = run.intake.allGaps.filter(({ reason }) => reason === 'lost');
  assert.equal(lost.length, 3);
  // Of 800 trades of each contract it remembers about 400.
  for (const { firstId, lastId } of lost) {
    const count = lastId! - firstId! + 1;
    assert.ok(count > 300 && count < 600, `${count}`);
  }
  run.judge();
});

test('while nothing is traded the watermark follows, and an acknowledged silence ends after 30 s', () => {
  const dialect = new BinanceDialect('binance-coinm');
  const run = new FeedRun({ seed: 7, dialect, feed: { gapAfterMs: GAP_AFTER_MS } });
  run.run(20_000);
  run.set({ isQuiet: true });
  for (let second = 0; second < 25; second += 1) {
    run.run(1_000);
    const { lagMs, reconnects } = run.feed.status(run.now);
    assert.ok(lagMs < 6_000 && reconnects === 0, `${lagMs}`);
  }
  run.set({ isQuiet: false, isMute: true });
  run.run(15_000);
  assert.match(run.feed.status(run.now).lastEnd!, /is silent|no data for 30 s/);
  run.heal();
  run.run(30_000);
  assert.deepEqual([reasons(run), run.feed.status(run.now).state], [[], 'live']);
  run.judge();
});
