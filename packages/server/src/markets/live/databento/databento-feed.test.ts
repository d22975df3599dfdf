import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  DATABENTO_SETTINGS,
  databentoDialect,
} from '../../../../testing/live/dialects/databento-dialect.ts';
import { type Fault, faultSchedule, suffer } from '../../../../testing/live/fault-schedule.ts';
import { FeedRun, START_MS } from '../../../../testing/live/feed-run.ts';
import { databentoKind } from './databento-kind.ts';

const SCHEDULES = 4;
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
  if (run.venue.faults.isSilent || run.venue.faults.isMute) run.venue.cut(run.nowMs);
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
      fc.constantFrom(0, -3_600_000, 3_600_000, 1_500),
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

test('a cut before the first trade of a contract loses nothing either', () => {
  for (let ms = 200; ms < 3_000; ms += 350) {
    const run = new FeedRun({ seed: ms, tradesPerStep: 0.02, dialect: databentoDialect() });
    run.run(ms);
    run.venue.cut(run.nowMs);
    run.run(40_000);
    assert.deepEqual([reasons(run), run.intake.late], [[], 0], `${ms}`);
    run.judge();
  }
});

test('a crash that leaves trades without a place: what the gateway does not repeat is a gap, never doubled', () => {
  for (const remembered of [0, 3, 40]) {
    const run = stage({ tradesPerStep: 3, seed: remembered });
    run.crash('half');
    run.set({ remembered });
    run.run(20_000);
    run.heal();
    run.run(20_000);
    assert.equal(run.feed.status(run.now).state, 'live');
    assert.ok(reasons(run).includes('not repeated'));
    run.judge();
  }
});

test('a session that says nothing, or that delivers nothing, ends; the next one repeats what was hidden', () => {
  const silent = stage();
  silent.set({ isSilent: true });
  silent.run(16_000);
  assert.match(silent.feed.status(silent.now).lastEnd!, /no message for 15000 ms/);
  const mute = stage();
  mute.set({ isMute: true });
  mute.run(31_000);
  assert.match(mute.feed.status(mute.now).lastEnd!, /no data for 30 s in an open market/);
  for (const run of [silent, mute]) {
    heal(run);
    run.run(30_000);
    assert.deepEqual(reasons(run), []);
    run.judge();
  }
});

test('a contract that was silent for longer than the gateway remembers does not stop the others', () => {
  const run = stage();
  run.set({ isQuiet: true });
  run.run(40_000);
  // The gateway has forgotten all that was traded, and nothing was since: the tape reaches into its memory.
  const day = 24 * 3_600_000;
  for (const rows of run.venue.trades.values()) rows.splice(0);
  run.nowMs += day;
  run.venue.cut(run.nowMs);
  run.run(120_000);
  run.venue.cut(run.nowMs);
  run.run(20_000);
  const status = run.feed.status(run.now);
  assert.deepEqual([status.state, status.gapsOpen], ['live', 0]);
  assert.ok(status.lagMs < 2_000, `${status.lagMs}`);
});

test('without a word about the end of a replay the line waits, and then names the time as missing', () => {
  const run = stage({ dialect: databentoDialect({ saysCompleted: false }) });
  run.venue.cut(run.nowMs);
  run.run(10_000);
  assert.equal(run.feed.status(run.now).connection, 'backfilling');
  run.run(120_000);
  run.judge();
});

test('a wrong key is one attempt in ten minutes, and the reason is shown without it', () => {
  const dialect = databentoDialect();
  const key = 'db-WRONGWRONGWRONGWRONGWRONGWxyz';
  const venue = databentoKind.open({ ...DATABENTO_SETTINGS, key });
  const run = new FeedRun({ seed: 3, dialect, venue });
  run.run(590_000);
  const { reconnects, lastFailure, connection } = run.feed.status(run.now);
  assert.deepEqual([reconnects, connection], [1, 'waiting']);
  assert.match(lastFailure!, /^The gateway does not accept the key: Authentication failed/);
  assert.ok(!lastFailure!.includes(key) && !lastFailure!.includes('GWxyz'));
  run.run(30_000);
  assert.equal(run.feed.status(run.now).reconnects, 2);
});

const BACKFILL_MS = 10 * 60_000;

function beginning(seed: number, memory: Partial<FeedRun['venue']['faults']> = {}): FeedRun {
  const feed = { gapAfterMs: GAP_AFTER_MS, graceMs: GRACE_MS, backfillMs: BACKFILL_MS };
  const dialect = databentoDialect();
  const run = new FeedRun({ seed, dialect, feed, beforeMs: 2 * BACKFILL_MS });
  run.set(memory);
  return run;
}

test('an empty tape begins as long ago as was asked, with every trade since', () => {
  const run = beginning(3);
  run.run(60_000);
  run.judge();
  for (const [symbol, made] of run.venue.trades) {
    const first = made.find(({ ms }) => ms >= START_MS - BACKFILL_MS)!;
    assert.equal(Number(run.intake.trades.get(symbol)![0]!.ts / 1_000_000n), first.ms);
  }
  assert.deepEqual([reasons(run), run.intake.late], [[], 0]);
  const { state, lagMs } = run.feed.status(run.now);
  assert.ok(state === 'live' && lagMs < 5_000, `${state} ${lagMs}`);
});

test('an empty tape begins no earlier than the gateway remembers, which is a day', () => {
  const feed = { graceMs: GRACE_MS, backfillMs: 40 * 3_600_000 };
  const run = new FeedRun({ seed: 3, dialect: databentoDialect(), feed, beforeMs: BACKFILL_MS });
  run.run(60_000);
  run.judge();
  for (const [symbol, made] of run.venue.trades) {
    const [first] = run.intake.trades.get(symbol)!;
    assert.equal(Number(first!.ts / 1_000_000n), made[0]!.ms);
  }
});

test('a gateway that cannot be reached for a minute does not make the tape wait for the past', () => {
  const run = beginning(3, { isDown: true });
  run.run(70_000);
  run.heal();
  run.run(60_000);
  run.judge();
  const [first] = run.intake.trades.get('ESZ6')!;
  assert.ok(Number(first!.ts / 1_000_000n) >= START_MS + 70_000);
});

test('a tape whose first offer was cut names what no contract can prove', () => {
  const run = beginning(0);
  run.crash('half');
  run.run(3_000);
  assert.equal(run.crashes, 1);
  run.run(60_000);
  run.judge();
});

test('whatever happens while it catches up, nothing is missing without a name', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), faultSchedule, (seed, schedule) => {
      const run = beginning(seed);
      suffer(run, possible(schedule), () => heal(run));
      heal(run);
      run.run(150_000);
      run.judge();
      assert.deepEqual([run.feed.status(run.now).state, run.down], ['live', []]);
    }),
    { numRuns: SCHEDULES },
  );
});
