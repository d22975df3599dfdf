/** The promise of every venue: whatever happens, its tape has each trade or a gap that names it, and never both. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Dialect } from './dialect.ts';
import { faultSchedule, reconnectSchedule, suffer } from './fault-schedule.ts';
import { FeedRun } from './feed-run.ts';

const GAP_AFTER_MS = 40_000;
/** Little, so that trades are dropped and fetched again. */
const WAITING_BYTES_MAX = 30_000;
const HEALED_MS = 150_000;

/** Runs so many random schedules of faults that the venue of this dialect is expected to survive. */
export function assertFeedSurvives(dialect: Dialect, schedules: number): void {
  const schedule = dialect.proves === 'everything' ? faultSchedule : reconnectSchedule;
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.constantFrom(0, -3_600_000, 3_600_000, 1_500),
      fc.constantFrom(0.05, 0.4, 2),
      schedule,
      (seed, skewMs, tradesPerStep, faults) => {
        const feed = { gapAfterMs: GAP_AFTER_MS, waitingBytesMax: WAITING_BYTES_MAX };
        const run = new FeedRun({ seed, dialect, skewMs, tradesPerStep, feed });
        run.run(3_000);
        suffer(run, faults);
        run.heal();
        run.run(HEALED_MS);
        run.judge();
        const { state, gapsOpen } = run.feed.status(run.now);
        assert.deepEqual([state, gapsOpen, run.down], ['live', 0, []]);
      },
    ),
    { numRuns: schedules },
  );
}
