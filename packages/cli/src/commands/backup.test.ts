import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { DATA_FORMAT } from '@tapeloom/server/platform/disk/data-format';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { printChecked } from '@tapeloom/server/tape/checked-json';
import { verifyTape } from '@tapeloom/server/tape/inspect/verify-tape';
import { openTape } from '@tapeloom/server/tape/write/open-tape';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { importDays } from '../../../server/testing/imported-dataset.ts';
import { intakeBatch } from '../../../server/testing/tape/feed-rows.ts';
import { tapeRows } from '../../../server/testing/tape/tape-on-sim-disk.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const root = mkdtempSync(join(tmpdir(), 'tapeloom-cli-backup-'));
after(() => rmSync(root, { recursive: true, force: true }));
const DAY = utcDay(20_260_105);
const NEXT_DAY = addDays(DAY, 1);
const LATER = addDays(DAY, 2);
const FAR = 4_000_000_000_000_000_000n as EpochNs;
let places = 0;

/** A data directory with accounts, a live tape in use and an imported dataset. */
async function usedDirectory() {
  places += 1;
  const data = join(root, `${places}`, 'data');
  const folder = join(root, `${places}`, 'backups');
  const run = (...words: readonly string[]) =>
    runRecorded(commands, words, { env: { TAPELOOM_DATA: data } });
  assert.equal((await run('account', 'create', 'acme')).code, 0);
  writeFileSync(join(data, 'instruments.yaml'), 'datasets: {}\n');
  writeFileSync(join(data, 'stream-epochs.json'), '{"epochs":{}}\n');
  await importDays(new NodeDisk(), join(data, 'tape'), 'OURS', [
    { symbol: 'QQB', day: DAY, rows: [[1, 2, 3, 1]] },
  ]);
  return { data, folder, run, elsewhere: join(root, `${places}`, 'restored') };
}

function openLive(data: string) {
  return openTape({
    disk: new NodeDisk(),
    tapeRoot: join(data, 'tape'),
    dataset: 'SIM',
    listed: () => ['ESZ6'],
    now: () => FAR,
    onFailure: (error) => assert.ifError(error),
  });
}

/** Paths below a directory, without lock and format files. */
function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^lock\.|^format\.json$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
}

test('backups of a running tape are incremental, and each restores to a directory that opens with what it had', async () => {
  const { data, folder, run, elsewhere } = await usedDirectory();
  await using tape = await openLive(data);
  await tape.intake.offer([intakeBatch('ESZ6', DAY, [[7, 1]])], epochNs(DAY, 5));
  const first = await run('backup', folder);
  assert.equal(first.code, 0, first.err);
  assert.match(first.out, /backups\/20.*\.json: \d+ files, .*; copied now: \d+, /);

  // Midnight passes: the day is sealed, its log is deleted and a new one begins.
  await tape.intake.offer([intakeBatch('ESZ6', DAY, [[8, 2]])], epochNs(NEXT_DAY, 5));
  await tape.intake.offer([intakeBatch('ESZ6', NEXT_DAY, [[9, 6]])], epochNs(NEXT_DAY, 7));
  await tape.intake.sealed();
  const second = await run('backup', folder, '--json');
  assert.equal(second.code, 0, second.err);
  const made = JSON.parse(second.out) as Record<string, number>;
  assert.ok(made.filesCopied! < made.files! - 3, second.out);
  await tape.intake.offer([intakeBatch('ESZ6', LATER, [[10, 6]])], epochNs(LATER, 7));
  await tape.intake.sealed();
  assert.equal((await run('backup', folder)).code, 0);

  const checked = await run('backup', 'verify', folder);
  assert.equal(checked.code, 0, checked.out);
  assert.match(checked.out, /^3 backups, \d+ files, .*: all are intact\.\n$/);
  assert.equal(statSync(folder).mode & 0o077, 0);

  const names = readdirSync(folder).filter((name) => /^20.*json$/.test(name));
  for (const [index, name] of names.entries()) {
    const at = name.slice(0, -'.json'.length);
    const place = `${elsewhere}-${index}`;
    const restored = await run('restore', folder, '--at', at, '--data', place);
    assert.equal(restored.code, 0, restored.err);
    assert.match(restored.out, /1 account, 0 keys/);
    for (const path of ['instruments.yaml', 'stream-epochs.json', 'tape/OURS/imported.json']) {
      assert.deepEqual(readFileSync(join(place, path)), readFileSync(join(data, path)));
    }
    assert.equal(statSync(join(place, 'accounts')).mode & 0o777, 0o700);
    assert.equal(statSync(join(place, 'accounts/accounts.db')).mode & 0o777, 0o600);
    assert.equal(existsSync(join(place, 'restoring')), false);
    const events = await Array.fromAsync(verifyTape(new NodeDisk(), join(place, 'tape')));
    assert.deepEqual(
      events.filter(({ type }) => type === 'finding'),
      [],
    );
    await using again = await openLive(place);
    assert.equal((await tapeRows(again.tape, 'ESZ6')).length, [1, 3, 4][index]);
    assert.deepEqual(again.report.setAside, []);
    assert.deepEqual(again.report.missing, []);
  }
});

test('every changed byte of a backup is found by verify and refused by restore, which leaves nothing behind', async () => {
  const { data, folder, run, elsewhere } = await usedDirectory();
  {
    await using tape = await openLive(data);
    await tape.intake.offer([intakeBatch('ESZ6', DAY, [[7, 1]])], epochNs(NEXT_DAY, 5));
    await tape.intake.offer([intakeBatch('ESZ6', NEXT_DAY, [[8, 6]])], epochNs(NEXT_DAY, 7));
    await tape.intake.sealed();
  }
  assert.equal((await run('backup', folder)).code, 0);
  const random = seededRandom(7);
  for (const path of filesBelow(folder)) {
    const file = join(folder, path);
    const bytes = readFileSync(file);
    const places = [0, bytes.length - 1, Math.floor(random() * bytes.length)];
    for (const place of new Set(places)) {
      const changed = Buffer.from(bytes);
      changed[place]! ^= 1 << Math.floor(random() * 8);
      writeFileSync(file, changed);
      const told = `${path} at ${place}`;
      assert.equal((await run('backup', 'verify', folder)).code, 1, told);
      assert.equal((await run('restore', folder, '--data', elsewhere)).code, 1, told);
      assert.deepEqual(filesBelow(elsewhere), [], told);
    }
    writeFileSync(file, bytes);
  }
  for (const path of filesBelow(folder).filter((each) => each.startsWith('files/'))) {
    const file = join(folder, path);
    const bytes = readFileSync(file);
    rmSync(file);
    assert.equal((await run('backup', 'verify', folder)).code, 1, path);
    assert.equal((await run('restore', folder, '--data', elsewhere)).code, 1, path);
    writeFileSync(file, bytes);
  }
  assert.equal((await run('restore', folder, '--data', elsewhere)).code, 0);
});

test('a restore overwrites nothing, and can bring the accounts alone', async () => {
  const { data, folder, run } = await usedDirectory();
  assert.equal((await run('backup', folder)).code, 0);
  const refused = await run('restore', folder);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /exists and is not overwritten; move it away/);
  cpSync(join(data, 'accounts'), join(data, 'accounts-lost'), { recursive: true });
  rmSync(join(data, 'accounts'), { recursive: true });
  assert.match((await run('restore', folder)).err, /(?:tape|instruments\.yaml) already exists/);
  assert.equal((await run('restore', folder, '--only', 'tape')).code, 2);
  const tape = filesBelow(join(data, 'tape'));
  assert.equal((await run('restore', folder, '--only', 'accounts')).code, 0);
  assert.deepEqual(filesBelow(join(data, 'tape')), tape);
  assert.match((await run('account', 'list')).out, /acme/);
});

test('a damaged day is reported, and the sound copy of the backup before it stays', async () => {
  const { data, folder, run, elsewhere } = await usedDirectory();
  assert.equal((await run('backup', folder)).code, 0);
  const days = join(data, 'tape/OURS/days/QQB');
  const arrow = join(days, readdirSync(days).find((name) => name.endsWith('.arrow'))!);
  const sound = readFileSync(arrow);
  const bytes = Buffer.from(sound);
  bytes[100]! ^= 1;
  writeFileSync(arrow, bytes);
  const second = await run('backup', folder);
  assert.equal(second.code, 1);
  assert.match(second.err, /QQB\/.*\.arrow is damaged; earlier backups may contain an intact copy/);
  const first = readdirSync(folder).find((name) => /^20.*json$/.test(name))!;
  const at = first.slice(0, -'.json'.length);
  assert.equal((await run('restore', folder, '--at', at, '--data', elsewhere)).code, 0);
  assert.deepEqual(readFileSync(arrow.replace(data, elsewhere)), sound);
});

test('the oldest backups go with what no other has, unless a record cannot be read', async () => {
  const { data, folder, run } = await usedDirectory();
  for (let night = 0; night < 3; night += 1) {
    writeFileSync(join(data, 'stream-epochs.json'), `{"epochs":{"${night}":1}}\n`);
    assert.equal((await run('backup', folder, '--backups', '2')).code, 0);
  }
  const records = () => readdirSync(folder).filter((name) => /^20.*json$/.test(name));
  assert.equal(records().length, 2);
  assert.match((await run('backup', 'verify', folder)).out, /^2 backups/);
  const named = new Set(
    records().flatMap((name) =>
      JSON.parse(readFileSync(join(folder, name), 'utf8')).files.map(
        (file: { sha256: string }) => file.sha256,
      ),
    ),
  );
  assert.equal(filesBelow(join(folder, 'files')).length, named.size);
  writeFileSync(join(folder, records()[1]!), '{}');
  assert.equal((await run('backup', folder, '--backups', '2')).code, 0);
  assert.equal(records().length, 3);
});

test('a newer format, a folder without backups and a file in its place are refused in a sentence', async () => {
  const { data, folder, run, elsewhere } = await usedDirectory();
  assert.match((await run('restore', root, '--data', elsewhere)).err, /there is no backup in/);
  assert.match((await run('backup', 'verify', root)).err, /there is no backup in/);
  const newer = { version: 1, at: '2999-01-01T00:00:00.000Z', program: '9.0.0', files: [] };
  assert.equal((await run('backup', folder)).code, 0);
  writeFileSync(
    join(folder, '2999-01-01T00-00-00.000Z.json'),
    printChecked({ ...newer, format: DATA_FORMAT + 1, data: '/x' }),
  );
  assert.match(
    (await run('restore', folder, '--data', elsewhere)).err,
    /Install Tapeloom 9\.0\.0 or later/,
  );
  writeFileSync(join(data, 'a-file'), '');
  assert.equal((await run('backup', join(data, 'a-file'))).code, 1);
  assert.equal((await run('backup', folder, '--backups', '0')).code, 2);
});
