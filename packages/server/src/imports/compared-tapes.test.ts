import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_NS } from '@tapeloom/core/units';
import { utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { batchOf, importDays, type TradeRow } from '../../testing/imported-dataset.ts';
import { readImported } from '../tape/imported/imported-manifest.ts';
import { TapeDamagedError } from '../tape/tape-errors.ts';
import { sealDay } from '../tape/write/seal/seal.ts';
import { compareDay } from './compare-day.ts';
import { importedTape, liveTape } from './compared-tapes.ts';

const DAY = utcDay(20260202);
const WHOLE = [[0, DAY_NS]] as const;
const ROWS: readonly TradeRow[] = [
  [5, 100, 1, 1],
  [9, 101, 2, -1],
];

test('days of a live and of an imported dataset are read alike', async () => {
  const disk = new SimDisk().boot();
  await sealDay(disk, '/tape', { dataset: 'SIM', symbol: 'ESH6', batch: batchOf(DAY, ROWS) });
  const gaps = [[10, 20]] as const;
  await importDays(disk, '/tape', 'GLBX', [{ symbol: 'ESH6', day: DAY, rows: ROWS, gaps }]);
  const manifest = (await readImported(disk, '/tape', 'GLBX'))!;
  for (const [tape, covered] of [
    [liveTape(disk, '/tape', 'SIM'), WHOLE],
    [
      importedTape(disk, '/tape', manifest),
      [
        [0, 10],
        [20, DAY_NS],
      ],
    ],
  ] as const) {
    assert.deepEqual([...(await tape.tradesByDay('ESH6'))], [[DAY, 2]]);
    assert.deepEqual([...(await tape.tradesByDay('NQH6'))], []);
    const read = await tape.read('ESH6', DAY);
    assert.deepEqual(read.covered, covered);
    assert.equal(compareDay(read.trades, batchOf(DAY, ROWS), WHOLE).difference, null);
  }
  for (const name of await disk.list('/tape/GLBX/days/ESH6')) {
    await disk.remove(`/tape/GLBX/days/ESH6/${name}`);
  }
  await assert.rejects(importedTape(disk, '/tape', manifest).read('ESH6', DAY), TapeDamagedError);
});

test('every trade of both is counted once, and without a difference all are the same', () => {
  const row = fc.tuple(
    fc.integer({ min: 0, max: 4 }),
    fc.integer({ min: 1, max: 2 }),
    fc.constant(1),
    fc.constant(1 as const),
  );
  const rows = fc.array(row, { maxLength: 12 }).map((list) => list.sort(([a], [b]) => a - b));
  fc.assert(
    fc.property(rows, rows, fc.integer({ min: 0, max: 5 }), (one, other, from) => {
      const [here, there] = [batchOf(DAY, one), batchOf(DAY, other)];
      const { same, onlyHere, onlyThere, difference } = compareDay(here, there, [[from, 5]]);
      const inside = (list: readonly TradeRow[]) => list.filter(([ns]) => ns >= from).length;
      assert.equal(same + onlyHere, inside(one));
      assert.equal(same + onlyThere, inside(other));
      if (difference === null) assert.equal(onlyHere + onlyThere, 0);
      assert.equal(compareDay(here, here, WHOLE).difference, null);
    }),
    { numRuns: 100 },
  );
});
