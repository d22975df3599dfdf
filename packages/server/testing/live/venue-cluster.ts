/**
 * A live source on three machines that share a tape, in front of a simulated venue of any dialect. A trade's size is its
 * number, so that a row of the tape tells it.
 */

import assert from 'node:assert/strict';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { VenueBudget } from '../../src/markets/live/connection/venue-budget.ts';
import type { FeedContract } from '../../src/markets/live/feed.ts';
import { LiveSource, type LiveSourceOptions } from '../../src/markets/live/live-source.ts';
import type { Network } from '../../src/markets/live/network.ts';
import { onGrid } from '../../src/markets/live/on-grid.ts';
import type { TapeGap } from '../../src/tape/tape-gap.ts';
import { SCRIPT_SYMBOLS } from '../tape/feed-script.ts';
import type { TapeRow } from '../tape/tape-on-sim-disk.ts';
import type { Dialect, SimTrade } from './dialect.ts';
import { FeedCluster, type Machine } from './feed-cluster.ts';
import { contractsOf, names, tsOf } from './feed-run.ts';
import { SimNetwork } from './sim-network.ts';
import { NO_FAULTS, SimVenue, type VenueFaults } from './sim-venue.ts';

const CONTRACTS = 2;
const STEP_MS = 10;
const TRADES_PER_STEP = 0.05;
const GAP_AFTER_MS = 20_000;
/** Long enough to elect a leader, and to fetch everything. */
const SETTLED_MS_MAX = 150_000;

type SourceIntake = LiveSourceOptions['intake'];

export class VenueCluster {
  readonly #seed: number;
  readonly #dialect: Dialect;
  readonly #contracts: readonly FeedContract[];
  /** The numbers under which a trade was offered to the tape, by contract and size. */
  readonly #offered = new Map<string, Set<number>>();
  readonly venue: SimVenue;
  readonly network: SimNetwork;
  readonly cluster: FeedCluster<LiveSource>;

  private constructor(seed: number, dialect: Dialect) {
    this.#seed = seed;
    this.#dialect = dialect;
    this.#contracts = contractsOf(dialect)
      .slice(0, CONTRACTS)
      .map((contract, index) => ({ ...contract, symbol: SCRIPT_SYMBOLS[index]! }));
    const symbols = this.#contracts.map(({ venueSymbol }) => venueSymbol);
    this.venue = new SimVenue(seededRandom(seed), symbols, { dialect, hasNumbersAsSizes: true });
    this.network = new SimNetwork(this.venue, () => this.cluster.nowMs);
    this.cluster = new FeedCluster<LiveSource>(
      seed,
      (machine, { intake }) => this.#source(machine, intake),
      ({ nowMs }) => {
        this.venue.trade(nowMs, STEP_MS, TRADES_PER_STEP);
        this.network.deliver();
      },
    );
  }

  /** A machine leads, and the feed runs. */
  static async begun(seed: number, dialect: Dialect): Promise<VenueCluster> {
    const run = new VenueCluster(seed, dialect);
    await run.cluster.begin();
    await run.#until('the feed is live', () => run.#isLive);
    // Where nothing was traded yet, a venue that has forgotten everything looks like one without trades.
    await run.cluster.pass(3_000);
    return run;
  }

  set(faults: Partial<VenueFaults>): void {
    this.venue.faults = { ...NO_FAULTS, ...faults };
  }

  cut(): void {
    this.venue.cut(this.cluster.nowMs);
  }

  /** Everything is well again, and the venue's newest trade is on the tape. */
  async settle(): Promise<void> {
    this.set({});
    // What was hidden shows with the next trades.
    await this.cluster.pass(3_000);
    await this.#until('one machine leads a feed that is live', () => this.#isLive);
    this.set({ isQuiet: true });
    const { now } = this.cluster;
    await this.#until('the tape has all', () => this.#isLive && (this.cluster.promise ?? 0n) > now);
    const [source] = this.cluster.sources;
    assert.equal(source!.status.gapsOpen, 0);
  }

  /** Fails unless every trade is on every tape, in order, or named by a gap, and never both. */
  async judge(): Promise<{ readonly present: number; readonly missing: number }> {
    const counts = { present: 0, missing: 0 };
    for (const contract of this.#contracts) {
      const rows = await this.cluster.rows(contract.symbol);
      this.#judge(contract, rows, counts);
    }
    return counts;
  }

  get #isLive(): boolean {
    const { sources } = this.cluster;
    return sources.length === 1 && sources[0]!.status.state === 'live';
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    for (let passed = 0; !isSo(); passed += STEP_MS) {
      assert.ok(passed < SETTLED_MS_MAX, `never: ${what}`);
      await this.cluster.pass(STEP_MS);
    }
  }

  #judge(
    { symbol, venueSymbol, tickSizeNanos, lotSizeNanos }: FeedContract,
    rows: readonly TapeRow[],
    counts: { present: number; missing: number },
  ): void {
    const sizes = rows.map(([, , , , size]) => size);
    for (const [row, size] of sizes.entries()) {
      if (row > 0) assert.ok(size > sizes[row - 1]!, `${symbol} ${size} follows ${sizes[row - 1]}`);
    }
    const onTape = new Map(rows.map((row) => [row[4], row]));
    const gaps = [...this.cluster.gaps.values()].filter((gap) => gap.symbol === symbol);
    for (const made of this.venue.trades.get(venueSymbol)!) {
      const { id, ms, price, size, isBuy, leftOut } = made;
      // A gap may name its number, but it is never on the tape.
      if (leftOut !== undefined) continue;
      const units = onGrid(size, lotSizeNanos);
      const row = onTape.get(units);
      onTape.delete(units);
      const isNamed = gaps.some((gap) => this.#isNamed(gap, made, symbol, row));
      const what = `${symbol} ${id} of ${new Date(ms).toISOString()}`;
      assert.equal(isNamed, row === undefined, `${what}: ${row ? 'there' : 'missing'}`);
      if (row === undefined) counts.missing += 1;
      else {
        counts.present += 1;
        const expected = [onGrid(price, tickSizeNanos), isBuy ? 1 : -1];
        assert.deepEqual([row[3], row[5]], expected, what);
      }
    }
    assert.equal(onTape.size, 0, 'the tape has a trade that the venue never made');
  }

  #isNamed(gap: TapeGap, made: SimTrade, symbol: string, row: TapeRow | undefined): boolean {
    const ts = tsOf(made);
    if (this.#dialect.hasNumbers) return names(gap, made.id, ts);
    // Trades that share the instant of an edge are on either side.
    const { from, to } = gap;
    if (row === undefined) return from <= ts && (to === null || ts <= to);
    const isWithin = from < ts && (to === null || ts < to);
    const ids = [...this.#offered.get(`${symbol} ${made.id}`)!];
    return isWithin && ids.every((id) => names(gap, id, ts));
  }

  #source(machine: Machine, intake: SourceIntake): LiveSource {
    const { venue } = this.#dialect;
    return new LiveSource({
      venue,
      contracts: this.#contracts,
      intake: this.#remembering(intake),
      budget: new VenueBudget(venue.limits),
      random: seededRandom(this.#seed + 1),
      clock: machine.clock,
      monotonicNs: () => machine.clock.now(),
      gapAfterMs: GAP_AFTER_MS,
      network: this.#networkOf(machine),
    });
  }

  #remembering(intake: SourceIntake): SourceIntake {
    return {
      lastId: (symbol) => intake.lastId(symbol),
      position: (key) => intake.position(key),
      get promise() {
        return intake.promise;
      },
      get gaps() {
        return intake.gaps;
      },
      offer: (batches, ...rest) => {
        for (const { symbol, id, size } of batches) {
          for (const [row, lots] of size.entries()) {
            this.#offered.getOrInsertComputed(`${symbol} ${lots}`, () => new Set()).add(id[row]!);
          }
        }
        return intake.offer(batches, ...rest);
      },
    };
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
