import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { StagedRows } from './staged-rows.ts';

test('trades come back in the order in which they were added, over any number of spills', async () => {
  const disk = new SimDisk().boot();
  await disk.makeDirectory('/staging');
  await using staged = new StagedRows(disk, '/staging/rows');
  const [monday, tuesday] = [utcDay(20260309), utcDay(20260310)];
  for (let row = 0; row < 50; row += 1) {
    const day = row % 3 === 0 ? monday : tuesday;
    staged.rowsOf(row % 2 === 0 ? 'ESH6' : 'NQH6', day).add(row, row + 1, row + 2, (row % 3) - 1);
    if (row % 7 === 0) await staged.spill();
  }
  assert.deepEqual(staged.symbols(), ['ESH6', 'NQH6']);
  assert.deepEqual(staged.daysOf('NQH6'), [monday, tuesday]);
  const all: number[][] = [];
  for (const symbol of staged.symbols()) {
    for (const day of staged.daysOf(symbol)) {
      const { count, ts, price, size, side } = await staged.take(symbol, day);
      const rows = Array.from({ length: count }, (_, row) => row);
      assert.deepEqual(
        [...ts.subarray(0, count)],
        [...ts.subarray(0, count)].sort((a, b) => a - b),
      );
      all.push(...rows.map((row) => [ts[row]!, price[row]!, size[row]!, side[row]!]));
    }
  }
  assert.deepEqual(
    all.sort((a, b) => a[0]! - b[0]!),
    Array.from({ length: 50 }, (_, row) => [row, row + 1, row + 2, (row % 3) - 1]),
  );
  assert.deepEqual(staged.daysOf('ESH6'), []);
});
