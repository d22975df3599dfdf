/** A replacement replaces everything its file covers, up to the exact edges, and nothing that another file brought. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_NS, HOUR_NS, MS_NS, SECOND_NS } from '@tapeloom/core/units';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { memorySource } from '../../testing/feeds/memory-source.ts';
import {
  at,
  csv,
  DATASET,
  dbn,
  halfHours,
  imported,
  importText,
  NOW,
  type Row,
  rowsOn,
  statuses,
  TAPE_ROOT,
  TUESDAY,
  WEDNESDAY,
} from '../../testing/imports.ts';
import { openFeed } from '../feeds/open-feed.ts';
import { compareFile } from './compare-file.ts';
import { importedTape } from './compared-tapes.ts';

const middle = halfHours(TUESDAY, 1, 20);
const edges = [0, SECOND_NS, DAY_NS - SECOND_NS, DAY_NS - 1];
const edgeTrade = (ns: number, size: number): Row => {
  return { ts: at(TUESDAY, ns), price: 20_000, size, side: 0 };
};
const dayWith = (ns: number, size: number): Row[] =>
  [...middle, edgeTrade(ns, size)].sort((a, b) => (a.ts < b.ts ? -1 : 1));
const tuesday = (rows: readonly Row[]) => dbn(at(TUESDAY, 0), at(WEDNESDAY, 0), rows);

for (const ns of edges) {
  test(`a corrected trade ${ns} ns into a DBN file's day takes the place of the wrong one`, async () => {
    const disk = new SimDisk().boot();
    await importText(disk, 'es.dbn', tuesday(dayWith(ns, 5)));
    const refused = await importText(disk, 'es.dbn', tuesday(dayWith(ns, 7)));
    assert.deepEqual(statuses(refused), ['ESH6 20260310 refused']);
    const corrected = tuesday(dayWith(ns, 7));
    const options = { mayReplace: true };
    assert.deepEqual(statuses(await importText(disk, 'es.dbn', corrected, options)), [
      'ESH6 20260310 replaced',
    ]);
    assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), dayWith(ns, 7));
    assert.deepEqual(statuses(await importText(disk, 'es.dbn', corrected, options)), [
      'ESH6 20260310 same',
    ]);
  });

  test(`a trade ${ns} ns into the day that the replacement no longer has is removed`, async () => {
    const disk = new SimDisk().boot();
    await importText(disk, 'es.dbn', tuesday(dayWith(ns, 5)));
    const options = { mayReplace: true };
    assert.deepEqual(statuses(await importText(disk, 'es.dbn', tuesday(middle), options)), [
      'ESH6 20260310 replaced',
    ]);
    assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), middle);
  });
}

test('a replaced day keeps what the file of the next day captured behind its end', async () => {
  const late = { ...edgeTrade(DAY_NS - 1_000, 3), received: at(WEDNESDAY, 50_000) };
  const { received: _, ...kept } = late;
  const wednesday = (first: Row) =>
    dbn(at(WEDNESDAY, 0), at(WEDNESDAY, DAY_NS), [first, ...halfHours(WEDNESDAY, 0, 20)]);
  for (const order of [
    [tuesday(dayWith(SECOND_NS, 5)), wednesday(late)],
    [wednesday(late), tuesday(dayWith(SECOND_NS, 5))],
  ]) {
    const disk = new SimDisk().boot();
    for (const file of order) await importText(disk, 'es.dbn', file);
    const options = { mayReplace: true };
    await importText(disk, 'es.dbn', tuesday(dayWith(SECOND_NS, 7)), options);
    assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), [...dayWith(SECOND_NS, 7), kept]);
    // The file that brought the trade also replaces it.
    await importText(disk, 'es.dbn', wednesday({ ...late, size: 4 }), options);
    assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), [
      ...dayWith(SECOND_NS, 7),
      { ...kept, size: 4 },
    ]);
    const again = await importText(disk, 'es.dbn', wednesday({ ...late, size: 4 }), options);
    assert.ok(
      statuses(again).every((status) => status.endsWith(' same')),
      statuses(again).join(),
    );
  }
});

test('an equal trade captured on either side of midnight stays two when one side is replaced', async () => {
  const twin = edgeTrade(DAY_NS - 1_000, 3);
  const early = { ...twin, received: at(WEDNESDAY, -500) };
  const late = { ...twin, received: at(WEDNESDAY, 500) };
  const wednesday = dbn(at(WEDNESDAY, 0), at(WEDNESDAY, DAY_NS), [late]);
  const disk = new SimDisk().boot();
  await importText(disk, 'es.dbn', tuesday([...middle, early]));
  await importText(disk, 'es.dbn', wednesday, { equalsAtEdges: 'two' });
  for (const file of [wednesday, tuesday([...middle, early])]) {
    await importText(disk, 'es.dbn', file, { mayReplace: true });
    assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), [...middle, twin, twin]);
  }
});

test('overlapping DBN files agree although the first ends before the last trade was captured', async () => {
  const cut = 12 * HOUR_NS;
  const late = { ...edgeTrade(cut - MS_NS, 3), received: at(TUESDAY, cut + MS_NS) };
  const { received: _, ...trade } = late;
  const whole = [...halfHours(TUESDAY, 1, 12), trade, ...halfHours(TUESDAY, 12, 20)];
  const files = [
    dbn(at(TUESDAY, 0), at(TUESDAY, cut), halfHours(TUESDAY, 1, 12)),
    dbn(at(TUESDAY, 10 * HOUR_NS), at(WEDNESDAY, 0), [
      ...halfHours(TUESDAY, 10, 12),
      late,
      ...halfHours(TUESDAY, 12, 20),
    ]),
  ];
  for (const order of [files, files.toReversed()]) {
    const disk = new SimDisk().boot();
    for (const file of order) await importText(disk, 'es.dbn', file);
    assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), whole);
  }
});

test('a comparison sees a trade that differs at the edges, and takes no other file’s for one', async () => {
  const disk = new SimDisk().boot();
  const late = { ...edgeTrade(DAY_NS - 1_000, 3), received: at(WEDNESDAY, 50_000) };
  const wednesday = dbn(at(WEDNESDAY, 0), at(WEDNESDAY, DAY_NS), [late]);
  await importText(disk, 'es.dbn', tuesday(dayWith(SECOND_NS, 5)));
  await importText(disk, 'es.dbn', wednesday);
  const compared = async (bytes: Uint8Array) => {
    const manifest = (await imported(disk))!;
    const { days } = await compareFile({
      disk,
      stagingPath: '/data/compared',
      contracts: DATASET.contracts,
      tape: importedTape(disk, TAPE_ROOT, manifest),
      feed: await openFeed(memorySource(bytes), 'es.dbn', {}),
      contract: null,
      covers: null,
      hasTickRule: false,
      now: NOW,
      requireUnchanged: () => Promise.resolve(),
      onProgress: () => {},
    });
    const found = days.find(({ day }) => day === TUESDAY)!;
    return [found.status, found.onlyHere, found.onlyThere];
  };
  assert.deepEqual(await compared(tuesday(dayWith(SECOND_NS, 5))), ['same', 0, 0]);
  assert.deepEqual(await compared(tuesday(dayWith(SECOND_NS, 7))), ['different', 1, 1]);
});

test('a CSV replacement replaces from its first to its last trade, and no more', async () => {
  const disk = new SimDisk().boot();
  await importText(disk, 'es.dbn', tuesday(middle));
  const rows = halfHours(TUESDAY, 5, 8).map((row) => ({ ...row, size: row.size + 1 }));
  await importText(disk, 'es.csv', csv(rows), { mayReplace: true });
  assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), [
    ...halfHours(TUESDAY, 1, 5),
    ...rows,
    ...halfHours(TUESDAY, 8, 20),
  ]);
});

test('a day of many trades is replaced by more of them, and by others', async () => {
  const day = (size: number, step: number): Row[] =>
    Array.from({ length: 60_000 / step }, (_, index) => {
      return { ts: at(TUESDAY, HOUR_NS + index * step * MS_NS), price: 20_000, size, side: 1 };
    });
  const disk = new SimDisk().boot();
  await importText(disk, 'es.dbn', tuesday(day(1, 2)));
  const more = day(1, 1);
  await importText(disk, 'es.dbn', tuesday(more), { mayReplace: true });
  assert.equal((await rowsOn(disk, 'ESH6', TUESDAY)).length, more.length);
  await importText(disk, 'es.dbn', tuesday(day(2, 1)), { mayReplace: true });
  assert.equal((await rowsOn(disk, 'ESH6', TUESDAY))[0]!.size, 2);
});
