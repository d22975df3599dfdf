import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_NS, HOUR_NS, MINUTE_NS, SECOND_NS } from '@tapeloom/core/units';
import { utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { databentoText } from '../../testing/feeds/csv-texts.ts';
import {
  at,
  csv,
  DATASET,
  dbn,
  halfHours,
  imported,
  importing,
  importText,
  MONDAY,
  rowsOn,
  statuses,
  TAPE_ROOT,
  TUESDAY,
  WEDNESDAY,
} from '../../testing/imports.ts';
import { ImportedTape } from '../tape/imported/imported-tape.ts';
import { SessionStore } from '../tape/write/session-store.ts';

test('a file that says what it covers gives whole days, and empty ones where nothing traded', async () => {
  const disk = new SimDisk().boot();
  const rows = halfHours(TUESDAY, 0, 20);
  const result = await importText(disk, 'es.dbn', dbn(at(MONDAY, 0), at(WEDNESDAY, 0), rows));
  assert.deepEqual(statuses(result), ['ESH6 20260309 added', 'ESH6 20260310 added']);
  const manifest = await imported(disk);
  assert.equal(manifest?.revision, 1);
  const days = manifest!.days.get('ESH6')!;
  assert.deepEqual(
    [...days].map(([day, { trades, gaps, covered, origin, sources }]) => [
      day,
      trades,
      gaps,
      covered,
      origin,
      sources,
    ]),
    [
      [MONDAY, 0, [], [[0, DAY_NS]], 'imported', ['es.dbn']],
      [TUESDAY, rows.length, [], [[0, DAY_NS]], 'imported', ['es.dbn']],
    ],
  );
  assert.equal(
    days.get(TUESDAY)!.volume,
    rows.reduce((sum, { size }) => sum + size, 0),
  );
  assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), rows);
  const tape = await ImportedTape.open(disk, TAPE_ROOT, DATASET.name);
  assert.deepEqual(
    (await tape.days('ESH6')).map(({ state }) => state),
    ['sealed', 'sealed'],
  );
  const book = await new SessionStore(disk, TAPE_ROOT, DATASET.name).load('cme-equity');
  assert.ok(book !== null && book.from <= 20_260_108 && book.to >= 20_260_509);
});

test('importing twice changes nothing, not even a byte', async () => {
  const machine = new SimDisk();
  const file = dbn(at(MONDAY, 0), at(WEDNESDAY, 0), halfHours(TUESDAY, 0, 20));
  await importText(machine.boot(), 'es.dbn', file);
  const before = machine.files().map((path) => [path, machine.bytes(path)]);
  const result = await importText(machine.boot(), 'renamed.dbn', file);
  assert.deepEqual(statuses(result), ['ESH6 20260309 same', 'ESH6 20260310 same']);
  assert.deepEqual(
    machine.files().map((path) => [path, machine.bytes(path)]),
    before,
  );
});

test('files in any order give the same days', async () => {
  const all = [...halfHours(MONDAY, 0, 20), ...halfHours(TUESDAY, 0, 20)];
  const parts = [
    dbn(
      at(MONDAY, 0),
      at(TUESDAY, 0),
      all.filter(({ ts }) => ts < at(TUESDAY, 0)),
    ),
    dbn(
      at(TUESDAY, 0),
      at(WEDNESDAY, 0),
      all.filter(({ ts }) => ts >= at(TUESDAY, 0)),
    ),
  ];
  const digests = [];
  for (const order of [
    parts,
    parts.toReversed(),
    [dbn(at(MONDAY, 0), at(WEDNESDAY, 0), all.toReversed())],
  ]) {
    const disk = new SimDisk().boot();
    for (const part of order) await importText(disk, 'es.dbn', part);
    const days = (await imported(disk))!.days.get('ESH6')!;
    digests.push([MONDAY, TUESDAY].map((day) => days.get(day)!.digest));
  }
  assert.deepEqual(digests[1], digests[0]);
  assert.deepEqual(digests[2], digests[0]);
});

test('a trade that was captured behind midnight joins its day, whichever file comes first', async () => {
  const late = {
    ts: at(MONDAY, DAY_NS - 1_000),
    price: 20_100,
    size: 3,
    side: 1 as const,
    received: at(TUESDAY, 50_000),
  };
  const first = dbn(at(MONDAY, 0), at(TUESDAY, 0), halfHours(MONDAY, 0, 20));
  const second = dbn(at(TUESDAY, 0), at(WEDNESDAY, 0), [late, ...halfHours(TUESDAY, 0, 20)]);
  for (const order of [
    [first, second, first, second],
    [second, first, second, first],
  ]) {
    const disk = new SimDisk().boot();
    for (const part of order) await importText(disk, 'es.dbn', part);
    const { received: _, ...trade } = late;
    assert.deepEqual(await rowsOn(disk, 'ESH6', MONDAY), [...halfHours(MONDAY, 0, 20), trade]);
    const days = (await imported(disk))!.days.get('ESH6')!;
    assert.equal(days.get(MONDAY)!.trades, 41);
    assert.deepEqual(days.get(MONDAY)!.gaps, []);
    assert.equal((await imported(disk))!.revision, 2);
  }
});

test('without a said range a day has what lies between its first and its last trade, and is completed later', async () => {
  const disk = new SimDisk().boot();
  // The market closes at 21:00 UTC and opens at 22:00.
  await importText(disk, 'morning.csv', csv(halfHours(TUESDAY, 0, 10)));
  const gaps = async () => (await imported(disk))!.days.get('ESH6')!.get(TUESDAY)!.gaps;
  assert.deepEqual(await gaps(), [
    [9.5 * HOUR_NS + 1, 21 * HOUR_NS],
    [22 * HOUR_NS, DAY_NS],
  ]);
  const noon = halfHours(TUESDAY, 10, 21).with(0, {
    ...halfHours(TUESDAY, 10, 11)[0]!,
    ts: at(TUESDAY, 9.6 * HOUR_NS),
  });
  const last = { ...noon.at(-1)!, ts: at(TUESDAY, 20.9 * HOUR_NS) };
  const result = await importText(disk, 'noon.csv', csv([...noon, last]));
  assert.deepEqual(statuses(result), ['ESH6 20260310 extended']);
  const holes = [
    [9.5 * HOUR_NS + 1, 9.6 * HOUR_NS],
    [20.9 * HOUR_NS + 1, 21 * HOUR_NS],
  ] as const;
  assert.deepEqual(await gaps(), [...holes, [22 * HOUR_NS, DAY_NS]]);
  const covers = { from: at(TUESDAY, 21 * HOUR_NS), to: at(WEDNESDAY, 0) };
  const evening = [{ ts: at(TUESDAY, 23 * HOUR_NS), price: 20_000, size: 1, side: 0 as const }];
  await importText(disk, 'evening.csv', csv(evening), { covers });
  assert.deepEqual(await gaps(), holes);
  const { sources } = (await imported(disk))!.days.get('ESH6')!.get(TUESDAY)!;
  assert.deepEqual(sources, ['morning.csv', 'noon.csv', 'evening.csv']);
  assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), [
    ...halfHours(TUESDAY, 0, 10),
    ...noon,
    last,
    ...evening,
  ]);
});

test('days without trades inside such a file are not on the tape, unless covered is said', async () => {
  const rows = [...halfHours(MONDAY, 0, 21), ...halfHours(WEDNESDAY, 0, 21)];
  const disk = new SimDisk().boot();
  const result = await importText(disk, 'es.csv', csv(rows));
  assert.deepEqual(statuses(result), ['ESH6 20260309 added', 'ESH6 20260311 added']);
  const covers = { from: at(MONDAY, 0), to: at(utcDay(20260312), 0) };
  const again = await importText(disk, 'es.csv', csv(rows), { covers });
  assert.deepEqual(statuses(again), [
    'ESH6 20260309 same',
    'ESH6 20260310 added',
    'ESH6 20260311 extended',
  ]);
});

test('other trades in hours that are there are refused with both, and nothing of the file counts', async () => {
  const machine = new SimDisk();
  const rows = halfHours(TUESDAY, 0, 20);
  await importText(machine.boot(), 'es.dbn', dbn(at(MONDAY, 0), at(WEDNESDAY, 0), rows));
  const before = machine.files().map((path) => [path, machine.bytes(path)]);
  const changed = rows.with(5, { ...rows[5]!, size: 99 });
  const other = dbn(at(MONDAY, 0), at(utcDay(20260312), 0), [
    ...changed,
    ...halfHours(WEDNESDAY, 0, 3),
  ]);
  const result = await importText(machine.boot(), 'other.dbn', other);
  assert.deepEqual(statuses(result), [
    'ESH6 20260309 same',
    'ESH6 20260310 refused',
    'ESH6 20260311 added',
  ]);
  const place = { ns: 2.5 * HOUR_NS, price: rows[5]!.price, side: 1 };
  assert.deepEqual(result.days[1]!.difference, {
    here: { ...place, size: rows[5]!.size },
    there: { ...place, size: 99 },
  });
  assert.deepEqual(
    machine.files().map((path) => [path, machine.bytes(path)]),
    before,
  );
  const disk = machine.boot();
  const replaced = await importText(disk, 'other.dbn', other, { mayReplace: true });
  assert.deepEqual(statuses(replaced)[1], 'ESH6 20260310 replaced');
  assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), changed);
  assert.equal((await imported(disk))!.days.get('ESH6')!.get(TUESDAY)!.origin, 'replaced');
  // Readers on the previous manifest still find its files; the next import removes them.
  assert.equal(machine.files().filter((path) => path.includes('/20260310-')).length, 4);
  await importing(machine.boot());
  assert.equal(machine.files().filter((path) => path.includes('/20260310-')).length, 2);
});

test('a damaged day is put back by the same file with replace', async () => {
  const machine = new SimDisk();
  const file = dbn(at(TUESDAY, 0), at(WEDNESDAY, 0), halfHours(TUESDAY, 0, 20));
  await importText(machine.boot(), 'es.dbn', file);
  const path = machine.files().find((one) => one.endsWith('.arrow'))!;
  machine.flip(path, machine.bytes(path)!.length >> 1, 3);
  await assert.rejects(rowsOn(machine.boot(), 'ESH6', TUESDAY), /checksum/);
  await importText(machine.boot(), 'es.dbn', file, { mayReplace: true });
  assert.equal((await rowsOn(machine.boot(), 'ESH6', TUESDAY)).length, 40);
});

test('trades that do not fit into memory are staged, and the days are the same', async () => {
  const rows = [...halfHours(MONDAY, 0, 20), ...halfHours(TUESDAY, 0, 20)];
  const mixed = rows.map((_, index) => rows[(index * 37) % rows.length]!);
  const digests = [];
  for (const rowsMax of [7, 1_000]) {
    const machine = new SimDisk();
    const disk = machine.boot();
    await importText(disk, 'es.csv', csv(mixed), { rowsMax });
    digests.push(
      [...(await imported(disk))!.days.get('ESH6')!.values()].map(({ digest }) => digest),
    );
    assert.deepEqual(
      machine.files().filter((path) => path.includes('staging')),
      [],
    );
  }
  assert.equal(digests[0]!.length, 2);
  assert.deepEqual(digests[0], digests[1]);
});

test('what is no contract is counted by name, a short name means the next to expire, zero sizes are left out', async () => {
  const disk = new SimDisk().boot();
  const row = (symbol: string, ns: number, size = '1') => ({
    symbol,
    ts: at(TUESDAY, ns),
    price: '5000.25',
    size,
    side: 1 as const,
  });
  const rows = [
    row('ESH6', 0),
    row('ESH6', MINUTE_NS, '0'),
    row('ESH6-ESM6', 1),
    row('NQH6', 2),
    row('NQH6', 3),
    row('ESH26', 2 * MINUTE_NS),
  ];
  const result = await importText(disk, 'es.csv', databentoText(rows, { isPretty: true }));
  assert.deepEqual(statuses(result), ['ESH6 20260310 added']);
  assert.equal(result.trades, 2);
  const left = [...result.leftOut].filter(([what]) => !what.startsWith('the last row'));
  assert.deepEqual(Object.fromEntries(left), {
    'size zero': 1,
    'trades of ESH6-ESM6, spread': 1,
    'trades of NQH6, no contract of the instruments then': 2,
  });
  await importText(disk, 'old.csv', csv(halfHours(utcDay(20160310), 0, 3)));
  assert.equal((await imported(disk))!.days.get('ESH16')!.size, 1);
});

test('sides that a file does not say are inferred by the tick rule on request only, day by day', async () => {
  const prices = [20_000, 20_000, 20_001, 20_001, 19_999];
  const rows = prices.map((price, index) => ({
    ts: at(TUESDAY, index * SECOND_NS),
    price,
    size: 1,
    side: 0 as const,
  }));
  const disk = new SimDisk().boot();
  const result = await importText(disk, 'es.csv', csv(rows), { hasTickRule: true });
  assert.equal(result.inferredSides, 3);
  assert.deepEqual(
    (await rowsOn(disk, 'ESH6', TUESDAY)).map(({ side }) => side),
    [0, 0, 1, 1, -1],
  );
  assert.equal((await imported(disk))!.days.get('ESH6')!.get(TUESDAY)!.sideRule, 'tick-rule');
});

test('trades outside of the calendar are there, are counted, and the day says so', async () => {
  const disk = new SimDisk().boot();
  // The market closes at 21:00 UTC and opens at 22:00.
  const pause = [21 * HOUR_NS, 21.5 * HOUR_NS].map((ns) => {
    return { ts: at(TUESDAY, ns), price: 20_000, size: 1, side: 1 as const };
  });
  const rows = [...halfHours(TUESDAY, 0, 21), ...pause];
  const result = await importText(disk, 'es.dbn', dbn(at(TUESDAY, 0), at(WEDNESDAY, 0), rows));
  assert.equal(result.days[0]!.imported!.outside, 2);
  assert.deepEqual(await rowsOn(disk, 'ESH6', TUESDAY), rows);
  const [day] = await (await ImportedTape.open(disk, TAPE_ROOT, DATASET.name)).days('ESH6');
  assert.deepEqual([day!.state, day!.outside], ['sealed', 2]);
  const none = await importText(
    disk,
    'all.dbn',
    dbn(at(MONDAY, 0), at(TUESDAY, 0), halfHours(MONDAY, 0, 3)),
  );
  assert.equal(none.days[0]!.imported!.outside, undefined);
});

test('a limited DBN file covers no more than its trades', async () => {
  const disk = new SimDisk().boot();
  const rows = halfHours(TUESDAY, 3, 5);
  await importText(disk, 'es.dbn', dbn(at(TUESDAY, 0), at(WEDNESDAY, 0), rows, 4n));
  assert.deepEqual((await imported(disk))!.days.get('ESH6')!.get(TUESDAY)!.covered, [
    [3 * HOUR_NS, 4.5 * HOUR_NS + 1],
  ]);
});
