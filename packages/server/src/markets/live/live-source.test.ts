import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { seededRandom } from '../../../../../simulation/clock/seeded-random.ts';
import { exampleVenue } from '../../../testing/live/example-feed.ts';
import type { MemoryIntake } from '../../../testing/live/memory-intake.ts';
import { SourceStage, settle } from '../../../testing/live/source-stage.ts';
import { IntakeFullError } from '../../tape/tape-errors.ts';
import { VenueBudget } from './connection/venue-budget.ts';
import { LiveSource } from './live-source.ts';

function stage(t: TestContext, fail?: (offers: number) => Error | null) {
  const world = new SourceStage(['AAA-PERP'], fail);
  const { clock, venue, tape, network, intake } = world;
  const source = new LiveSource({
    venue: exampleVenue,
    contracts: [
      {
        symbol: 'AAA',
        venueSymbol: 'AAA-PERP',
        tickSizeNanos: 250_000_000,
        lotSizeNanos: 1_000_000_000,
        hours: null,
      },
    ],
    intake,
    budget: new VenueBudget(exampleVenue.limits),
    random: seededRandom(4),
    clock,
    monotonicNs: () => clock.now(),
    network,
  });
  const stopping = new AbortController();
  t.after(() => stopping.abort());
  const run = source.run(stopping.signal);
  run.catch(() => undefined);
  const pass = (ms: number) => world.pass(ms);
  return { clock, venue, tape, source, stopping, run, pass, offersCount: () => world.offers };
}

const idsOf = (tape: MemoryIntake) => (tape.trades.get('AAA') ?? []).map(({ id }) => id);
const isRow = (ids: readonly number[]) => ids.every((id, row) => id === ids[0]! + row);

test('trades come onto the tape within a step, and the watermark behind them', async (t) => {
  const { pass, tape, source } = stage(t);
  await pass(2_000);
  const before = idsOf(tape).length;
  assert.ok(before > 20 && isRow(idsOf(tape)));
  assert.equal(source.status.state, 'live');
  assert.ok(source.lagMs < 600, `${source.lagMs}`);
});

test('an offer that finds the tape full is repeated, in order and without loss', async (t) => {
  const full = new IntakeFullError('trades wait', 1);
  const { pass, tape } = stage(t, (offers) => (offers > 3 && offers < 20 ? full : null));
  await pass(4_000);
  const ids = idsOf(tape);
  assert.ok(ids.length > 50 && isRow(ids));
});

test('a tape that has failed ends the source', async (t) => {
  const { pass, run } = stage(t, (offers) => (offers > 2 ? new Error('the disk is gone') : null));
  await pass(2_000);
  await assert.rejects(run, /the disk is gone/);
});

test('an abort closes the connections and leaves no timer', async (t) => {
  const { pass, run, stopping, clock, venue } = stage(t);
  await pass(1_000);
  stopping.abort();
  await settle();
  await run;
  assert.equal(clock.timerCount, 0);
  clock.advance(60_000);
  assert.deepEqual(venue.arrived(Number(clock.now() / 1_000_000n)), []);
});

test('a quiet market gets watermarks, more of them while readers wait', async (t) => {
  const { pass, venue, tape, source, offersCount } = stage(t);
  await pass(2_000);
  venue.faults = { ...venue.faults, isQuiet: true };
  await pass(1_000);
  const before = { offers: offersCount(), promise: tape.promise! };
  await pass(2_000);
  const quiet = offersCount() - before.offers;
  assert.ok(quiet >= 1 && quiet <= 11, `${quiet}`);
  assert.ok(tape.promise! > before.promise);
  for (let asked = 0; asked < 10; asked += 1) {
    source.requestWatermark();
    await pass(100);
  }
  assert.ok((tape.promise! as EpochNs) > before.promise);
});
