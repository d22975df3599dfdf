import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import fc from 'fast-check';
import { seededRandom } from '../../../../../simulation/clock/seeded-random.ts';
import { exampleVenue } from '../../../testing/live/example-feed.ts';
import {
  FeedCluster,
  type Machine,
  type MachineFault,
  machineFault,
} from '../../../testing/live/feed-cluster.ts';
import { names } from '../../../testing/live/feed-run.ts';
import { SimNetwork } from '../../../testing/live/sim-network.ts';
import { NO_FAULTS, SimVenue, type VenueFaults } from '../../../testing/live/sim-venue.ts';
import { VenueBudget } from './connection/venue-budget.ts';
import { LiveSource } from './live-source.ts';
import type { Network } from './network.ts';

const SYMBOLS = ['ESZ6', 'NQZ6'];
const STEP_MS = 10;
const GAP_AFTER_MS = 20_000;
/** Long enough to elect a leader, and to fetch everything. */
const SETTLE_MS = 60_000;

class VenueCluster {
  readonly #seed: number;
  readonly venue: SimVenue;
  readonly network: SimNetwork;
  readonly cluster: FeedCluster<LiveSource>;

  constructor(seed: number) {
    this.#seed = seed;
    const names = SYMBOLS.map((symbol) => `${symbol}-PERP`);
    this.venue = new SimVenue(seededRandom(seed), names, { hasNumbersAsSizes: true });
    this.network = new SimNetwork(this.venue, () => this.cluster.nowMs);
    this.cluster = new FeedCluster<LiveSource>(
      seed,
      (machine, { intake }) => this.#source(machine, intake),
      ({ nowMs }) => {
        this.venue.trade(nowMs, STEP_MS, 0.05);
        this.network.deliver();
      },
    );
  }

  set(faults: Partial<VenueFaults>): void {
    this.venue.faults = { ...NO_FAULTS, ...faults };
  }

  /** Everything is well again, and the venue's newest trade is on the tape. */
  async settle(): Promise<void> {
    this.set({});
    await this.cluster.pass(SETTLE_MS);
    assert.equal(this.cluster.sources.length, 1, 'one machine leads');
    this.set({ isQuiet: true });
    await this.cluster.pass(2_000);
    assert.equal(this.cluster.sources[0]!.status.state, 'live');
  }

  async judge(): Promise<{ readonly present: number; readonly missing: number }> {
    const counts = { present: 0, missing: 0 };
    for (const symbol of SYMBOLS) {
      const rows = await this.cluster.rows(symbol);
      const ids = rows.map(([, , , , size]) => size);
      for (const [row, id] of ids.entries()) {
        if (row > 0) assert.ok(id > ids[row - 1]!, `${symbol} ${id} follows ${ids[row - 1]}`);
      }
      const onTape = new Map(rows.map((row) => [row[4], row]));
      const gaps = [...this.cluster.gaps.values()].filter((gap) => gap.symbol === symbol);
      for (const { id, ms, price, isBuy } of this.venue.trades.get(`${symbol}-PERP`)!) {
        const ts = (BigInt(ms) * MS_NS_BIG) as EpochNs;
        const isNamed = gaps.some((gap) => names(gap, id, ts));
        const row = onTape.get(id);
        onTape.delete(id);
        const what = `${symbol} ${id} of ${new Date(ms).toISOString()}`;
        assert.equal(isNamed, row === undefined, `${what}: ${row ? 'there' : 'missing'}`);
        if (row === undefined) counts.missing += 1;
        else {
          counts.present += 1;
          assert.deepEqual([row[3], row[5]], [Number(price) * 4, isBuy ? 1 : -1], what);
        }
      }
      assert.equal(onTape.size, 0, 'the tape has a trade that the venue never made');
    }
    return counts;
  }

  #source(machine: Machine, intake: SourceIntake) {
    return new LiveSource({
      venue: exampleVenue,
      contracts: SYMBOLS.map((symbol) => ({
        symbol,
        venueSymbol: `${symbol}-PERP`,
        tickSizeNanos: 250_000_000,
        lotSizeNanos: 1_000_000_000,
        hours: null,
      })),
      intake,
      budget: new VenueBudget(exampleVenue.limits),
      random: seededRandom(this.#seed + 1),
      clock: machine.clock,
      monotonicNs: () => machine.clock.now(),
      gapAfterMs: GAP_AFTER_MS,
      network: this.#networkOf(machine),
    });
  }

  /** What arrives while the machine sleeps is read when it wakes up. */
  #networkOf(machine: Machine): Network {
    return {
      connect: (address, { opened, message, closed }) =>
        this.network.connect(address, {
          opened: () => machine.run(opened),
          message: (text) => machine.run(() => message(text)),
          closed: (why) => machine.run(() => closed(why)),
        }),
      request: async (request) => {
        const answer = await this.network.request(request);
        return await new Promise((resolve) => machine.run(() => resolve(answer)));
      },
    };
  }
}

type SourceIntake = ConstructorParameters<typeof LiveSource>[0]['intake'];

async function begun(seed: number): Promise<VenueCluster> {
  const run = new VenueCluster(seed);
  await run.cluster.begin();
  await run.cluster.pass(15_000);
  assert.equal(run.cluster.sources.length, 1);
  return run;
}

for (const kind of ['kill', 'torn', 'pause'] as const) {
  test(`the leader's ${kind} in the middle of a backfill: the next one backfills from the tape`, async () => {
    const run = await begun(7);
    const before = run.cluster.gaps.size;
    run.set({ isDown: true });
    run.venue.cut(run.cluster.nowMs);
    await run.cluster.pass(9_000);
    run.set({});
    for (let left = 3_000; run.cluster.sources[0]?.status.connection !== 'backfilling'; left -= 1) {
      assert.ok(left > 0, 'it never backfills');
      await run.cluster.pass(STEP_MS);
    }
    await run.cluster.suffer({ machine: -1, kind, waitMs: 0, forMs: 8_000 });
    await run.settle();
    const { present, missing } = await run.judge();
    assert.ok(present > 500, `${present}`);
    assert.equal(run.cluster.gaps.size, before, 'a leader is found before a gap begins');
    assert.ok(missing < present);
    await run.cluster.stop();
  });
}

type Fault = MachineFault | { readonly faults: Partial<VenueFaults>; readonly forMs: number };

const venueFault: fc.Arbitrary<Fault> = fc.record({
  faults: fc.constantFrom<Partial<VenueFaults>>(
    { isDown: true },
    { isSilent: true },
    { isMute: true },
    { dropped: 0.3 },
    { pageStatus: 500 },
    { remembered: 20, saysForgotten: true, dropped: 0.2 },
  ),
  forMs: fc.constantFrom(1_000, 8_000, 30_000),
});

test('whatever venue and machines do, the tape of a cluster has every trade in order or a gap that names it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(1_000),
      fc.array(fc.oneof({ weight: 2, arbitrary: machineFault }, venueFault), { maxLength: 5 }),
      async (seed, schedule) => {
        const run = await begun(seed);
        for (const fault of schedule as readonly Fault[]) {
          if ('kind' in fault) await run.cluster.suffer(fault);
          else {
            run.set(fault.faults);
            if (fault.faults.isDown) run.venue.cut(run.cluster.nowMs);
            await run.cluster.pass(fault.forMs);
          }
        }
        await run.settle();
        await run.judge();
        await run.cluster.stop();
      },
    ),
    { numRuns: 6 },
  );
});
