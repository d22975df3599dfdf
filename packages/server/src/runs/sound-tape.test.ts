import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { MemoryTape } from '../../testing/tape/memory-tape.ts';
import type { Tape } from '../tape/tape.ts';
import { withoutDays } from './sound-tape.ts';

const CONTRACT = 'ESZ6';
const DAY = utcDay(20261128);
const DAYS = 6;

function tape(leftOut: readonly number[]): MemoryTape {
  const memory = new MemoryTape(CONTRACT, 2);
  for (let day = 0; day < DAYS; day += 1) {
    if (leftOut.includes(day)) continue;
    const trades = Array.from({ length: 3 }, (_, at) => ({
      at: epochNs(addDays(DAY, day), 10 * at + 10),
      price: day,
      size: 1 + at,
      side: 1 as const,
    }));
    memory.commit(trades, epochNs(addDays(DAY, day), 1_000) as EpochNs);
  }
  return memory;
}

test('a tape without some days is read as one that never had them', async () => {
  const days = fc.uniqueArray(fc.nat({ max: DAYS - 1 }));
  const place = fc.record({ day: fc.nat({ max: DAYS }), rank: fc.nat({ max: 3 }) });
  const property = fc.asyncProperty(days, place, fc.option(place), async (leftOut, from, to) => {
    const named = leftOut.map((day) => addDays(DAY, day)).sort((a, b) => a - b);
    const placeOf = ({ day, rank }: { day: number; rank: number }) => {
      return { day: addDays(DAY, day), rank: rank as Rank };
    };
    const read = async (one: Tape) => {
      const trades: string[] = [];
      for await (const batch of one.read(CONTRACT, placeOf(from), to ? placeOf(to) : undefined)) {
        for (let row = 0; row < batch.count; row += 1) {
          trades.push(`${batch.day}.${batch.firstRank + row} ${batch.price[row]}`);
        }
      }
      const rank = await one.rankBefore(CONTRACT, placeOf(from).day, 25);
      return { trades, rank, days: (await one.days(CONTRACT)).map(({ day }) => day) };
    };
    assert.deepEqual(await read(withoutDays(tape([]), named)), await read(tape(leftOut)));
  });
  await fc.assert(property, { numRuns: 300 });
});
