/** Files cut at a time with trades in both: two trades never become one, and one never becomes two. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_NS } from '@tapeloom/core/units';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import {
  at,
  csv,
  dbn,
  halfHours,
  importText,
  MONDAY,
  type Row,
  rowsOn,
  statuses,
  TUESDAY,
  WEDNESDAY,
} from '../../testing/imports.ts';

const NOON = at(TUESDAY, 12 * HOUR_NS);
const morning = halfHours(TUESDAY, 6, 12);
const evening = halfHours(TUESDAY, 13, 18);
const trade = (size: number): Row => ({ ts: NOON, price: 20_000, size, side: 1 });

/** Both orders, each file a second time behind both. */
const orders = <File>(first: File, second: File) => [
  [first, second, first, second],
  [second, first, second, first],
];

test('different trades of one time, cut by rows, come in the order of the files, whichever comes first', async () => {
  const whole = [...morning, trade(1), trade(2), trade(3), ...evening];
  const files = [csv([...morning, trade(1)]), csv([trade(2), trade(3), ...evening])] as const;
  for (const order of orders(...files)) {
    const disk = new SimDisk().boot();
    const found = [];
    for (const file of order) found.push(statuses(await importText(disk, 'es.csv', file))[0]);
    assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), whole);
    assert.deepEqual(
      found.map((status) => status!.split(' ')[2]),
      ['added', 'extended', 'same', 'same'],
    );
  }
});

test('equal trades of one time, cut by rows, are refused until somebody says whether they are two', async () => {
  const files = [csv([...morning, trade(1)]), csv([trade(1), trade(2), ...evening])] as const;
  for (const order of orders(...files)) {
    const disk = new SimDisk().boot();
    await importText(disk, 'es.csv', order[0]!);
    const refused = await importText(disk, 'es.csv', order[1]!);
    assert.deepEqual(statuses(refused), ['ESH6 20260310 refused']);
    const { equalAtEdge, difference } = refused.days[0]!;
    assert.deepEqual(equalAtEdge, { ns: 12 * HOUR_NS, price: 20_000, size: 1, side: 1 });
    assert.equal(difference, null);
    for (const [equalsAtEdges, middle] of [
      ['two', [trade(1), trade(1), trade(2)]],
      ['one', [trade(1), trade(2)]],
    ] as const) {
      const own = new SimDisk().boot();
      const found = [];
      for (const [index, file] of order.entries()) {
        // Only the second file needs the declaration: repeats find their trades on the tape.
        const options = index === 1 ? { equalsAtEdges } : {};
        found.push(statuses(await importText(own, 'es.csv', file, options))[0]!.split(' ')[2]);
      }
      assert.deepEqual(await rowsOn(own, 'ESH6', TUESDAY), [...morning, ...middle, ...evening]);
      assert.deepEqual(found, ['added', 'extended', 'same', 'same']);
    }
  }
});

test('equal trades that were captured before and after a midnight are never made one unasked', async () => {
  const last = { ...trade(1), ts: at(MONDAY, 24 * HOUR_NS - 1_000) };
  const early = { ...last, received: at(TUESDAY, -500) };
  const late = { ...last, received: at(TUESDAY, 500) };
  const files = [
    dbn(at(MONDAY, 0), at(TUESDAY, 0), [...halfHours(MONDAY, 0, 20), early]),
    dbn(at(TUESDAY, 0), at(WEDNESDAY, 0), [late, ...halfHours(TUESDAY, 0, 20)]),
  ] as const;
  for (const order of orders(...files)) {
    const disk = new SimDisk().boot();
    await importText(disk, 'es.dbn', order[0]!);
    const refused = await importText(disk, 'es.dbn', order[1]!);
    assert.equal(refused.days.find(({ status }) => status === 'refused')?.equalAtEdge?.size, 1);
    await importText(disk, 'es.dbn', order[1]!, { equalsAtEdges: 'two' });
    const found = [];
    for (const file of order) found.push(...statuses(await importText(disk, 'es.dbn', file)));
    assert.ok(
      found.every((status) => status.endsWith(' same')),
      found.join(),
    );
    assert.deepEqual(await rowsOn(disk, 'ESH6', MONDAY), [...halfHours(MONDAY, 0, 20), last, last]);
  }
});

test('a file that ends among hours that are there may have only trades that are there', async () => {
  const disk = new SimDisk().boot();
  await importText(disk, 'es.csv', csv([...morning, trade(1), trade(2), ...evening]));
  assert.deepEqual(statuses(await importText(disk, 'cut.csv', csv([...morning, trade(1)]))), [
    'ESH6 20260310 same',
  ]);
  const other = await importText(disk, 'other.csv', csv([...morning, trade(9)]));
  assert.deepEqual(other.days[0]!.difference, {
    here: null,
    there: { ns: 12 * HOUR_NS, price: 20_000, size: 9, side: 1 },
  });
});
