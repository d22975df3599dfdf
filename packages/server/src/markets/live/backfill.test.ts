import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { exampleVenue } from '../../../testing/live/example-feed.ts';
import { faultSchedule, suffer } from '../../../testing/live/fault-schedule.ts';
import { FeedRun, START_MS } from '../../../testing/live/feed-run.ts';
import { notedPast } from './past/past-note.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SCHEDULES = 4;
const BEFORE_MS = 20 * MINUTE_MS;

function run(backfillMs: number, seed = 1) {
  return new FeedRun({ seed, beforeMs: BEFORE_MS, feed: { backfillMs } });
}

const firstMs = (feed: FeedRun, symbol: string) =>
  Number(feed.intake.trades.get(symbol)![0]!.ts / 1_000_000n);

test('an empty tape begins as long ago as was asked, with every trade since', () => {
  const feed = run(10 * MINUTE_MS);
  feed.run(2 * MINUTE_MS);
  const { present } = feed.judge();
  const beginMs = START_MS - 10 * MINUTE_MS;
  for (const symbol of ['AAA', 'BBB', 'CCC']) {
    const made = feed.venue.trades.get(`${symbol}-PERP`)!;
    const first = made.find(({ ms }) => ms >= beginMs)!;
    assert.equal(firstMs(feed, symbol), first.ms);
    const [gap] = feed.intake.allGaps.filter((one) => one.symbol === symbol);
    assert.equal(gap!.reason, 'start');
    assert.equal(gap!.lastId, first.id - 1);
  }
  assert.ok(present > 10_000, `${present}`);
  assert.equal(feed.intake.late, 0);
  assert.equal(feed.feed.status(feed.now).state, 'live');
});

test('a venue that remembers less is asked for what it has', () => {
  for (const saysForgotten of [false, true]) {
    const feed = run(10 * MINUTE_MS);
    feed.set({ remembered: 1_500, saysForgotten });
    feed.run(2 * MINUTE_MS);
    feed.judge();
    const agoMs = START_MS - firstMs(feed, 'AAA');
    assert.ok(agoMs > 2 * MINUTE_MS && agoMs < 5 * MINUTE_MS, `${agoMs}`);
  }
});

test('a venue that does not answer does not keep the live trades away', () => {
  const feed = run(10 * MINUTE_MS);
  feed.set({ pageStatus: 500 });
  feed.run(55_000);
  assert.equal(feed.intake.trades.size, 0);
  feed.run(2 * MINUTE_MS);
  feed.heal();
  feed.run(2 * MINUTE_MS);
  feed.judge();
  assert.ok(firstMs(feed, 'AAA') > START_MS);
});

test('a start that finds trades on the tape resumes there, and not long ago', () => {
  const feed = run(10 * MINUTE_MS);
  feed.run(3_000);
  feed.crash('half');
  feed.run(2 * MINUTE_MS);
  assert.equal(feed.crashes, 1);
  const { missing } = feed.judge();
  const before = [...feed.venue.trades.values()].flatMap((made) =>
    made.filter(({ ms }) => ms < START_MS - 10 * MINUTE_MS),
  );
  assert.equal(missing, before.length);
});

test('the days before today are wanted from the first record on, so that no kill forgets them', () => {
  const midnightMs = START_MS + 15 * MINUTE_MS;
  const feed = new FeedRun({
    seed: 1,
    startMs: midnightMs + 10 * MINUTE_MS,
    beforeMs: 30 * MINUTE_MS,
    feed: { backfillMs: 20 * MINUTE_MS, beginsFrom: (BigInt(midnightMs) * 1_000_000n) as EpochNs },
  });
  const { intake } = feed;
  const hasBegun = () =>
    intake.allGaps.length > 0 || intake.trades.size > 0 || intake.position('line:AAA') !== null;
  while (!hasBegun()) feed.run(50);
  // A process that ends here has begun the log of the tape, with a watermark or without one.
  const fromNs = BigInt(midnightMs - 10 * MINUTE_MS) * 1_000_000n;
  assert.equal(intake.position('past'), `${fromNs} 20260106`);
});

test('a process that ended before its first record has not begun the tape', () => {
  for (const daysAgo of [0, 1]) {
    const midnightMs = START_MS + 15 * MINUTE_MS;
    const feed = new FeedRun({
      seed: 1,
      startMs: midnightMs + 10 * MINUTE_MS,
      beforeMs: 30 * MINUTE_MS,
      feed: {
        backfillMs: 20 * MINUTE_MS,
        beginsFrom: (BigInt(midnightMs) * 1_000_000n) as EpochNs,
      },
    });
    // The log of that day was opened, and nothing else.
    feed.crash('before');
    feed.intake.promise = (BigInt(midnightMs - daysAgo * DAY_MS) * 1_000_000n) as EpochNs;
    feed.run(3 * MINUTE_MS);
    assert.equal(feed.crashes, 1);
    const beginMs = daysAgo === 0 ? midnightMs : midnightMs - 10 * MINUTE_MS;
    // The time that is wanted counts from the second start.
    assert.ok(firstMs(feed, 'AAA') >= beginMs && firstMs(feed, 'AAA') < beginMs + 2_000);
    const made = feed.venue.trades.get('AAA-PERP')!.map(({ id }) => id);
    const found = feed.intake.trades.get('AAA')!.map(({ id }) => id);
    const begin = made.indexOf(found[0]!);
    assert.deepEqual(found, made.slice(begin, begin + found.length));
    assert.ok(begin + found.length > made.length - 100);
    assert.equal(feed.intake.position('past') === null, daysAgo === 1);
  }
});

test('a hole that takes longer than a gap may is closed, as long as pages bring its trades', () => {
  const limits = {
    ...exampleVenue.limits,
    requests: { units: 20, perMs: MINUTE_MS },
    pageWeight: 1,
  };
  const feed = new FeedRun({
    seed: 1,
    tradesPerStep: 6,
    feed: { gapAfterMs: MINUTE_MS / 2 },
    venue: { limits },
  });
  feed.run(5_000);
  feed.set({ isDown: true });
  feed.venue.cut(feed.nowMs);
  feed.run(15_000);
  feed.heal();
  feed.run(1_000);
  feed.set({ isQuiet: true });
  feed.run(MINUTE_MS);
  assert.equal(feed.feed.status(feed.now).connection, 'backfilling');
  feed.run(5 * MINUTE_MS);
  feed.judge();
  assert.equal(feed.feed.status(feed.now).connection, 'live');
  const reasons = new Set(feed.intake.allGaps.map(({ reason }) => reason));
  assert.deepEqual([...reasons], ['start']);
});

const BEGINS_MS = START_MS - 4 * MINUTE_MS;

test('what is before the day that goes through the log is left to the days behind the stream, with a note', () => {
  const beginsFrom = (BigInt(BEGINS_MS) * 1_000_000n) as EpochNs;
  const feed = new FeedRun({
    seed: 1,
    beforeMs: BEFORE_MS,
    feed: { backfillMs: 10 * MINUTE_MS, beginsFrom },
  });
  assert.equal(notedPast(feed.intake), null);
  feed.run(2 * MINUTE_MS);
  feed.judge();
  const made = feed.venue.trades.get('AAA-PERP')!;
  assert.equal(firstMs(feed, 'AAA'), made.find(({ ms }) => ms >= BEGINS_MS)!.ms);
  const from = BigInt(START_MS - 10 * MINUTE_MS) * 1_000_000n;
  assert.deepEqual(notedPast(feed.intake), { from, until: dayOf(beginsFrom) });
  const later = run(10 * MINUTE_MS);
  later.run(2 * MINUTE_MS);
  assert.equal(notedPast(later.intake), null);
});

test('a tape that has begun says which past days are wanted, wherever its process was killed', () => {
  fc.assert(
    fc.property(faultSchedule, fc.nat(1_000), (schedule, seed) => {
      const beginsFrom = (BigInt(BEGINS_MS) * 1_000_000n) as EpochNs;
      const feed = new FeedRun({
        seed,
        beforeMs: BEFORE_MS,
        feed: { backfillMs: 10 * MINUTE_MS, beginsFrom },
      });
      for (const place of ['before', 'half', 'after'] as const) {
        feed.crash(place);
        suffer(feed, schedule);
        if (feed.intake.promise !== null) assert.notEqual(notedPast(feed.intake), null, place);
      }
      feed.heal();
      feed.run(MINUTE_MS);
      feed.judge();
      assert.notEqual(notedPast(feed.intake), null);
    }),
    { numRuns: SCHEDULES },
  );
});

test('whatever the venue, the network and the machine do, the tape is what was traded or says what is missing', () => {
  fc.assert(
    fc.property(faultSchedule, fc.nat(1_000), (schedule, seed) => {
      const feed = run(5 * MINUTE_MS, seed);
      suffer(feed, schedule);
      feed.heal();
      feed.run(MINUTE_MS);
      feed.judge();
    }),
    { numRuns: SCHEDULES },
  );
});
