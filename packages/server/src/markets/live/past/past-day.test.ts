import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import { dayOf } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { seededRandom } from '../../../../../../simulation/clock/seeded-random.ts';
import { ALL_DIALECTS } from '../../../../testing/live/dialects/all-dialects.ts';
import { contractsOf, START_MS } from '../../../../testing/live/feed-run.ts';
import {
  SimVenue,
  type SimVenueOptions,
  type VenueFaults,
} from '../../../../testing/live/sim-venue.ts';
import type { FeedContract } from '../feed.ts';
import { onGrid } from '../on-grid.ts';
import { venueNamed } from '../venues.ts';
import { PastDay } from './past-day.ts';

const STEP_MS = 50;
const MS_NS = 1_000_000n;
const MIDNIGHT_MS = START_MS + 15 * 60_000;
const MIDNIGHT_NS = DAY_NS;
const BEGIN_MS = MIDNIGHT_MS - 10 * 60_000;
const LONGEST_MS = 600_000;
const NAMES = Object.entries(ALL_DIALECTS).flatMap(([name, make]) =>
  venueNamed(name)!.beginsEarlier && make().venue.page !== null ? [name] : [],
);

class Stage {
  readonly #dialect;
  readonly venue: SimVenue;
  readonly contract: FeedContract;
  readonly past: PastDay;
  #nowMs = MIDNIGHT_MS + 5 * 60_000;

  /** A quarter of an hour of trades before a midnight, and five minutes behind it. */
  constructor(name: string, seed: number, options: SimVenueOptions = {}) {
    this.#dialect = ALL_DIALECTS[name]!();
    this.contract = contractsOf(this.#dialect)[0]!;
    const { venueSymbol } = this.contract;
    const terms = { dialect: this.#dialect, ...options };
    this.venue = new SimVenue(seededRandom(seed), [venueSymbol], terms);
    for (let ms = START_MS; ms < this.#nowMs; ms += 500) this.venue.trade(ms, 500, 2);
    this.past = new PastDay(this.#dialect.venue, this.contract, at(BEGIN_MS));
  }

  /** Requests pages until the day is there. */
  run(faultsAt: (ms: number) => Partial<VenueFaults> = () => ({})): void {
    const { venue: port } = this.#dialect;
    const wishes = new Map<number, NonNullable<ReturnType<PastDay['wanted']>>>();
    let lastId = 0;
    const startMs = this.#nowMs;
    while (this.past.result === null && this.past.fault === null) {
      this.#nowMs += STEP_MS;
      const passedMs = this.#nowMs - startMs;
      assert.ok(passedMs < LONGEST_MS, 'the day never comes');
      this.venue.faults = { ...this.venue.faults, ...faultsAt(passedMs) };
      const now = at(this.#nowMs);
      for (const [id, answer] of this.venue.answered(this.#nowMs)) {
        const outcome = port.readPage(this.contract, wishes.get(id)!, answer);
        if (outcome.kind === 'refused') this.past.pageFailed();
        else this.past.page(wishes.get(id)!, outcome, now);
      }
      const wish = this.past.wanted(now);
      if (wish === null) continue;
      lastId += 1;
      wishes.set(lastId, wish);
      this.venue.request(lastId, port.page!(this.contract, wish), this.#nowMs);
    }
  }

  /** The day's trades from a time on, as rows. */
  made(fromMs: number) {
    return this.venue.trades
      .get(this.contract.venueSymbol)!
      .filter(({ ms, leftOut }) => ms >= fromMs && ms < MIDNIGHT_MS && leftOut === undefined)
      .map(({ ms, price, size, isBuy }) => ({
        ns: nsOf(ms),
        price: onGrid(price, this.contract.tickSizeNanos),
        size: onGrid(size, this.contract.lotSizeNanos),
        side: isBuy ? 1 : -1,
      }));
  }

  get day() {
    const { result } = this.past;
    assert.ok(result?.kind === 'day');
    const { batch, late, gaps } = result;
    const rows = Array.from({ length: batch.count }, (_, row) => ({
      ns: batch.ts[row]! - late[row]!,
      price: batch.price[row]!,
      size: batch.size[row]!,
      side: batch.side[row]!,
    }));
    return { rows, gaps, batch };
  }
}

function at(ms: number): EpochNs {
  return (BigInt(ms) * MS_NS) as EpochNs;
}

/** Nanoseconds behind the midnight before. */
function nsOf(ms: number): number {
  return MIDNIGHT_NS - (MIDNIGHT_MS - ms) * 1_000_000;
}

test('the venues with numbered pages have past days', () => {
  assert.deepEqual(NAMES, ['binance-usdm', 'binance-coinm', 'okx', 'coinbase', 'deribit']);
});

for (const name of NAMES) {
  test(`${name}: a past day has all trades from the time that was asked for up to midnight`, () => {
    const stage = new Stage(name, 3);
    stage.run();
    const { rows, gaps, batch } = stage.day;
    assert.ok(rows.length > 1_000, `${rows.length}`);
    assert.deepEqual(rows, stage.made(BEGIN_MS));
    assert.deepEqual(gaps, [[0, nsOf(BEGIN_MS)]]);
    assert.deepEqual([batch.day, batch.firstRank], [dayOf(at(BEGIN_MS)), 1]);
    const stamps = batch.ts.subarray(0, batch.count);
    assert.ok(stamps.every((ns, row) => row === 0 || ns >= stamps[row - 1]!));
  });

  test(`${name}: pages that fail, miss rows or are empty leave no hole without a gap`, () => {
    fc.assert(
      fc.property(
        fc.nat(1_000),
        fc.constantFrom(0, 0.02, 0.3),
        fc.constantFrom(0, 0.2),
        fc.constantFrom(429, 500, 503),
        (seed, rowsMissing, pagesEmpty, status) => {
          const stage = new Stage(name, seed);
          stage.run((ms) => ({
            pageStatus: ms % 5_000 < 1_000 ? status : 200,
            ...{ rowsMissing, pagesEmpty },
          }));
          // Where page after page is empty or lacks a row, the search takes the day for forgotten.
          const isBad = rowsMissing === 0.3 || pagesEmpty > 0;
          if (isBad && stage.past.result?.kind === 'forgotten') return;
          const { rows, gaps } = stage.day;
          const isMissing = (ns: number) => gaps.some(([from, to]) => from <= ns && ns <= to);
          const all = stage.made(START_MS);
          const there = new Set(rows.map((row) => JSON.stringify(row)));
          for (const row of all) {
            assert.ok(there.has(JSON.stringify(row)) || isMissing(row.ns), `${row.ns}`);
          }
          const known = new Set(all.map((row) => JSON.stringify(row)));
          assert.ok(rows.every((row) => known.has(JSON.stringify(row))));
        },
      ),
      { numRuns: 4 },
    );
  });
}

test('what the venue does not remember is a gap', () => {
  for (const saysForgotten of [false, true]) {
    const stage = new Stage('binance-usdm', 3);
    const made = stage.venue.trades.get(stage.contract.venueSymbol)!;
    const remembered = made.filter(({ ms }) => ms >= MIDNIGHT_MS - 2 * 60_000).length;
    stage.run(() => ({ remembered, saysForgotten }));
    const { rows, gaps } = stage.day;
    assert.deepEqual(rows, stage.made(MIDNIGHT_MS - 2 * 60_000));
    assert.deepEqual(gaps, [[0, rows[0]!.ns]]);
  }
});

test('a day before everything that the venue remembers is forgotten', () => {
  const stage = new Stage('okx', 3);
  const made = stage.venue.trades.get(stage.contract.venueSymbol)!;
  const remembered = made.filter(({ ms }) => ms >= MIDNIGHT_MS + 60_000).length;
  stage.run(() => ({ remembered }));
  assert.deepEqual(stage.past.result, { kind: 'forgotten' });
});

test('a price off the grid ends the day, and a print that is too large is a gap of an instant', () => {
  const off = new Stage('okx', 3);
  const symbol = off.contract.venueSymbol;
  const made = off.venue.trades.get(symbol)!;
  const index = made.findIndex(({ ms }) => ms > BEGIN_MS + 60_000);
  made[index] = { ...made[index]!, price: '100.0000001' };
  off.run();
  assert.match(off.past.fault!, /off the grid/);

  const large = new Stage('okx', 3);
  const trades = large.venue.trades.get(symbol)!;
  trades[index] = { ...trades[index]!, size: '99999999999' };
  large.run();
  const ns = nsOf(trades[index]!.ms);
  assert.deepEqual(large.day.gaps, [
    [0, nsOf(BEGIN_MS)],
    [ns, ns + 1],
  ]);
  assert.equal(large.day.rows.length, large.made(BEGIN_MS).length - 1);
});

test('a trade that is earlier than the one before it keeps its place and takes its time', () => {
  const stage = new Stage('okx', 3);
  const made = stage.venue.trades.get(stage.contract.venueSymbol)!;
  const index = made.findIndex(({ ms }) => ms > BEGIN_MS + 60_000);
  made[index] = { ...made[index]!, ms: made[index]!.ms - 700 };
  stage.run();
  const { rows, batch } = stage.day;
  assert.deepEqual(rows, stage.made(BEGIN_MS));
  const row = rows.findIndex(({ ns }, at) => at > 0 && ns < rows[at - 1]!.ns);
  assert.equal(batch.ts[row], batch.ts[row - 1]);
});

test('a day on which nothing was traded is empty, without a gap; one before the first trade is none', () => {
  for (const firstId of [1_000, 1]) {
    const stage = new Stage('okx', 3, { firstId });
    const made = stage.venue.trades.get(stage.contract.venueSymbol)!;
    const isEarlier = ({ ms }: { readonly ms: number }) => ms < BEGIN_MS;
    if (firstId === 1) made.splice(0, made.length);
    made.forEach((trade, row) => {
      if (!isEarlier(trade)) made[row] = { ...trade, ms: trade.ms + 10 * 60_000 };
    });
    if (firstId === 1) stage.venue.trade(MIDNIGHT_MS + 1_000, 500, 2);
    stage.run();
    if (firstId === 1) assert.deepEqual(stage.past.result, { kind: 'forgotten' });
    else assert.deepEqual([stage.day.rows, stage.day.gaps], [[], [[0, nsOf(BEGIN_MS)]]]);
  }
});
