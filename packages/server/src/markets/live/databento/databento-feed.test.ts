import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { databentoDialect } from '../../../../testing/live/dialects/databento-dialect.ts';
import { type Fault, faultSchedule, suffer } from '../../../../testing/live/fault-schedule.ts';
import { FeedRun } from '../../../../testing/live/feed-run.ts';

const SCHEDULES = Number(process.env.N ?? 12);
const GAP_AFTER_MS = 40_000;
/** Longer than the longest delay: a trade behind the watermark that is lost on its way has no time that a gap could name. */
const GRACE_MS = 3_000;
/**
 * A byte stream loses and repeats nothing in its middle, and a gateway that hides trades within a session cannot be
 * found out: its sessions are compared, not its messages.
 */
const IMPOSSIBLE = new Set(['drops', 'repeats', 'swaps', 'mute']);

function stage(options: Partial<ConstructorParameters<typeof FeedRun>[0]> = {}) {
  const run = new FeedRun({
    seed: 7,
    dialect: databentoDialect(),
    feed: { gapAfterMs: GAP_AFTER_MS },
    ...options,
  });
  run.run(20_000);
  assert.equal(run.feed.status(run.now).state, 'live');
  return run;
}

/** Silence ends with the connection: nothing comes behind what was not delivered. */
function heal(run: FeedRun): void {
  if (run.venue.faults.isSilent) run.venue.cut(run.nowMs);
  run.heal();
}

const possible = (schedule: readonly Fault[]) =>
  schedule.filter(({ name }) => !IMPOSSIBLE.has(name));
const reasons = (run: FeedRun) =>
  run.intake.allGaps.map(({ reason }) => reason).filter((reason) => reason !== 'start');

test('whatever happens, the tape has every trade in order or a gap that names it, and never both', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.constantFrom(0, -3_600_000, 1_500),
      fc.constantFrom(0.05, 0.4, 2),
      fc.constantFrom(1, 2, 500),
      fc.constantFrom(null, 1_000, 47),
      faultSchedule,
      (seed, skewMs, tradesPerStep, contractsPerConnection, pieceBytes, schedule) => {
        const dialect = databentoDialect({ pieceBytes });
        const limits = { ...dialect.venue.limits, contractsPerConnection };
        const feed = { gapAfterMs: GAP_AFTER_MS, graceMs: GRACE_MS };
        const run = new FeedRun({ seed, skewMs, tradesPerStep, dialect, feed, venue: { limits } });
        // Of a contract without trades nothing can be compared: that has a test of its own.
        while (run.intake.trades.size < dialect.contracts.length) run.run(500);
        suffer(run, possible(schedule), () => heal(run));
        heal(run);
        run.run(150_000);
        run.judge();
        const status = run.feed.status(run.now);
        assert.equal(status.state, 'live');
        assert.equal(status.gapsOpen, 0);
        assert.deepEqual(run.down, []);
      },
    ),
    { numRuns: SCHEDULES },
  );
});

test('a sound feed has no gap but its start, and no late trade', () => {
  const run = stage();
  run.run(120_000);
  assert.deepEqual([reasons(run), run.intake.late], [[], 0]);
  assert.ok(run.judge().present > 1_000);
  assert.ok(run.feed.status(run.now).lagMs < 1_500);
});

test('cuts and crashes lose nothing: the stream is repeated from the last ten seconds on', () => {
  for (const place of ['before', 'half', 'after', 'cut'] as const) {
    const run = stage({ tradesPerStep: 3 });
    run.set({ isDown: true });
    if (place === 'cut') run.venue.cut(run.nowMs);
    else run.crash(place);
    run.run(25_000);
    run.heal();
    run.run(30_000);
    assert.deepEqual([reasons(run), run.intake.late], [[], 0], place);
    assert.equal(run.feed.status(run.now).state, 'live');
    run.judge();
  }
});
