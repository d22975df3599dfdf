/** Files that repair the finished days of a live dataset. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UtcDay } from '@tapeloom/core/numbers';
import { HOUR_NS } from '@tapeloom/core/units';
import { addDays } from '@tapeloom/core/utc-day';
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
  MONDAY,
  type Row,
  rowsOn,
  statuses,
  TAPE_ROOT,
  TUESDAY,
  WEDNESDAY,
} from '../../testing/imports.ts';
import { liveDays, sealLiveDays } from '../../testing/live-days.ts';
import type { Disk } from '../platform/disk/disk.ts';
import { openStoredTape } from '../tape/read/stored-tape.ts';
import { SessionStore } from '../tape/write/session-store.ts';

const SYMBOL = 'ESH6';
/** ES is open until 21:00 and from 22:00 on. */
const WHOLE = [...halfHours(TUESDAY, 0, 21), ...halfHours(TUESDAY, 22, 24)];
const GAP = new Map([[TUESDAY, [[10 * HOUR_NS, 12 * HOUR_NS]] as const]]);
const hourOf = ({ ts }: Row) => Number(ts % 86_400_000_000_000n) / HOUR_NS;
const outsideGap = WHOLE.filter((row) => hourOf(row) < 10 || hourOf(row) >= 12);
const whole = (rows: readonly Row[]) => dbn(at(TUESDAY, 0), at(WEDNESDAY, 0), rows);
const changed = (rows: readonly Row[], hour: number) =>
  rows.map((row) => (hourOf(row) === hour ? { ...row, size: row.size + 1 } : row));

async function withLive(rows: readonly Row[]): Promise<Disk> {
  const disk = new SimDisk().boot();
  await sealLiveDays(disk, [{ symbol: SYMBOL, day: TUESDAY, rows }], WEDNESDAY);
  return disk;
}

const dayIn = async (disk: Disk, day: UtcDay) =>
  (await imported(disk))?.days.get(SYMBOL)?.get(day) ?? null;

async function importedAlone(content: string | Uint8Array) {
  const disk = new SimDisk().boot();
  await importText(disk, 'alone', content);
  return await dayIn(disk, TUESDAY);
}

/** As readers find it, without asking the import. */
async function read(disk: Disk, day: UtcDay) {
  const tape = await openStoredTape(disk, TAPE_ROOT, 'GLBX');
  return (await tape.days(SYMBOL)).find((one) => one.day === day) ?? null;
}

test('a file of a whole day equal to the live day changes nothing, and another one needs --replace', async () => {
  const disk = await withLive(WHOLE);
  const live = await liveDays(disk);
  const same = await importText(disk, 'same.dbn', whole(WHOLE), { live });
  assert.deepEqual(statuses(same), [`ESH6 ${TUESDAY} same`]);
  assert.equal(same.days[0]!.imported!.trades, WHOLE.length);
  const part = halfHours(TUESDAY, 3, 5);
  assert.deepEqual(statuses(await importText(disk, 'part.csv', csv(part), { live })), [
    `ESH6 ${TUESDAY} same`,
  ]);
  const other = changed(WHOLE, 3);
  const refused = await importText(disk, 'other.dbn', whole(other), { live });
  assert.deepEqual(statuses(refused), [`ESH6 ${TUESDAY} refused`]);
  assert.equal(refused.days[0]!.difference!.here!.ns, 3 * HOUR_NS);
  assert.equal(await imported(disk), null);
  assert.equal((await read(disk, TUESDAY))!.origin, undefined);

  const replacing = { live, mayReplace: true };
  const replaced = await importText(disk, 'other.dbn', whole(other), replacing);
  assert.deepEqual(statuses(replaced), [`ESH6 ${TUESDAY} repaired`]);
  const alone = await importedAlone(whole(other));
  assert.equal((await dayIn(disk, TUESDAY))!.digest, alone!.digest);
  const { digest, origin, state } = (await read(disk, TUESDAY))!;
  assert.deepEqual([digest, origin, state], [alone!.digest, 'replaced', 'sealed']);
  const again = await importText(disk, 'other.dbn', whole(other), { live });
  assert.deepEqual(statuses(again), [`ESH6 ${TUESDAY} same`]);
  assert.deepEqual(
    statuses(await importText(disk, 'part.csv', csv(changed(part, 4)), { live })),
    [`ESH6 ${TUESDAY} refused`],
    'a repaired day is an imported one',
  );
});

test('a day with a gap is replaced by a file of the whole day, and equals the same day imported alone', async () => {
  // A late trade of the live tape is stamped after it was traded.
  const late = outsideGap.map((row) => (hourOf(row) === 9 ? { ...row, ts: row.ts + 7n } : row));
  const disk = await withLive(late);
  const live = await liveDays(disk, GAP);
  for (const [name, content, covers] of [
    ['whole.dbn', whole(WHOLE), null],
    ['whole.csv', csv(WHOLE), 'whole-days'],
  ] as const) {
    const trial = await withLive(late);
    const result = await importText(trial, name, content, { live, covers });
    assert.deepEqual(statuses(result), [`ESH6 ${TUESDAY} repaired`]);
    const { at: _, sources, ...day } = (await dayIn(trial, TUESDAY))!;
    const { at: __, sources: ___, ...alone } = (await importedAlone(whole(WHOLE)))!;
    assert.deepEqual(day, { ...alone, origin: 'replaced' });
    assert.deepEqual(sources, [name]);
  }
});

test('a file of a part of a day with a gap fills that part, and the rest stays that of the live tape', async () => {
  const disk = await withLive(changed(outsideGap, 15));
  const live = await liveDays(disk, GAP);
  const first = WHOLE.filter((row) => hourOf(row) >= 9 && hourOf(row) < 11);
  const covers = (from: number, to: number) => ({
    from: at(TUESDAY, from * HOUR_NS),
    to: at(TUESDAY, to * HOUR_NS),
  });
  const one = await importText(disk, 'first.csv', csv(first), { live, covers: covers(9, 11) });
  assert.deepEqual(statuses(one), [`ESH6 ${TUESDAY} repaired`]);
  const day = (await dayIn(disk, TUESDAY))!;
  assert.deepEqual(day.gaps, [[11 * HOUR_NS, 12 * HOUR_NS]]);
  assert.deepEqual(day.live, [
    [0, 9 * HOUR_NS],
    [12 * HOUR_NS, 24 * HOUR_NS],
  ]);
  assert.equal((await read(disk, TUESDAY))!.state, 'partial');
  const other = await importText(disk, 'other.csv', csv(changed(first, 9.5)), {
    live,
    covers: covers(9, 11),
  });
  assert.deepEqual(statuses(other), [`ESH6 ${TUESDAY} refused`], 'hours of a file need --replace');
  const rest = WHOLE.filter((row) => hourOf(row) >= 11 && hourOf(row) < 16);
  const two = await importText(disk, 'rest.csv', csv(rest), { live, covers: covers(11, 16) });
  assert.deepEqual(statuses(two), [`ESH6 ${TUESDAY} replaced`]);
  assert.deepEqual(await rowsOn(disk, SYMBOL, TUESDAY), WHOLE);
  assert.deepEqual((await dayIn(disk, TUESDAY))!.gaps, []);
  const difference = await importText(disk, 'more.csv', csv(changed(WHOLE, 20)), { live });
  assert.deepEqual(statuses(difference), [`ESH6 ${TUESDAY} refused`], 'the day is whole now');
});

test('a damaged live day is refused, and replaced if that is asked for', async () => {
  const disk = await withLive(WHOLE);
  await disk.remove(`${TAPE_ROOT}/GLBX/days/${SYMBOL}/${TUESDAY}.arrow`);
  const live = await liveDays(disk);
  const refused = await importText(disk, 'whole.dbn', whole(WHOLE), { live });
  assert.deepEqual(statuses(refused), [`ESH6 ${TUESDAY} refused`]);
  assert.equal(refused.days[0]!.difference, null);
  const repaired = await importText(disk, 'whole.dbn', whole(WHOLE), { live, mayReplace: true });
  assert.deepEqual(statuses(repaired), [`ESH6 ${TUESDAY} repaired`]);
  assert.equal((await read(disk, TUESDAY))!.state, 'sealed');
});

test('days before the first live day are added, and a day that may still grow refuses the file', async () => {
  const disk = await withLive(WHOLE);
  const monday = halfHours(MONDAY, 0, 21);
  const live = await liveDays(disk);
  const before = await importText(disk, 'monday.csv', csv(monday), { live, covers: 'whole-days' });
  assert.deepEqual(statuses(before), [`ESH6 ${MONDAY} added`]);
  const both = [...monday, ...halfHours(WEDNESDAY, 0, 3)];
  const refused = await importText(disk, 'both.csv', csv(both), { live, covers: 'whole-days' });
  assert.deepEqual(statuses(refused), [`ESH6 ${MONDAY} same`, `ESH6 ${WEDNESDAY} refused`]);
  assert.equal(refused.days[1]!.isUnfinished, true);
  assert.deepEqual([...(await imported(disk))!.days.get(SYMBOL)!.keys()], [MONDAY]);
  const days = await (await openStoredTape(disk, TAPE_ROOT, 'GLBX')).days(SYMBOL);
  assert.deepEqual(
    days.map(({ day }) => day),
    [MONDAY, TUESDAY],
  );
  const empty = new SimDisk().boot();
  const anyDay = await importText(empty, 'both.csv', csv(both), {
    live: await liveDays(empty),
    covers: 'whole-days',
  });
  assert.ok(
    anyDay.days.every(({ status }) => status === 'added'),
    'the live tape is empty',
  );
});

test('files of one import are judged together, and a declared range counts live days that stay as they are', async () => {
  const disk = await withLive(WHOLE);
  const importIt = await importing(disk, undefined, await liveDays(disk));
  await addText(importIt, 'monday.csv', csv(halfHours(MONDAY, 0, 21)));
  await addText(importIt, 'tuesday.csv', csv(WHOLE));
  const covers = { from: at(MONDAY, 0), to: at(WEDNESDAY, 0) };
  const claim = await importIt.cover({ contract: null, covers, mayReplace: false });
  assert.deepEqual(statuses(claim), [`ESH6 ${MONDAY} extended`, `ESH6 ${TUESDAY} same`]);
});

test('an import leaves the live tape and the books of its writer alone, and reaches further back with its own', async () => {
  const disk = await withLive(WHOLE);
  const store = new SessionStore(disk, TAPE_ROOT, 'GLBX');
  const long = addDays(TUESDAY, -400);
  const live = await liveDays(disk);
  const old = [{ ...WHOLE[5]!, ts: at(long, 15 * HOUR_NS) }];
  await importText(disk, 'old.csv', csv(old), { live, covers: 'whole-days' });
  assert.deepEqual(await disk.list(`${TAPE_ROOT}/GLBX/sessions`), []);
  const [calendar] = await store.calendars();
  const book = (await store.load(calendar!))!;
  assert.ok(book.from < long);
  await importText(disk, 'old.csv', csv(old), { live, covers: 'whole-days' });
  const names = await disk.list(`${TAPE_ROOT}/GLBX/days/${SYMBOL}`);
  assert.ok(names.includes(`${TUESDAY}.arrow`) && names.includes(`${TUESDAY}.json`));
});
