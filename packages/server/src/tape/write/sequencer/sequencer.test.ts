import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import { addDays, dayOf, epochNs, nsOfDay, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { SimDisk } from '../../../../../../simulation/disk/sim-disk.ts';
import { type FeedRow, intakeBatch } from '../../../../testing/tape/feed-rows.ts';
import {
  feedScript,
  SCRIPT_SYMBOLS,
  type ScriptedOffer,
} from '../../../../testing/tape/feed-script.ts';
import {
  allTapeRows,
  openSimTape,
  type TapeRow,
  tapeRows,
} from '../../../../testing/tape/tape-on-sim-disk.ts';
import { HELD_TRADES_MAX } from './sequencer.ts';

const DAY = utcDay(20_260_105);
const NEXT_DAY = addDays(DAY, 1);
const ES = (rows: readonly FeedRow[], day: UtcDay = DAY) => intakeBatch('ESZ6', day, rows);
const at = (ns: number, day: UtcDay = DAY) => epochNs(day, ns);

/** Times of the rows on the tape, with their days. */
async function stamps(
  tape: Parameters<typeof tapeRows>[0],
): Promise<readonly (readonly number[])[]> {
  return (await tapeRows(tape, 'ESZ6')).map(([day, rank, ts]) => [day, rank, ts]);
}

interface TwinRow {
  readonly symbol: string;
  readonly id: number;
  readonly source: bigint;
  readonly values: readonly [price: number, size: number, side: number];
}

/** A straightforward reference implementation of the sequencer, in absolute time and one trade at a time. */
class Twin {
  readonly rows: Record<string, TapeRow[]> = Object.fromEntries(SCRIPT_SYMBOLS.map((s) => [s, []]));
  readonly #last = new Map<string, { stamp: bigint; source: bigint }>();
  readonly #seen = new Set<string>();
  #held: TwinRow[] = [];
  #deferred: TwinRow[] = [];
  #promise: bigint | null = null;

  offer({ batches, promise }: ScriptedOffer): void {
    const days = batches.map((batch) => epochNs(batch.day, 0));
    if (promise !== null) days.push(epochNs(dayOf(promise), 0));
    if (days.length === 0) return;
    this.#promise ??= days.reduce((a, b) => (a < b ? a : b));
    for (const batch of batches) {
      for (let row = 0; row < batch.count; row++) {
        const price = batch.price[row]!;
        const size = batch.size[row]!;
        if (size === 0 || !Number.isInteger(price)) continue;
        const side = Math.abs(batch.side[row]!) > 1 ? 0 : batch.side[row]!;
        const source = epochNs(batch.day, batch.ts[row]!);
        const values = [price, size, side] as const;
        this.#judge({ symbol: batch.symbol, id: batch.id[row]!, source, values }, promise);
      }
    }
    if (promise !== null && promise > this.#promise!) this.#advance(promise);
  }

  #judge(row: TwinRow, promise: bigint | null): void {
    const key = `${row.symbol} ${row.id}`;
    if (this.#seen.has(key)) return;
    if (this.#place(row)) {
      this.#seen.add(key);
    } else if (promise !== null && promise >= this.#tomorrow()) {
      this.#deferred.push(row);
    } else {
      this.#seen.add(key);
      this.#held.push(row);
    }
  }

  /** False when the trade belongs to a later day. */
  #place({ symbol, source, values }: TwinRow): boolean {
    const last = this.#last.get(symbol);
    let stamp = source > this.#promise! ? source : this.#promise!;
    if (last !== undefined && stamp < last.stamp) stamp = last.stamp;
    if (last !== undefined && stamp === last.stamp && source !== last.source) stamp += 1n;
    if (stamp >= this.#tomorrow()) return false;
    this.#last.set(symbol, { stamp, source });
    const rows = this.rows[symbol]!;
    const day = dayOf(stamp as EpochNs);
    const rank = rows.at(-1)?.[0] === day ? rows.at(-1)![1] + 1 : 1;
    rows.push([day, rank, nsOfDay(stamp as EpochNs), ...values]);
    return true;
  }

  #tomorrow(): bigint {
    return epochNs(addDays(dayOf(this.#promise as EpochNs), 1), 0);
  }

  /** Midnight by midnight, so that trades get their own day; held trades come first. */
  #advance(promise: bigint): void {
    for (;;) {
      const days = [...this.#held, ...this.#deferred].map(({ source }) => {
        const own = epochNs(dayOf(source as EpochNs), 0);
        return own > this.#tomorrow() ? own : this.#tomorrow();
      });
      const midnight = days.sort((a, b) => (a < b ? -1 : 1))[0];
      if (midnight === undefined || midnight > promise) break;
      this.#promise = midnight;
      const [held, deferred] = [this.#held, this.#deferred];
      this.#held = [];
      this.#deferred = [];
      for (const row of held) if (!this.#place(row)) this.#held.push(row);
      for (const row of deferred) this.#judge(row, promise);
    }
    this.#promise = promise;
  }
}

test('every print gets the rank and stamp the rules give it, whatever the feed does [DET-03] [DET-04]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 40 }), async (seed, batchRowsMax) => {
      await using tape = await openSimTape(new SimDisk().boot());
      const twin = new Twin();
      const script = feedScript(seed, { batchRowsMax, offersPerDay: 6 });
      const pending: Promise<unknown>[] = [];
      for (let index = 0; index < 30; index++) {
        const offer = script.next().value;
        twin.offer(offer);
        const done = tape.intake.offer(offer.batches, offer.promise);
        pending.push(done);
        if (index % 3 === 0) await Promise.race([done, Promise.resolve()]);
      }
      await Promise.all(pending);
      // When the last offer ended a day, the trades held for the next one need a commit of their own.
      await tape.intake.offer([], null);
      assert.deepEqual(await allTapeRows(tape.tape), twin.rows);
      for (const rows of Object.values(twin.rows)) {
        for (const [index, [day, rank, ts]] of rows.entries()) {
          const before = rows[index - 1];
          const isSameDay = before?.[0] === day;
          assert.equal(rank, isSameDay ? before![1] + 1 : 1);
          assert.ok(!isSameDay || before![2] <= ts);
        }
      }
    }),
    { numRuns: 60, examples: [[1, 1]] },
  );
});

test('a late print is stamped with the promise, the next with another source time 1 ns later [DET-04]', async () => {
  await using tape = await openSimTape(new SimDisk().boot());
  await tape.intake.offer([ES([[1, 500]])], at(1_000));
  await tape.intake.offer(
    [
      ES([
        [2, 700],
        [3, 700],
        [4, 800],
        [5, 1_000],
        [6, 1_001],
        [7, 5_000],
      ]),
    ],
    null,
  );
  assert.deepEqual(await stamps(tape.tape), [
    [DAY, 1, 500],
    [DAY, 2, 1_000],
    [DAY, 3, 1_000],
    [DAY, 4, 1_001],
    [DAY, 5, 1_002],
    [DAY, 6, 1_003],
    [DAY, 7, 5_000],
  ]);
  assert.equal(tape.counters.late, 3);
  assert.equal(tape.counters.backwards, 2);
});

test('a punctual print at the very stamp of a late one comes 1 ns after it [DET-04]', async () => {
  await using tape = await openSimTape(new SimDisk().boot());
  await tape.intake.offer([ES([[1, 500]])], at(1_000));
  await tape.intake.offer(
    [
      ES([
        [2, 700],
        [3, 1_000],
        [4, 1_000],
      ]),
    ],
    null,
  );
  assert.deepEqual(
    (await stamps(tape.tape)).map(([, , ts]) => ts),
    [500, 1_000, 1_001, 1_001],
  );
});

test('a source that sends time backwards never moves tape time back [DET-04]', async () => {
  await using tape = await openSimTape(new SimDisk().boot());
  await tape.intake.offer(
    [
      ES([
        [1, 9_000],
        [2, 4_000],
        [3, 4_000],
        [4, 9_000],
      ]),
    ],
    at(10),
  );
  await tape.intake.offer([], at(5));
  assert.deepEqual(
    (await stamps(tape.tape)).map(([, , ts]) => ts),
    [9_000, 9_001, 9_001, 9_002],
  );
  assert.equal(tape.counters.backwards, 3);
  assert.equal(tape.counters.promiseBackwards, 1);
  assert.equal(tape.intake.promise, at(10));
});

test('each kind of bad row is refused or mended as stated, and counted', async () => {
  await using tape = await openSimTape(new SimDisk().boot());
  const good = [1, 1_000, 100, 1, 1] as const;
  const bad: readonly (readonly [keyof typeof tape.counters, FeedRow])[] = [
    ['zeroSize', [10, 1_000, 100, 0]],
    ['badSize', [11, 1_000, 100, -1]],
    ['badSize', [12, 1_000, 100, 1.5]],
    ['badSize', [13, 1_000, 100, 2 ** 31]],
    ['badSize', [14, 1_000, 100, Number.NaN]],
    ['offTickPrice', [15, 1_000, 100.25]],
    ['badPrice', [16, 1_000, 2 ** 31]],
    ['badPrice', [17, 1_000, Number.NaN]],
    ['badPrice', [18, 1_000, Number.NEGATIVE_INFINITY]],
    ['badTime', [19, -1]],
    ['badTime', [20, DAY_NS]],
    ['badTime', [21, 0.5]],
    ['badTime', [22, Number.NaN]],
    ['badId', [-1, 1_000]],
    ['badId', [1.5, 1_000]],
    ['badId', [2 ** 53, 1_000]],
    ['duplicate', [1, 1_000]],
  ];
  await tape.intake.offer([ES([good])], null);
  for (const [counter, row] of bad) {
    const before = tape.counters[counter];
    await tape.intake.offer([ES([row])], null);
    assert.equal(tape.counters[counter], before + 1, `${counter}: ${row}`);
  }
  await tape.intake.offer([intakeBatch('XXXX', DAY, [good, good])], null);
  await tape.intake.offer([ES([good], 20_261_332 as UtcDay)], null);
  await tape.intake.offer(
    [
      ES([
        [5_000, 1_000],
        [900, 1_000],
        [905, 1_000],
      ]),
    ],
    null,
  );
  await tape.intake.offer(
    [
      ES([
        [5_001, 1_000, 100, 1, 2],
        [5_002, 1_000, 100, 1, -128],
      ]),
    ],
    null,
  );
  const { unknownSymbol, badTime, tooOld, sideUnknown, accepted } = tape.counters;
  assert.deepEqual(
    { unknownSymbol, badTime, tooOld, sideUnknown, accepted },
    {
      unknownSymbol: 2,
      badTime: 5,
      tooOld: 1,
      sideUnknown: 2,
      accepted: 5,
    },
  );
  assert.deepEqual(
    (await tapeRows(tape.tape, 'ESZ6')).map((row) => row[5]),
    [1, 0, 0, 0, 0],
  );
});

test('a time or promise absurdly far ahead is refused and moves nothing', async () => {
  const now = at(12 * 3_600e9);
  await using tape = await openSimTape(new SimDisk().boot(), { now });
  await tape.intake.offer([ES([[1, 0]], addDays(DAY, 30))], epochNs(addDays(DAY, 30), 0));
  assert.equal(tape.intake.promise, null);
  assert.deepEqual([tape.counters.aheadOfTime, tape.counters.promiseAhead], [1, 1]);
  await tape.intake.offer(
    [
      ES([
        [2, 11 * 3_600e9],
        [3, 14.5 * 3_600e9],
      ]),
    ],
    at(15 * 3_600e9),
  );
  assert.deepEqual(await stamps(tape.tape), [[DAY, 1, 11 * 3_600e9]]);
  assert.deepEqual([tape.counters.aheadOfTime, tape.counters.promiseAhead], [2, 2]);
  // A clock that is an hour behind does not stop a source whose watermark vouches for its trades.
  await tape.intake.offer([ES([[4, 13 * 3_600e9]])], at(13.5 * 3_600e9));
  await tape.intake.offer([ES([[5, 15 * 3_600e9]])], at(15 * 3_600e9));
  assert.equal(tape.counters.accepted, 3);
});

test("trades of tomorrow wait for midnight on disk, while today's go on [DET-02] [DET-03]", async () => {
  const machine = new SimDisk();
  const tape = await openSimTape(machine.boot());
  await tape.intake.offer([ES([[1, 5]]), ES([[2, 7]], NEXT_DAY)], at(10));
  await tape.intake.offer(
    [
      ES([
        [3, 20],
        [2, 21],
      ]),
    ],
    at(30),
  );
  assert.equal(tape.counters.held, 1);
  assert.equal(tape.counters.duplicate, 1);
  // The trade was acknowledged: it must survive a crash, however many numbers came after it.
  const many = Array.from({ length: 5_000 }, (_, row): FeedRow => [row + 4, row + 30]);
  await tape.intake.offer([ES(many)], null);
  machine.crash();
  const again = await openSimTape(machine.boot());
  assert.equal(again.counters.held, 1);
  await again.intake.offer([], at(0, NEXT_DAY));
  machine.crash();
  await using last = await openSimTape(machine.boot());
  await last.intake.offer([ES([[6_000, 9]], NEXT_DAY)], null);
  const rows = await stamps(last.tape);
  assert.deepEqual(rows.slice(0, 2), [
    [DAY, 1, 5],
    [DAY, 2, 20],
  ]);
  assert.deepEqual(rows.slice(-2), [
    [NEXT_DAY, 1, 7],
    [NEXT_DAY, 2, 9],
  ]);
  assert.equal(rows.length, 5_004);
});

test('a stamp that would pass midnight belongs to tomorrow [DET-04]', async () => {
  await using tape = await openSimTape(new SimDisk().boot());
  await tape.intake.offer([ES([[1, DAY_NS - 1]])], null);
  await tape.intake.offer([ES([[2, 5_000]])], null);
  await tape.intake.offer([ES([[3, DAY_NS - 1]])], at(0, NEXT_DAY));
  await tape.intake.offer([ES([[4, 1]], NEXT_DAY)], null);
  assert.deepEqual(await stamps(tape.tape), [
    [DAY, 1, DAY_NS - 1],
    [DAY, 2, DAY_NS - 1],
    [NEXT_DAY, 1, 0],
    [NEXT_DAY, 2, 1],
  ]);
});

test('one offer may bring the end of a day and more of the next than may be held', async () => {
  await using tape = await openSimTape(new SimDisk().boot());
  const count = HELD_TRADES_MAX + 10_000;
  const rows = Array.from({ length: count }, (_, row): FeedRow => [row + 2, row]);
  await tape.intake.offer([ES([[1, 1]]), ES(rows, NEXT_DAY)], at(count, NEXT_DAY));
  const days = await tape.tape.days('ESZ6');
  assert.deepEqual(
    days.map(({ day, trades }) => [day, trades]),
    [
      [DAY, 1],
      [NEXT_DAY, count],
    ],
  );
});

test('days that the promise skips are not on the tape, not empty', async () => {
  await using tape = await openSimTape(new SimDisk().boot());
  await tape.intake.offer([ES([[1, 1]])], at(5));
  await tape.intake.offer([ES([[2, 3]], addDays(DAY, 2))], at(7, addDays(DAY, 4)));
  await tape.intake.sealed();
  const days = await tape.tape.days('ESZ6');
  assert.deepEqual(
    days.map(({ day, trades, state }) => [day, trades, state]),
    [
      [DAY, 1, 'sealed'],
      [addDays(DAY, 2), 1, 'sealed'],
      [addDays(DAY, 4), 0, 'open'],
    ],
  );
  assert.deepEqual((await tape.tape.days('NQZ6')).length, 3);
});
