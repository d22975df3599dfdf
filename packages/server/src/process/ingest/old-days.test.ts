import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook } from '@tapeloom/core/calendar/session-book';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { allocateBatch } from '@tapeloom/core/trade-batch';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { importDays } from '../../../testing/imported-dataset.ts';
import { lockDirectory } from '../../platform/disk/directory-lock.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { readImported } from '../../tape/imported/imported-manifest.ts';
import { TapeManifest } from '../../tape/tape-manifest.ts';
import { sealDay } from '../../tape/write/seal/seal.ts';
import { SessionStore } from '../../tape/write/session-store.ts';
import type { OldDaysNews } from './large-removals.ts';
import { removeOldImportedDays, removeOldLiveDays, removeRepairsOfGoneDays } from './old-days.ts';

const data = mkdtempSync(join(tmpdir(), 'tapeloom-old-days-'));
after(() => rmSync(data, { recursive: true }));
const disk = new NodeDisk();
const TODAY = utcDay(20260401);
const told: OldDaysNews[] = [];
const place = {
  ...{ disk, data, keepDays: 30, now: epochNs(TODAY, 0) },
  tell: (news: OldDaysNews) => told.push(news),
};

before(async () => {
  const calendar = calendarNamed('round-the-clock');
  const now = epochNs(TODAY, 0);
  const book = extendSessionBook(null, calendar, utcDay(20190101), utcDay(20260501), now);
  for (const dataset of ['SIM', 'GLBX']) {
    await new SessionStore(disk, `${data}/tape`, dataset).save(book);
  }
});

test('live days older than those to be kept go, with the results that were kept of them', async () => {
  const days = [-40, -31, -30, -1].map((back) => addDays(TODAY, back));
  for (const day of days) {
    const batch = allocateBatch(day, 1 as Rank, 1);
    await sealDay(disk, `${data}/tape`, { dataset: 'SIM', symbol: 'ESM6', batch });
  }
  const results = `${data}/cache/settled/SIM/ESM6`;
  await disk.makeDirectory(results);
  for (const day of days) {
    await using _file = await disk.open(`${results}/${day}-bars-0.result`, 'create');
  }
  const manifest = await TapeManifest.open(disk, `${data}/tape`, 'SIM');
  const removals = await removeOldLiveDays(place, 'SIM', manifest, TODAY, () => null);
  assert.deepEqual(removals, [{ symbol: 'ESM6', keptFrom: days[2], days: days.slice(0, 2) }]);
  assert.equal((await disk.list(`${data}/tape/SIM/days/ESM6`)).length, 4);
  assert.equal((await disk.list(results)).length, 2);
  assert.deepEqual(await removeOldLiveDays(place, 'SIM', manifest, TODAY, () => null), []);
  const range = { first: days[0], last: days[1] };
  assert.deepEqual(told, [{ dataset: 'SIM', days: 2, ...range, daysKept: 4, dueAt: null }]);
});

test('imported days are counted from the newest of their dataset, and an import is not disturbed', async () => {
  const newest = utcDay(20190601);
  const old = addDays(newest, -31);
  const rows = [[1, 2, 3, 1]] as const;
  await importDays(disk, `${data}/tape`, 'GLBX', [
    { symbol: 'ESM9', day: old, rows },
    { symbol: 'ESM9', day: newest, rows },
  ]);
  const left = async () => {
    const manifest = await readImported(disk, `${data}/tape`, 'GLBX');
    return [...manifest!.days.get('ESM9')!.keys()];
  };
  {
    using _import = lockDirectory(`${data}/tape/GLBX`);
    await removeOldImportedDays(place);
    assert.deepEqual(await left(), [old, newest]);
  }
  await removeOldImportedDays(place);
  assert.deepEqual(await left(), [newest]);
});

test('days that are more than a tenth and a week go a day after they were announced, also over a restart', async () => {
  const newest = utcDay(20190601);
  const rows = [[1, 2, 3, 1]] as const;
  const all = Array.from({ length: 40 }, (_, back) => addDays(newest, -back));
  const days = all.map((day) => ({ symbol: 'ESM9', day, rows }));
  await importDays(disk, `${data}/tape`, 'LARGE', days);
  const book = extendSessionBook(
    null,
    calendarNamed('round-the-clock'),
    utcDay(20190101),
    utcDay(20190701),
    epochNs(newest, 0),
  );
  await new SessionStore(disk, `${data}/tape`, 'LARGE').save(book);
  const HOUR_NS = 3_600_000_000_000n;
  /** The news at a time, and how many days are left. */
  const lookAfter = async (hours: bigint, keepDays = 30) => {
    told.length = 0;
    const now = (place.now + hours * HOUR_NS) as EpochNs;
    await removeOldImportedDays({ ...place, keepDays, now });
    const manifest = await readImported(disk, `${data}/tape`, 'LARGE');
    const dueIn = told.map(({ dueAt }) => dueAt && (dueAt - place.now) / HOUR_NS);
    return [dueIn, manifest!.days.get('ESM9')!.size];
  };
  assert.deepEqual(await lookAfter(0n), [[24n], 40]);
  assert.deepEqual(await lookAfter(23n), [[24n], 40]);
  assert.deepEqual(await lookAfter(23n, 31), [[47n], 40], 'another setting is another warning');
  assert.deepEqual(await lookAfter(100n, 31), [[124n], 40], 'an old warning is none');
  assert.deepEqual(await lookAfter(124n, 31), [[null], 32]);
  assert.deepEqual(await lookAfter(125n), [[null], 31], 'a day more is no tenth');
  assert.deepEqual(await lookAfter(126n), [[], 31]);
});

test('imported days of a live dataset go with its own, counted from today, unless an import runs', async () => {
  const days = [-40, -31, -30].map((back) => addDays(TODAY, back));
  const calendar = calendarNamed('round-the-clock');
  const [from, to] = [utcDay(20190101), utcDay(20260501)];
  const book = extendSessionBook(null, calendar, from, to, epochNs(TODAY, 0));
  await new SessionStore(disk, `${data}/tape`, 'FEED').save(book);
  const early = addDays(TODAY, -50);
  const rows = [[1, 2, 3, 1]] as const;
  await importDays(disk, `${data}/tape`, 'FEED', [
    { symbol: 'ESM6', day: early, rows },
    { symbol: 'ESM6', day: days[2]!, rows },
  ]);
  for (const day of days) {
    const batch = allocateBatch(day, 1 as Rank, 1);
    await sealDay(disk, `${data}/tape`, { dataset: 'FEED', symbol: 'ESM6', batch });
  }
  const manifest = await TapeManifest.open(disk, `${data}/tape`, 'FEED');
  await manifest.save();
  const importedDays = async () => [
    ...((await readImported(disk, `${data}/tape`, 'FEED'))!.days.get('ESM6')?.keys() ?? []),
  ];
  await removeOldImportedDays(place);
  assert.deepEqual(await importedDays(), [early, days[2]], 'its age counts from today');
  {
    using _import = lockDirectory(`${data}/tape/FEED`);
    const removals = await removeOldLiveDays(place, 'FEED', manifest, TODAY, () => null);
    assert.deepEqual(
      removals.map((one) => one.days),
      [days.slice(0, 2)],
    );
    assert.deepEqual(await importedDays(), [early, days[2]]);
  }
  const removals = await removeOldLiveDays(place, 'FEED', manifest, TODAY, () => null);
  assert.deepEqual(removals, [{ symbol: 'ESM6', keptFrom: days[2], days: [early] }]);
  assert.deepEqual(await importedDays(), [days[2]]);
  assert.equal((await disk.list(`${data}/tape/FEED/days/ESM6`)).length, 4);
});

test('on a node that follows, imported days go with those that the appending node has removed', async () => {
  const [old, kept] = [addDays(TODAY, -45), addDays(TODAY, -20)];
  const rows = [[1, 2, 3, 1]] as const;
  await importDays(disk, `${data}/tape`, 'COPY', [
    { symbol: 'ESM6', day: old, rows },
    { symbol: 'ESM6', day: kept, rows },
  ]);
  const importedDays = async () => [
    ...(await readImported(disk, `${data}/tape`, 'COPY'))!.days.get('ESM6')!.keys(),
  ];
  const remove = (keptFrom: ReadonlyMap<string, typeof old>) =>
    removeRepairsOfGoneDays(place, 'COPY', { keptFrom });
  await remove(new Map([['NQM6', kept]]));
  assert.deepEqual(await importedDays(), [old, kept]);
  await remove(new Map([['ESM6', addDays(TODAY, -30)]]));
  assert.deepEqual(await importedDays(), [kept]);
});
