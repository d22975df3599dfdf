import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleDialect } from '../../../testing/live/example-dialect.ts';
import { exampleVenue } from '../../../testing/live/example-feed.ts';
import { assertFeedSurvives } from '../../../testing/live/feed-property.ts';
import { FeedRun } from '../../../testing/live/feed-run.ts';
import type { Rate } from './feed.ts';

const GAP_AFTER_MS = 40_000;
const SCHEDULES = 12;

function stage(options: Partial<ConstructorParameters<typeof FeedRun>[0]> = {}) {
  const run = new FeedRun({ seed: 7, feed: { gapAfterMs: GAP_AFTER_MS }, ...options });
  run.run(20_000);
  assert.equal(run.feed.status(run.now).state, 'live');
  return run;
}

const reasons = (run: FeedRun) =>
  run.intake.allGaps.map(({ reason }) => reason).filter((reason) => reason !== 'start');

test('whatever happens, the tape has every trade in order or a gap that names it, and never both', () => {
  assertFeedSurvives(exampleDialect, SCHEDULES);
});

test('a sound feed has no gap but its start, and no late trade', () => {
  const run = stage();
  run.run(120_000);
  assert.deepEqual([reasons(run), run.intake.late], [[], 0]);
  assert.equal(run.judge().missing, run.judge().missing);
  assert.ok(run.feed.status(run.now).lagMs < 1_000);
});

test('a short cut loses nothing, and live trades wait for those before them', () => {
  const run = stage();
  run.set({ isDown: true });
  run.venue.cut(run.nowMs);
  run.run(10_000);
  assert.equal(run.feed.status(run.now).state, 'stale');
  run.heal();
  run.run(30_000);
  assert.equal(run.feed.status(run.now).state, 'live');
  assert.deepEqual(reasons(run), []);
  run.judge();
});

test('after a minute without a connection the feed is down; the newest part of the outage is fetched', () => {
  const run = stage();
  run.set({ isDown: true });
  run.venue.cut(run.nowMs);
  run.run(100_000);
  const { state, gapsOpen, connection } = run.feed.status(run.now);
  assert.deepEqual([state, gapsOpen, connection], ['down', 3, 'waiting']);
  run.heal();
  run.run(60_000);
  assert.deepEqual(reasons(run), ['outage', 'outage', 'outage']);
  const lostMs = run.intake.allGaps
    .filter(({ reason }) => reason === 'outage')
    .map(({ from, to }) => Number(to! - from) / 1e6);
  for (const ms of lostMs) assert.ok(ms > 50_000 && ms < 85_000, `${ms}`);
  run.judge();
});

test('an acknowledged subscription without data is compared with a page after 30 s, and connected again', () => {
  const run = stage();
  run.set({ isMute: true });
  run.run(29_000);
  assert.equal(run.feed.status(run.now).reconnects, 0);
  run.run(4_000);
  assert.ok(run.feed.status(run.now).reconnects >= 1);
  assert.match(run.feed.status(run.now).lastEnd!, /the subscription of [ABC]{3} is silent/);
});

test('attempts to connect never exceed the limit of the venue, and else come every 1.25 s', () => {
  const attempts = (connects: Rate) => {
    const run = stage({ venue: { limits: { ...exampleVenue.limits, connects } } });
    run.set({ isDown: true });
    run.venue.cut(run.nowMs);
    run.run(60_000);
    return run.feed.status(run.now).reconnects;
  };
  const many = attempts({ units: 1_000, perMs: 60_000 });
  assert.ok(many > 80 && many < 110, `${many} of two connections`);
  const few = attempts({ units: 12, perMs: 60_000 });
  // Two of them are those that were cut.
  assert.ok(few > 8 && few - 2 <= 12, `${few}`);
});

test('a venue that accepts connections and ends them is asked more and more rarely', () => {
  const run = stage();
  run.set({ isMute: true });
  for (let step = 0; step < 1_200; step += 1) {
    run.venue.cut(run.nowMs);
    run.run(50);
  }
  const { reconnects } = run.feed.status(run.now);
  assert.ok(reconnects > 8 && reconnects < 30, `${reconnects}`);
});

test('the venue is an hour behind our clock, and the watermark follows the venue', () => {
  const run = stage({ skewMs: -3_600_000 });
  const lagMs = run.feed.status(run.now).lagMs;
  assert.ok(lagMs > 3_599_000 && lagMs < 3_602_000, `${lagMs}`);
  run.judge();
});

test('a venue that forgets leaves a gap that names the numbers', () => {
  const run = stage({ tradesPerStep: 2 });
  run.set({ isDown: true });
  run.venue.cut(run.nowMs);
  run.run(20_000);
  run.heal();
  run.set({ remembered: 400, saysForgotten: true });
  run.run(30_000);
  const lost = run.intake.allGaps.filter(({ reason }) => reason === 'lost');
  assert.equal(lost.length, 3);
  assert.ok(lost.every(({ firstId, lastId }) => firstId !== null && lastId !== null));
  run.judge();
});

test('what does not fit into the memory is dropped and fetched again', () => {
  const run = stage({ tradesPerStep: 4, feed: { waitingBytesMax: 20_000 } });
  run.set({ pageStatus: 500 });
  run.venue.cut(run.nowMs);
  run.run(15_000);
  assert.ok(run.feed.status(run.now).waitingBytes < 30_000);
  run.heal();
  run.run(30_000);
  assert.deepEqual(reasons(run), []);
  assert.equal(run.feed.status(run.now).state, 'live');
  run.judge();
});

test('a contract that the venue refuses has a gap, however much the venue says about it', () => {
  let isRefused = false;
  const run = stage({
    venue: {
      reader: (...asked) => {
        const reader = exampleVenue.reader(...asked);
        const why = `no such contract ${'😀'.repeat(200)}`;
        return {
          read: (message) => [
            ...(isRefused ? [{ kind: 'refused', symbol: 'BBB', why } as const] : []),
            ...reader.read(message),
          ],
        };
      },
    },
  });
  isRefused = true;
  run.run(5_000);
  assert.equal(run.down.length, 1);
  assert.ok(reasons(run).some((reason) => reason.startsWith('no such contract 😀')));
  run.judge();
});

test('a price off the tick grid takes its contract down, and the others go on', () => {
  const run = stage();
  run.venue.offGrid('AAA-PERP', run.nowMs);
  run.run(100_000);
  const { state, contracts } = run.feed.status(run.now);
  assert.equal(state, 'live');
  assert.deepEqual(
    contracts.map((contract) => contract.state),
    ['down', 'live', 'live'],
  );
  assert.match(contracts[0]!.fault!, /off the grid of its contract: 400\.4 ticks/);
  assert.equal(run.down.length, 1);
  assert.ok(run.feed.status(run.now).lagMs < 1_000);
});

test('a contract that the venue refuses with many words is down, and the others go on', () => {
  const { venuePort } = stage();
  const why = 'No such contract – '.repeat(20);
  let isListed = true;
  const run = stage({
    venue: {
      reader: (...options) => {
        const reader = venuePort.reader(...options);
        const refused = { kind: 'refused', symbol: 'AAA', why } as const;
        return {
          read: (message) => [...reader.read(message), ...(isListed ? [] : [refused])],
        };
      },
    },
  });
  run.run(5_000);
  isListed = false;
  run.run(5_000);
  const { contracts } = run.feed.status(run.now);
  assert.deepEqual(
    contracts.map((contract) => contract.state),
    ['down', 'live', 'live'],
  );
  assert.deepEqual(run.down, [why]);
});

test('the next connection is opened before the venue ends the present one, and nothing is between', () => {
  const { limits } = stage().venuePort;
  const life = { limits: { ...limits, connectionLifeMs: 360_000 } };
  const run = stage({ venue: life });
  run.run(300_000);
  const { reconnects, lastEnd } = run.feed.status(run.now);
  assert.ok(reconnects >= 2);
  assert.equal(lastEnd, 'replaced by the next connection');
  assert.deepEqual([reasons(run), run.intake.late], [[], 0]);
  run.judge();
});

test('a single silent subscription among others is found by its pages', () => {
  const run = stage();
  run.venue.mute('AAA-PERP');
  run.run(90_000);
  assert.match(run.feed.status(run.now).lastEnd!, /the subscription of AAA is silent/);
  assert.equal(run.feed.status(run.now).state, 'live');
  run.judge();
});
