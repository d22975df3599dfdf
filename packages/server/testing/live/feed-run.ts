/** Runs a live feed against the simulated venue in virtual time, with a tape whose process may crash at any step. */

import assert from 'node:assert/strict';
import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { VenueBudget } from '../../src/markets/live/connection/venue-budget.ts';
import type { FeedAction, FeedContract, Venue } from '../../src/markets/live/feed.ts';
import { LiveFeed, type LiveFeedOptions } from '../../src/markets/live/live-feed.ts';
import { onGrid } from '../../src/markets/live/on-grid.ts';
import type { TapeGap } from '../../src/tape/tape-gap.ts';
import type { Dialect, SimTrade } from './dialect.ts';
import { exampleDialect } from './example-dialect.ts';
import { MemoryIntake, type TapeTrade } from './memory-intake.ts';
import { NO_FAULTS, SimVenue, type VenueFaults } from './sim-venue.ts';

const STEP_MS = 50;
/** A quarter of an hour before a midnight. */
export const START_MS = Date.UTC(2026, 0, 5, 23, 45);

export type CrashPlace = 'before' | 'half' | 'after';

export interface RunOptions {
  readonly seed: number;
  readonly dialect?: Dialect;
  readonly skewMs?: number;
  /** Trades of a contract in one step. */
  readonly tradesPerStep?: number;
  /** When the feed starts. Default: `START_MS`. */
  readonly startMs?: number;
  /** Longer for days that pass quickly. */
  readonly stepMs?: number;
  /** For so long the venue has traded before the feed starts. Default: 0. */
  readonly beforeMs?: number;
  readonly feed?: Partial<LiveFeedOptions>;
  readonly venue?: Partial<Venue>;
}

export class FeedRun {
  readonly venue: SimVenue;
  readonly intake = new MemoryIntake();
  readonly #contracts: readonly FeedContract[];
  readonly #options: RunOptions;
  readonly #dialect: Dialect;
  readonly #random: () => number;
  readonly #budget: VenueBudget;
  readonly venuePort: Venue;
  feed: LiveFeed;
  nowMs: number;
  readonly #stepMs: number;
  /** Steps for which the tape is full. */
  fullSteps = 0;
  #crash: CrashPlace | null = null;
  crashes = 0;
  down: string[] = [];

  constructor(options: RunOptions) {
    const { dialect = exampleDialect, skewMs = 0 } = options;
    this.#options = options;
    this.nowMs = options.startMs ?? START_MS;
    this.#stepMs = options.stepMs ?? STEP_MS;
    this.#dialect = dialect;
    this.#random = seededRandom(options.seed);
    this.#contracts = contractsOf(dialect);
    this.venue = new SimVenue(
      seededRandom(options.seed + 1),
      this.#contracts.map(({ venueSymbol }) => venueSymbol),
      // Without numbers of its own, a trade is told by its size.
      { skewMs, dialect, hasNumbersAsSizes: !dialect.hasNumbers },
    );
    this.venuePort = { ...dialect.venue, ...options.venue };
    this.#budget = new VenueBudget(this.venuePort.limits);
    for (let ms = options.beforeMs ?? 0; ms > 0; ms -= this.#stepMs) {
      this.#trade(this.nowMs - ms);
    }
    this.feed = this.#start();
  }

  get now(): EpochNs {
    return (BigInt(this.nowMs) * MS_NS_BIG) as EpochNs;
  }

  set(faults: Partial<VenueFaults>): void {
    this.venue.faults = { ...this.venue.faults, ...faults };
  }

  heal(): void {
    this.venue.faults = { ...NO_FAULTS };
  }

  /** The process ends at its next offer. */
  crash(place: CrashPlace): void {
    this.#crash = place;
  }

  run(ms: number): void {
    for (const until = this.nowMs + ms; this.nowMs < until; ) this.#step();
  }

  #start(): LiveFeed {
    return new LiveFeed({
      venue: this.venuePort,
      contracts: this.#contracts,
      intake: this.intake,
      budget: this.#budget,
      random: this.#random,
      onDown: (_symbol, why) => this.down.push(why),
      now: this.now,
      ...this.#options.feed,
    });
  }

  #step(): void {
    this.nowMs += this.#stepMs;
    this.#trade(this.nowMs);
    for (const [connection, event] of this.venue.arrived(this.nowMs)) {
      this.#perform(this.feed.event(connection, event, this.now));
    }
    for (const [id, answer] of this.venue.answered(this.nowMs)) {
      this.#perform(this.feed.page(id, answer, '', this.now));
    }
    this.#perform(this.feed.timer(this.now));
    if (this.fullSteps > 0) this.fullSteps -= 1;
    else this.#offer();
  }

  #trade(ms: number): void {
    this.venue.trade(ms, this.#stepMs, this.#options.tradesPerStep ?? 0.3);
  }

  #offer(): void {
    for (;;) {
      const offer = this.feed.nextOffer(this.now);
      if (offer === null) return;
      if (this.#crash !== null) {
        if (this.#crash !== 'before') this.intake.take(offer, this.#crash === 'half');
        this.#crash = null;
        this.crashes += 1;
        this.venue.forgetClients();
        this.feed = this.#start();
        return;
      }
      this.feed.taken(this.intake.take(offer));
    }
  }

  #perform(actions: readonly FeedAction[]): void {
    for (const action of actions) {
      if (action.kind === 'connect') {
        this.venue.connect(action.connection, this.nowMs, action.address);
      } else if (action.kind === 'close') this.venue.close(action.connection);
      else if (action.kind === 'request') {
        this.venue.request(action.id, action.request, this.nowMs);
      } else this.venue.send(action.connection, action.message, this.nowMs);
    }
  }

  /**
   * Fails unless the tape has every trade before its watermark in order, or a gap that names it, and never both.
   * `isLying`: the venue hides trades now. No one can know of them before a later trade of the contract shows the hole.
   */
  judge({ isLying = false } = {}): { readonly present: number; readonly missing: number } {
    const counts = { present: 0, missing: 0 };
    for (const contract of this.#contracts) this.#judge(contract, isLying, counts);
    return counts;
  }

  #judge(
    { symbol, venueSymbol, tickSizeNanos, lotSizeNanos }: FeedContract,
    isLying: boolean,
    counts: { present: number; missing: number },
  ): void {
    const { hasNumbers } = this.#dialect;
    const tape = this.intake.trades.get(symbol) ?? [];
    const gaps = this.intake.allGaps.filter((gap) => gap.symbol === symbol);
    const numberOf = ({ id, size }: TapeTrade) => (hasNumbers ? id : size);
    const byNumber = new Map(tape.map((trade) => [numberOf(trade), trade]));
    assert.equal(byNumber.size, tape.length, 'a trade is doubled');
    const last = tape.at(-1);
    for (const made of this.venue.trades.get(venueSymbol)!) {
      const { id, ms, price, size, isBuy, leftOut } = made;
      // A gap may name its number, but it is never on the tape.
      if (leftOut !== undefined) continue;
      const ts = tsOf(made);
      const trade = byNumber.get(id);
      byNumber.delete(id);
      const isNamed = gaps.some((one) => this.#isNamed(one, trade?.id ?? null, made));
      const what = `${symbol} ${id} at ${ms - START_MS} ms`;
      if (trade === undefined) {
        const isPast = this.intake.promise !== null && ts < this.intake.promise;
        const isDue = isLying ? id < (last === undefined ? 0 : numberOf(last)) : isPast;
        if (isDue) assert.ok(isNamed, `${what} is missing and no gap names it`);
        counts.missing += 1;
        continue;
      }
      counts.present += 1;
      assert.ok(!isNamed, `${what} is there, but a gap names it`);
      assert.deepEqual(trade, {
        id: hasNumbers ? id : trade.id,
        ts,
        price: onGrid(price, tickSizeNanos),
        size: onGrid(size, lotSizeNanos),
        side: isBuy ? 1 : -1,
      });
    }
    assert.equal(byNumber.size, 0, 'the tape has a trade that the venue never made');
    const numbers = tape.map(numberOf);
    assert.ok(
      numbers.every((number, row) => row === 0 || number > numbers[row - 1]!),
      'the tape is not in the order of the venue',
    );
  }

  /** `tapeId`: the number on the tape; null: it is not there. */
  #isNamed(gap: TapeGap, tapeId: number | null, made: SimTrade): boolean {
    const ts = tsOf(made);
    if (this.#dialect.hasNumbers) return names(gap, made.id, ts);
    // Trades that share the instant of an edge are on either side.
    const { from, to } = gap;
    if (tapeId === null) return from <= ts && (to === null || ts <= to);
    return from < ts && (to === null || ts < to) && names(gap, tapeId, ts);
  }
}

export function contractsOf({ contracts }: Dialect): readonly FeedContract[] {
  return contracts.map(({ venueSymbol, tick, lot }) => ({
    symbol: venueSymbol.replace(/-PERP$/, ''),
    venueSymbol,
    tickSizeNanos: onGrid(tick, 1),
    lotSizeNanos: onGrid(lot, 1),
    hours: null,
  }));
}

export function tsOf({ ms }: SimTrade): EpochNs {
  return (BigInt(ms) * MS_NS_BIG) as EpochNs;
}

export function names({ from, to, firstId, lastId }: TapeGap, id: number, ts: EpochNs): boolean {
  if (firstId !== null && lastId !== null) return firstId <= id && id <= lastId;
  if ((firstId !== null && id < firstId) || (lastId !== null && id > lastId)) return false;
  return from <= ts && (to === null || ts < to);
}
