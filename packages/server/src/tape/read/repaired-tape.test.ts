/** To its readers a repaired tape equals the same days in memory, before and after each import. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { importDays, type TradeRow } from '../../../testing/imported-dataset.ts';
import { MemoryTape } from '../../../testing/tape/memory-tape.ts';
import { TAPE_ROOT } from '../../../testing/tape/tape-on-sim-disk.ts';
import { ImportedTape } from '../imported/imported-tape.ts';
import type { ColumnsSnapshot } from '../live-columns.ts';
import type { DaySpan, Tape, TapePlace } from '../tape.ts';
import { type DaysInMemory, RepairedTape } from './repaired-tape.ts';

const [DATASET, SYMBOL] = ['FEED', 'ESZ6'];
const FIRST = utcDay(20_261_102);
const DAYS = 6;
const HOUR_NS = 3_600_000_000_000;
const DAY_NS = 24 * HOUR_NS;
const GAP: readonly DaySpan[] = [[0, HOUR_NS]];

const trades = fc.array(
  fc.record({
    ns: fc.nat({ max: DAY_NS - 1 }),
    price: fc.integer({ min: -50, max: 20_000 }),
    size: fc.integer({ min: 1, max: 2_000 }),
    side: fc.constantFrom(-1 as const, 0 as const, 1 as const),
  }),
  { maxLength: 20 },
);
type Trades = typeof trades extends fc.Arbitrary<infer Value> ? Value : never;
const part = fc.record({ trades, isPartial: fc.boolean() });
type Part = typeof part extends fc.Arbitrary<infer Value> ? Value : never;
/** A day of the live tape, and what each of two imports brings of it. */
const day = fc.record({ live: fc.option(part), first: fc.option(part), second: fc.option(part) });
const place = fc.record({ day: fc.nat({ max: DAYS + 1 }), rank: fc.nat({ max: 22 }) });
const looks = fc.array(fc.tuple(place, fc.option(place), fc.nat({ max: DAY_NS })), {
  minLength: 5,
  maxLength: 10,
});

const dayAt = (index: number): UtcDay => addDays(FIRST, index);
const placeOf = ({ day, rank }: { readonly day: number; readonly rank: number }): TapePlace => ({
  day: dayAt(day),
  rank: rank as Rank,
});
const byTime = (all: Trades) => all.toSorted((a, b) => a.ns - b.ns);

/** The tape with these days in memory; the last one still grows. */
function memoryTape(days: readonly (Part | null)[], open: Trades): MemoryTape {
  const tape = new MemoryTape(SYMBOL, 7);
  for (const [index, one] of [...days, { trades: open, isPartial: false }].entries()) {
    const day = dayAt(index);
    const end = index === days.length ? epochNs(day, DAY_NS - 1) : epochNs(addDays(day, 1), 0);
    tape.commit([], epochNs(day, 0));
    const rows = byTime(one?.trades ?? []).map(({ ns, ...rest }) => ({
      at: epochNs(day, ns),
      ...rest,
    }));
    tape.commit(rows, end);
    if (one === null) tape.missing.add(day);
    else if (one.isPartial) tape.partial.set(day, GAP);
  }
  return tape;
}

async function rowsOf(tape: Tape, from: TapePlace, to?: TapePlace, isLent = false) {
  const rows: number[][] = [];
  for await (const batch of tape.read(SYMBOL, from, to, isLent)) {
    const { day, firstRank, count, ts, price, size, side } = batch;
    for (let row = 0; row < count; row += 1) {
      rows.push([day, firstRank + row, ts[row]!, price[row]!, size[row]!, side[row]!]);
    }
  }
  return rows;
}

const daysOf = async (tape: Tape) =>
  (await tape.days(SYMBOL)).map(({ day, trades, state, gaps = [] }) => [day, trades, state, gaps]);

async function assertSame(
  tape: Tape,
  expected: Tape,
  at: typeof looks extends fc.Arbitrary<infer Value> ? Value : never,
): Promise<void> {
  assert.deepEqual(await daysOf(tape), await daysOf(expected));
  for (const [from, to, ns] of at) {
    const range = [placeOf(from), to === null ? undefined : placeOf(to)] as const;
    const rows = await rowsOf(expected, ...range);
    assert.deepEqual(await rowsOf(tape, ...range), rows);
    assert.deepEqual(await rowsOf(tape, ...range, true), rows);
    const when = [SYMBOL, placeOf(from).day, ns] as const;
    assert.equal(await tape.rankBefore(...when), await expected.rankBefore(...when));
  }
}

test('a repaired tape gives its readers what the same days in memory do, also while another import comes', async () => {
  const given = [fc.array(day, { minLength: 1, maxLength: DAYS }), trades, looks] as const;
  await fc.assert(
    fc.asyncProperty(...given, async (days, open, at) => {
      const disk = new SimDisk().boot();
      const importAll = async (which: 'first' | 'second') => {
        const toImport = days.flatMap(({ [which]: one }, index) => {
          if (one === null) return [];
          const rows = byTime(one.trades).map((t): TradeRow => [t.ns, t.price, t.size, t.side]);
          const gaps = one.isPartial ? GAP : [];
          return [{ symbol: SYMBOL, day: dayAt(index), rows, gaps }];
        });
        if (toImport.length > 0) await importDays(disk, TAPE_ROOT, DATASET, toImport);
      };
      const live = memoryTape(
        days.map((it) => it.live),
        open,
      );
      const memory: DaysInMemory = {
        liveColumns: () => [{ day: dayAt(days.length) } as ColumnsSnapshot],
      };
      const imported = await ImportedTape.open(disk, TAPE_ROOT, DATASET);
      const tape = new RepairedTape({ live, memory, imported });
      await assertSame(tape, live, at);
      await importAll('first');
      await assertSame(tape, live, at);
      await imported.refresh();
      const once = memoryTape(
        days.map((it) => it.first ?? it.live),
        open,
      );
      const pinned = new RepairedTape({ live, memory, imported: imported.pinned() });
      await assertSame(tape, once, at);
      await importAll('second');
      const next = await imported.next(SYMBOL);
      await assertSame(tape, once, at);
      const twice = memoryTape(
        days.map((it) => it.second ?? it.first ?? it.live),
        open,
      );
      await assertSame(new RepairedTape({ live, memory, imported: next.tape }), twice, at);
      next.adopt();
      await assertSame(tape, twice, at);
      await assertSame(pinned, once, at);
    }),
    { numRuns: 60 },
  );
});

test('days without imports are read from the live tape directly, and a day in memory too, even if it is imported', async () => {
  const disk = new SimDisk().boot();
  const one = (price: number) => ({ rows: [[1, price, 1, 1]] as const, symbol: SYMBOL });
  await importDays(disk, TAPE_ROOT, DATASET, [
    { ...one(1), day: dayAt(0) },
    { ...one(2), day: dayAt(1) },
  ]);
  const trade = { ns: 1, size: 1, side: 1 } as const;
  const live = memoryTape(
    [{ trades: [{ ...trade, price: 5 }], isPartial: false }],
    [{ ...trade, price: 6 }],
  );
  const memory: DaysInMemory = { liveColumns: () => [{ day: dayAt(1) } as ColumnsSnapshot] };
  const imported = await ImportedTape.open(disk, TAPE_ROOT, DATASET);
  const tape = new RepairedTape({ live, memory, imported });
  const prices = (await rowsOf(tape, { day: dayAt(0), rank: 0 as Rank })).map((row) => row[3]);
  assert.deepEqual(prices, [1, 6]);
  assert.deepEqual(
    (await daysOf(tape)).map(([, , state]) => state),
    ['sealed', 'open'],
  );
  const direct = { ...live, read: () => 'the live tape' as never };
  const routed = new RepairedTape({ live: direct as unknown as Tape, memory, imported });
  assert.equal(routed.read(SYMBOL, { day: dayAt(1), rank: 0 as Rank }), 'the live tape');
  assert.notEqual(routed.read(SYMBOL, { day: dayAt(0), rank: 0 as Rank }), 'the live tape');
});
