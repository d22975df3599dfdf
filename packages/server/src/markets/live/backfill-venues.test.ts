/** An empty tape that begins in the past, with the pages of every venue that has them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ALL_DIALECTS } from '../../../testing/live/dialects/all-dialects.ts';
import { faultSchedule, suffer } from '../../../testing/live/fault-schedule.ts';
import { FeedRun, START_MS } from '../../../testing/live/feed-run.ts';
import { venueNamed } from './venues.ts';

const MINUTE_MS = 60_000;
const SCHEDULES = 2;
const BEFORE_MS = 12 * MINUTE_MS;
const BACKFILL_MS = 5 * MINUTE_MS;
/** Databento repeats its stream instead: its own test. */
const NAMES = Object.entries(ALL_DIALECTS).flatMap(([name, make]) =>
  venueNamed(name)!.beginsEarlier && make().hasNumbers ? [name] : [],
);

function run(name: string, seed: number): FeedRun {
  const dialect = ALL_DIALECTS[name]!();
  return new FeedRun({ seed, dialect, beforeMs: BEFORE_MS, feed: { backfillMs: BACKFILL_MS } });
}

test('there are venues whose pages reach back', () => {
  assert.deepEqual(NAMES, ['binance-usdm', 'binance-coinm', 'okx', 'coinbase', 'deribit']);
});

for (const name of NAMES) {
  test(`${name}: an empty tape begins with the first trade of the time that was asked for`, () => {
    const feed = run(name, 5);
    feed.run(2 * MINUTE_MS);
    feed.judge();
    for (const [venueSymbol, made] of feed.venue.trades) {
      const first = made.find(
        ({ ms, leftOut }) => ms >= START_MS - BACKFILL_MS && leftOut === undefined,
      )!;
      const symbol = venueSymbol.replace(/-PERP$/, '');
      const [tape] = feed.intake.trades.get(symbol)!;
      assert.deepEqual([tape!.id, Number(tape!.ts / 1_000_000n)], [first.id, first.ms]);
    }
    assert.deepEqual([feed.intake.late, feed.feed.status(feed.now).state], [0, 'live']);
    assert.ok(feed.intake.allGaps.every(({ reason }) => reason === 'start'));
  });

  test(`${name}: whatever happens while it catches up, nothing is missing without a name`, () => {
    fc.assert(
      fc.property(fc.nat(1_000), faultSchedule, (seed, schedule) => {
        const feed = run(name, seed);
        suffer(feed, schedule);
        feed.heal();
        feed.run(2 * MINUTE_MS);
        feed.judge();
        assert.deepEqual([feed.feed.status(feed.now).state, feed.down], ['live', []]);
      }),
      { numRuns: SCHEDULES },
    );
  });
}
