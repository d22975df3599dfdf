import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook } from '@tapeloom/core/calendar/session-book';
import type { Rank } from '@tapeloom/core/numbers';
import { allocateBatch } from '@tapeloom/core/trade-batch';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { nameCluster } from '@tapeloom/server/tape/shared/shared-directory';
import { TapeManifest } from '@tapeloom/server/tape/tape-manifest';
import { sealDay } from '@tapeloom/server/tape/write/seal/seal';
import { SessionStore } from '@tapeloom/server/tape/write/session-store';
import { importDays } from '../../../server/testing/imported-dataset.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const data = mkdtempSync(join(tmpdir(), 'tapeloom-cli-rm-'));
after(() => rmSync(data, { recursive: true }));
const disk = new NodeDisk();
const rm = (...args: readonly string[]) =>
  runRecorded(commands, ['tape', 'rm', '--data', data, '--yes', ...args]);

before(async () => {
  const now = epochNs(utcDay(20250401), 0);
  const calendar = calendarNamed('round-the-clock');
  const book = extendSessionBook(null, calendar, utcDay(20250201), utcDay(20250501), now);
  for (const dataset of ['SIM', 'GLBX']) {
    await new SessionStore(disk, `${data}/tape`, dataset).save(book);
  }
  const rows = [[1, 2, 3, 1]] as const;
  const days = [20250303, 20250304, 20250305].map(utcDay);
  for (const symbol of ['ESH5', 'NQH5']) {
    const own = days.map((day) => ({ symbol, day, rows }));
    await importDays(disk, `${data}/tape`, 'GLBX', own);
  }
  for (const day of days) {
    const batch = allocateBatch(day, 1 as Rank, 1);
    await sealDay(disk, `${data}/tape`, { dataset: 'SIM', symbol: 'BTC-PERP', batch });
  }
  await (await TapeManifest.open(disk, `${data}/tape`, 'SIM')).save();
});

test('a dry run says what would go, and nothing does', async () => {
  const { code, out } = await rm('--before', '2025-03-05', '--dry-run');
  assert.equal(code, 0);
  assert.equal(
    out,
    `dataset  contract  to remove  first       last        kept from
GLBX     ESH5              2  2025-03-03  2025-03-04  2025-03-05
GLBX     NQH5              2  2025-03-03  2025-03-04  2025-03-05
SIM      BTC-PERP          2  2025-03-03  2025-03-04  2025-03-05
`,
  );
  assert.equal((await rm('--before', '2025-03-05', '--dry-run')).out, out);
});

test('days go after a question or --yes only', async () => {
  const words = ['tape', 'rm', '--data', data, '--before', '2025-03-05'];
  const unasked = await runRecorded(commands, words);
  assert.equal(unasked.code, 2);
  assert.match(unasked.err, /no terminal to ask on; add --yes/);
  const refused = await runRecorded(commands, words, { answers: ['n'] });
  assert.deepEqual([refused.code, refused.err], [1, 'Nothing was removed.\n']);
  assert.match((await rm('--before', '2025-03-05', '--dry-run')).out, /^GLBX +ESH5 +2 /m);
});

test('days of a tape that a cluster has do not go on one of its nodes alone', async () => {
  const shared = mkdtempSync(join(tmpdir(), 'tapeloom-cli-rm-shared-'));
  try {
    const tapeRoot = `${shared}/tape`;
    const batch = allocateBatch(utcDay(20250303), 1 as Rank, 1);
    await sealDay(disk, tapeRoot, { dataset: 'SIM', symbol: 'BTC-PERP', batch });
    await (await TapeManifest.open(disk, tapeRoot, 'SIM')).save();
    await nameCluster(disk, tapeRoot, 'SIM', 'cluster_1');
    const words = ['tape', 'rm', '--data', shared, '--before', '2025-03-05'];
    const { code, err } = await runRecorded(commands, words);
    assert.equal(code, 1);
    assert.match(err, /SIM is of the cluster cluster_1, .* with TAPELOOM_KEEP_DAYS\.$/m);
    const manifest = await TapeManifest.open(disk, tapeRoot, 'SIM');
    assert.equal(manifest.days.size, 1);
    assert.equal((await runRecorded(commands, [...words, '--dry-run'])).code, 0);
  } finally {
    rmSync(shared, { recursive: true });
  }
});

test('while a service runs, imported days may go and live ones may not', async () => {
  using _service = lockDirectory(data);
  const live = await rm('--before', '2025-03-04', '--dataset', 'SIM');
  assert.equal(live.code, 1);
  assert.match(live.err, /The service removes days itself with TAPELOOM_KEEP_DAYS\.\n$/);
  const imported = await rm('--before', '2025-03-04', '--dataset', 'GLBX', '--contract', 'ESH5');
  assert.equal(imported.code, 0);
  assert.match(imported.out, /^GLBX {5}ESH5 {12}1 .* 2025-03-04$/m);
  assert.equal((await disk.list(`${data}/tape/GLBX/days/ESH5`)).length, 4);
  using _import = lockDirectory(`${data}/tape/GLBX`);
  const held = await rm('--before', '2025-03-04', '--dataset', 'GLBX');
  assert.match(held.err, /Wait until the import has finished\.\n$/);
});

test('live days go while no service runs, but not the last ones', async () => {
  const removed = await rm('--before', '2025-03-05', '--dataset', 'SIM', '--json');
  assert.deepEqual(JSON.parse(removed.out), {
    isDryRun: false,
    removed: [
      {
        dataset: 'SIM',
        symbol: 'BTC-PERP',
        keptFrom: 20250305,
        days: [20250303, 20250304],
      },
    ],
  });
  assert.equal(
    (await rm('--before', '2025-03-05', '--dataset', 'SIM')).out,
    'Nothing to remove.\n',
  );
  const recent = await rm('--before', '2999-01-01');
  assert.equal(recent.code, 2);
  assert.match(recent.err, /SIM is live: --before must be \d{4}-\d\d-\d\d or earlier/);
  const all = await rm('--before', '2999-01-01', '--dataset', 'GLBX');
  assert.equal(all.code, 0);
  const none = await rm('--before', '2999-01-01', '--dataset', 'GLBS');
  assert.match(none.err, /there is no dataset GLBS on the tape; there are GLBX, SIM/);
});
