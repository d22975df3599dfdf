import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { HOUR_NS_BIG } from '@tapeloom/core/units';
import { seededRandom } from '../../../../../simulation/clock/seeded-random.ts';
import { exampleVenue } from '../../../testing/live/example-feed.ts';
import type { MemoryIntake } from '../../../testing/live/memory-intake.ts';
import { SourceStage, settle } from '../../../testing/live/source-stage.ts';
import type { NamedContract } from '../instruments/instruments-file.ts';
import { VenueBudget } from './connection/venue-budget.ts';
import { VenueSource } from './venue-source.ts';

const NEVER = 8_640_000_000_000_000_000n as EpochNs;

function named(symbol: string, venueSymbol?: string, expiresAt: EpochNs = NEVER): NamedContract {
  const contract = { symbol, tickSizeNanos: 250_000_000, lotSizeNanos: 1_000_000_000, expiresAt };
  return {
    contract: contract as NamedContract['contract'],
    names: [],
    ...(venueSymbol !== undefined && { venueSymbol }),
  };
}

function stage(t: TestContext, first: readonly NamedContract[]) {
  const world = new SourceStage(['AAA-PERP', 'BBB-PERP']);
  const { clock, tape } = world;
  let contracts = first;
  const down: string[] = [];
  const source = new VenueSource({
    ...{ intake: world.intake, clock, network: world.network, venue: exampleVenue },
    monotonicNs: () => clock.now(),
    random: seededRandom(4),
    hoursOf: () => null,
    onContractDown: (symbol) => down.push(symbol),
    budget: new VenueBudget(exampleVenue.limits),
    feed: { graceMs: 250, gapAfterMs: 900_000, backfillMs: 0 },
    feedName: 'example',
    listed: () => ({ name: 'X', calendars: [], contracts, aliases: [] }),
  });
  const stopping = new AbortController();
  t.after(() => stopping.abort());
  const run = source.run(stopping.signal);
  run.catch(() => undefined);
  const relist = (next: readonly NamedContract[]) => {
    contracts = next;
    source.relist();
  };
  return { world, clock, tape, source, relist, stopping, run, down };
}

const idsOf = (tape: MemoryIntake, symbol: string) =>
  (tape.trades.get(symbol) ?? []).map(({ id }) => id);
const isRow = (ids: readonly number[]) => ids.every((id, row) => id === ids[0]! + row);

test('a symbol without a name of its own at the venue is the venue’s, without the name of the feed', async (t) => {
  const { world, tape } = stage(t, [named('AAA-PERP.example'), named('BBB', 'BBB-PERP')]);
  await world.pass(2_000);
  assert.ok(idsOf(tape, 'AAA-PERP.example').length > 20);
  assert.ok(idsOf(tape, 'BBB').length > 20);
});

test('listed contracts join and leave while the others lose nothing, and counts go on', async (t) => {
  const { world, tape, source, relist } = stage(t, [named('AAA', 'AAA-PERP')]);
  await world.pass(3_000);
  world.venue.cut(world.nowMs);
  await world.pass(5_000);
  assert.equal(source.feed.reconnects, 1);
  relist([named('AAA', 'AAA-PERP'), named('BBB', 'BBB-PERP')]);
  await world.pass(5_000);
  assert.ok(idsOf(tape, 'BBB').length > 20);
  relist([named('BBB', 'BBB-PERP')]);
  await world.pass(5_000);
  const left = idsOf(tape, 'AAA').length;
  relist([named('AAA', 'AAA-PERP'), named('BBB', 'BBB-PERP')]);
  await world.pass(5_000);
  assert.ok(idsOf(tape, 'AAA').length > left + 200, 'what was traded without us is fetched');
  for (const symbol of ['AAA', 'BBB']) assert.ok(isRow(idsOf(tape, symbol)), symbol);
  assert.equal(source.feed.reconnects, 4, 'a cut and three lists');
  const reasons = tape.allGaps.map(({ reason }) => reason);
  assert.deepEqual(reasons, ['start', 'start'], 'nothing is missing but the time before');
});

test('a list that changes nothing keeps the connection', async (t) => {
  const { world, source, relist } = stage(t, [named('AAA', 'AAA-PERP')]);
  await world.pass(2_000);
  assert.equal(source.feed.venue!.connection, 'live');
  relist([named('AAA', 'AAA-PERP')]);
  await settle();
  assert.equal(source.feed.venue!.connection, 'live');
});

test('an expired contract leaves an hour later, the last one ends the connection', async (t) => {
  const world = new SourceStage([]);
  const expiresAt = (world.clock.now() + 10_000_000_000n) as EpochNs;
  const { world: running, source, tape, clock } = stage(t, [named('AAA', 'AAA-PERP', expiresAt)]);
  await running.pass(12_000);
  assert.ok(idsOf(tape, 'AAA').length > 200, 'trades after the expiry may be on their way');
  running.venue.faults.isQuiet = true;
  clock.advanceTo(expiresAt + HOUR_NS_BIG);
  await running.pass(61_000);
  assert.equal(source.feed.venue!.connection, 'waiting');
  assert.equal(source.feed.state, 'live');
});

test('a stop closes the connection and leaves no timer', async (t) => {
  const { world, clock, stopping, run } = stage(t, [named('AAA', 'AAA-PERP')]);
  await world.pass(1_000);
  stopping.abort();
  await settle();
  await run;
  assert.equal(clock.timerCount, 0);
});
