import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook } from '@tapeloom/core/calendar/session-book';
import type { Rank } from '@tapeloom/core/numbers';
import { allocateBatch } from '@tapeloom/core/trade-batch';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { importDays } from '../../testing/imported-dataset.ts';
import { lockDirectory } from '../platform/directory-lock.ts';
import { NodeDisk } from '../platform/node-disk.ts';
import { readImported } from '../tape/imported/imported-manifest.ts';
import { TapeManifest } from '../tape/tape-manifest.ts';
import { sealDay } from '../tape/write/seal.ts';
import { SessionStore } from '../tape/write/session-store.ts';
import { removeOldImportedDays, removeOldLiveDays } from './old-days.ts';

const data = mkdtempSync(join(tmpdir(), 'tapeloom-old-days-'));
after(() => rmSync(data, { recursive: true }));
const disk = new NodeDisk();
const place = { disk, data, keepDays: 30 };
const TODAY = utcDay(20260401);

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
