/** To its readers an imported tape equals the same days in memory: properties proved over memory hold for it too. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { importDays, type TradeRow } from '../../../testing/imported-dataset.ts';
import { MemoryTape } from '../../../testing/tape/memory-tape.ts';
import { TAPE_ROOT } from '../../../testing/tape/tape-on-sim-disk.ts';
import type { Tape, TapePlace } from '../tape.ts';
import { ImportedTape } from './imported-tape.ts';

const [DATASET, SYMBOL] = ['DBN', 'ESZ6'];
const FIRST = utcDay(20_261_102);
const DAYS = 5;
const HOUR_NS = 3_600_000_000_000;

const trade = fc.record({
  ns: fc.nat({ max: 24 * HOUR_NS - 1 }),
  price: fc.integer({ min: -50, max: 20_000 }),
  size: fc.integer({ min: 1, max: 2_000 }),
  side: fc.constantFrom(-1 as const, 0 as const, 1 as const),
});
const day = fc.option(
  fc.record({ trades: fc.array(trade, { maxLength: 30 }), isPartial: fc.boolean() }),
);
const place = fc.record({ day: fc.nat({ max: DAYS }), rank: fc.nat({ max: 32 }) });
const looks = fc.array(fc.tuple(place, fc.option(place), fc.nat({ max: 24 * HOUR_NS })), {
  minLength: 5,
  maxLength: 10,
});

const dayAt = (index: number): UtcDay => addDays(FIRST, index);
const placeOf = ({ day, rank }: { readonly day: number; readonly rank: number }): TapePlace => ({
  day: dayAt(day),
  rank: rank as Rank,
});

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

test('an imported tape gives its readers what the same days in memory do, from any place to any other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(day, { minLength: 1, maxLength: DAYS }), looks, async (days, at) => {
      const memory = new MemoryTape(SYMBOL, 7);
      const disk = new SimDisk().boot();
      for (const [index, one] of days.entries()) {
        const day = dayAt(index);
        const sorted = (one?.trades ?? []).toSorted((a, b) => a.ns - b.ns);
        const trades = sorted.map(({ ns, ...rest }) => ({ at: epochNs(day, ns), ...rest }));
        // A day without trades exists as soon as the watermark reaches it.
        memory.commit([], epochNs(day, 0));
        memory.commit(trades, epochNs(addDays(day, 1), 0));
        if (one === null) {
          memory.missing.add(day);
          continue;
        }
        const gaps = one.isPartial ? ([[0, HOUR_NS]] as const) : [];
        if (one.isPartial) memory.partial.set(day, gaps);
        const rows = sorted.map((t): TradeRow => [t.ns, t.price, t.size, t.side]);
        await importDays(disk, TAPE_ROOT, DATASET, [{ symbol: SYMBOL, day, rows, gaps }]);
      }
      // The day that the watermark has reached was not imported.
      memory.missing.add(dayAt(days.length));
      const imported = await ImportedTape.open(disk, TAPE_ROOT, DATASET);
      const daysOf = async (tape: Tape) =>
        (await tape.days(SYMBOL)).map((it) => [it.day, it.trades, it.state, it.gaps ?? []]);
      assert.deepEqual(await daysOf(imported), await daysOf(memory));
      for (const [from, to, ns] of at) {
        const range = [placeOf(from), to === null ? undefined : placeOf(to)] as const;
        const expected = await rowsOf(memory, ...range);
        assert.deepEqual(await rowsOf(imported, ...range), expected);
        assert.deepEqual(await rowsOf(imported.pinned(), ...range, true), expected);
        const when = [SYMBOL, placeOf(from).day, ns] as const;
        assert.equal(await imported.rankBefore(...when), await memory.rankBefore(...when));
      }
    }),
    { numRuns: 60 },
  );
});
