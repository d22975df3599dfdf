/** A day that comes in parts: in any order, it gets the trades of the whole, and no hour that no file covered. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_NS, HOUR_NS, MINUTE_NS, MS_NS } from '@tapeloom/core/units';
import fc from 'fast-check';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import {
  addText,
  at,
  csv,
  dbn,
  halfHours,
  imported,
  importing,
  importText,
  type Row,
  rowsOn,
  statuses,
  TUESDAY,
  WEDNESDAY,
} from '../../testing/imports.ts';

const dayOf = async (disk: ReturnType<SimDisk['boot']>) =>
  (await imported(disk))!.days.get('ESH6')!.get(TUESDAY)!;

/** Trades of whole milliseconds, up to three at a time, some of them equal. */
const times = fc.array(fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 3 }), {
  minLength: 4,
  maxLength: 24,
});
const rowsAt = (sizes: readonly (readonly number[])[]): Row[][] =>
  sizes.map((of, index) =>
    of.map((size) => ({
      ts: at(TUESDAY, HOUR_NS + index * 40 * MS_NS),
      price: 20_000,
      size,
      side: 1,
    })),
  );

/** Positions of cuts, each at another time. */
const cutsOf = (sizes: readonly (readonly number[])[]) =>
  fc.tuple(
    fc.subarray([...sizes.keys()].slice(1), { minLength: 1 }),
    fc.array(fc.nat({ max: 2 }), { minLength: sizes.length, maxLength: sizes.length }),
  );

const shuffled = <Value>(values: readonly Value[], keys: readonly number[]): Value[] =>
  values
    .map((value, index) => [(keys[index % keys.length]! * (index + 3)) % 17, value] as const)
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value);

test('parts that were cut by rows give the trades of the whole, in any order', async () => {
  const cases = times.chain((sizes) =>
    fc.tuple(fc.constant(sizes), cutsOf(sizes), fc.array(fc.nat(), { minLength: 3, maxLength: 9 })),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ([sizes, [cutTimes, offsets], keys]) => {
      const grouped = rowsAt(sizes);
      const whole = grouped.flat();
      const startOf = (time: number) => grouped.slice(0, time).flat().length;
      const places = cutTimes.map((time) => startOf(time) + (offsets[time]! % sizes[time]!.length));
      const bounds = [0, ...places, whole.length];
      const parts = bounds.slice(1).map((end, index) => whole.slice(bounds[index]!, end));
      const disk = new SimDisk().boot();
      for (const part of shuffled(parts, keys)) {
        const result = await importText(disk, 'part.csv', csv(part), { equalsAtEdges: 'two' });
        assert.ok(!statuses(result).some((status) => status.endsWith('refused')));
      }
      assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), whole);
    }),
    { numRuns: 15 },
  );
});

test('parts that overlap and agree give the trades of the whole, in any order, though cut among trades of one time', async () => {
  const cases = times.chain((sizes) =>
    fc.tuple(
      fc.constant(sizes),
      fc.array(fc.nat({ max: 2 }), { minLength: sizes.length, maxLength: sizes.length }),
      fc.array(fc.nat(), { minLength: 3, maxLength: 9 }),
      fc.boolean(),
    ),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ([sizes, offsets, keys, mayReplace]) => {
      const grouped = rowsAt(sizes);
      const whole = grouped.flat();
      const startOf = (time: number) => grouped.slice(0, time).flat().length;
      const parts: Row[][] = [];
      // Each part overlaps the next in two times: it has all trades of one, and some of the other.
      for (let time = 0; time < sizes.length - 1; time += 3) {
        const from = startOf(time) + (time === 0 ? 0 : offsets[time]! % sizes[time]!.length);
        const last = time + 4;
        const end =
          last < sizes.length
            ? startOf(last) + 1 + (offsets[last]! % sizes[last]!.length)
            : whole.length;
        parts.push(whole.slice(from, end));
        if (last >= sizes.length) break;
      }
      const disk = new SimDisk().boot();
      for (const part of shuffled(parts, keys)) {
        const result = await importText(disk, 'part.csv', csv(part), { mayReplace });
        assert.ok(!statuses(result).some((status) => status.endsWith('refused')));
      }
      assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), whole);
      const { covered } = await dayOf(disk);
      assert.deepEqual(covered, [[HOUR_NS, HOUR_NS + (sizes.length - 1) * 40 * MS_NS + 1]]);
    }),
    { numRuns: 15 },
  );
});

test('a file that was cut before the close is not complete, and its other half completes it', async () => {
  const [early, late] = [halfHours(TUESDAY, 0, 20), [] as Row[]];
  early.push({ ...early[0]!, ts: at(TUESDAY, 20 * HOUR_NS + 46 * MINUTE_NS) });
  late.push({ ...early[0]!, ts: at(TUESDAY, 20 * HOUR_NS + 47 * MINUTE_NS) });
  late.push({ ...early[0]!, ts: at(TUESDAY, 20 * HOUR_NS + 59 * MINUTE_NS) });
  const disk = new SimDisk().boot();
  await importText(disk, 'early.csv', csv(early));
  const [gap] = (await dayOf(disk)).gaps;
  assert.deepEqual(gap, [20 * HOUR_NS + 46 * MINUTE_NS + 1, 21 * HOUR_NS]);
  assert.deepEqual(statuses(await importText(disk, 'late.csv', csv(late))), [
    'ESH6 20260310 extended',
  ]);
  assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), [...early, ...late]);
});

test('whole days are whole where somebody says so, of one file or of all files of an import together', async () => {
  const rows = halfHours(TUESDAY, 1, 20);
  const alone = new SimDisk().boot();
  await importText(alone, 'es.csv', csv(rows), { covers: 'whole-days' });
  assert.deepEqual((await dayOf(alone)).gaps, []);
  for (const isReplacing of [false, true]) {
    const disk = new SimDisk().boot();
    if (isReplacing) {
      const wrong = { ...rows[0]!, ts: at(TUESDAY, 4.9 * HOUR_NS) };
      await importText(disk, 'old.dbn', dbn(at(TUESDAY, 0), at(WEDNESDAY, 0), [...rows, wrong]));
    }
    const to = await importing(disk);
    const options = { mayReplace: isReplacing };
    await addText(to, 'late.csv', csv(rows.slice(8)), options);
    await addText(to, 'early.csv', csv(rows.slice(0, 8)), options);
    if (isReplacing) {
      const refused = await to.cover({ contract: null, covers: 'whole-days', mayReplace: false });
      assert.deepEqual(statuses(refused), ['ESH6 20260310 refused']);
    }
    const claim = { contract: null, covers: 'whole-days', ...options } as const;
    await to.cover(claim);
    assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), rows);
    const { gaps, covered } = await dayOf(disk);
    assert.deepEqual([gaps, covered], [[], [[0, DAY_NS]]]);
    assert.deepEqual(statuses(await to.cover(claim)), ['ESH6 20260310 same']);
  }
});

test('a replacement does not remove what an earlier file of the same import has brought', async () => {
  const rows = halfHours(TUESDAY, 1, 20);
  const disk = new SimDisk().boot();
  await importText(disk, 'es.csv', csv(rows), { covers: 'whole-days' });
  const to = await importing(disk);
  const options = { mayReplace: true, covers: 'whole-days' } as const;
  await addText(to, 'early.csv', csv(rows.slice(0, 8)), options);
  const second = await addText(to, 'late.csv', csv(rows.slice(8)), options);
  assert.deepEqual(statuses(second), ['ESH6 20260310 refused']);
  assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), rows.slice(0, 8));
});
