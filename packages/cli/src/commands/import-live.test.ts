/** `tapeloom import` into a dataset whose trades are pushed, and what other commands make of its repaired days. */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import type { UtcDay } from '@tapeloom/core/numbers';
import { HOUR_NS } from '@tapeloom/core/units';
import { datasetFiles } from '@tapeloom/server/operations/backup/data-files';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { readImported } from '@tapeloom/server/tape/imported/imported-manifest';
import { TapeManifest } from '@tapeloom/server/tape/tape-manifest';
import { sealDay } from '@tapeloom/server/tape/write/seal/seal';
import { batchOf, type TradeRow } from '../../../server/testing/imported-dataset.ts';
import {
  dbn,
  halfHours,
  at as instant,
  MONDAY,
  type Row,
  TUESDAY,
  WEDNESDAY,
} from '../../../server/testing/imports.ts';
import { RecordedIo } from '../../testing/recorded-io.ts';
import type { CommandBody } from '../command.ts';
import { importCommand } from './import.ts';
import { tapeCompareCommand } from './tape-compare.ts';
import { tapeLsCommand } from './tape-ls.ts';
import { tapeRmCommand } from './tape-rm.ts';
import { tapeVerifyCommand } from './tape-verify.ts';

const scratch = mkdtempSync(join(tmpdir(), 'import-live-'));
const data = join(scratch, 'data');
const disk = new NodeDisk();
const DAY_NS = 86_400_000_000_000n;
const instruments = (live: object) => ({
  datasets: {
    GLBX: {
      ...live,
      products: { ES: { extends: 'ES', contracts: { from: '2026-03', to: '2026-06' } } },
    },
  },
});
const WHOLE = [...halfHours(TUESDAY, 0, 21), ...halfHours(TUESDAY, 22, 24)];
const GAP = [10 * HOUR_NS, 12 * HOUR_NS] as const;
const inGap = ({ ts }: Row) => Number(ts % DAY_NS) >= GAP[0] && Number(ts % DAY_NS) < GAP[1];

beforeEach(async () => {
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data);
  const applied = JSON.stringify(instruments({ live: { source: 'push' } }));
  writeFileSync(join(data, 'instruments.yaml'), applied);
  const rows = WHOLE.filter((row) => !inGap(row)).map(({ ts, price, size, side }): TradeRow => {
    return [Number(ts % DAY_NS), price, size, side];
  });
  const batch = batchOf(TUESDAY, rows);
  await sealDay(disk, `${data}/tape`, { dataset: 'GLBX', symbol: 'ESH6', batch, gaps: [GAP] });
  const manifest = await TapeManifest.open(disk, `${data}/tape`, 'GLBX');
  await manifest.logBegun(WEDNESDAY);
  // The log itself does not matter here.
  await manifest.save();
});
after(() => rmSync(scratch, { recursive: true }));

function file(name: string, from: UtcDay, to: UtcDay, rows: readonly Row[]): string {
  const path = join(scratch, name);
  writeFileSync(path, dbn(instant(from, 0), instant(to, 0), rows));
  return path;
}

async function run(command: CommandBody, words: readonly string[]) {
  const io = new RecordedIo({});
  const code = await command.run([...words, '--data', data], io);
  return { code, out: io.out, err: io.err };
}

const monday = () => file('monday.dbn', MONDAY, TUESDAY, halfHours(MONDAY, 0, 21));
const tuesday = () => file('tuesday.dbn', TUESDAY, WEDNESDAY, WHOLE);
const wednesday = () =>
  file('wednesday.dbn', WEDNESDAY, (WEDNESDAY + 1) as UtcDay, halfHours(WEDNESDAY, 0, 3));

test('finished days of a live dataset are imported, and told as repaired', async () => {
  const before = await run(tapeCompareCommand, [tuesday()]);
  assert.equal(before.code, 0, 'where the tape has all trades, they agree');
  const { code, out, err } = await run(importCommand, [monday(), tuesday()]);
  assert.equal(code, 0, err);
  assert.match(out, /ESH6 +2 +\d+ +2026-03-09 +2026-03-10 +1 added, 1 repaired +complete/);
  const again = await run(importCommand, [monday(), tuesday()]);
  assert.match(again.out, /2 same +complete/);
  assert.equal((await run(tapeCompareCommand, [tuesday()])).code, 0);

  const listed = await run(tapeLsCommand, ['--json']);
  const [contract] = JSON.parse(listed.out).contracts ?? JSON.parse(listed.out);
  assert.deepEqual([contract.days, contract.quality.partial], [2, 0]);
  assert.equal(contract.quality.damaged, 0);
});

test('a day that is not finished refuses its file, with what to do', async () => {
  const { code, err } = await run(importCommand, [wednesday()]);
  assert.equal(code, 1);
  assert.match(err, /wednesday\.dbn is rejected, .*a day of a live dataset that is not finished/);
  assert.match(err, /ESH6 2026-03-11: the live tape may still get trades of this day/);
  assert.match(err, /can be imported once it is sealed, soon after its end at midnight UTC/);
  assert.equal(await readImported(disk, `${data}/tape`, 'GLBX'), null);
});

test('a dataset that is not said to be pushed is not imported into beside a live tape', async () => {
  writeFileSync(join(data, 'instruments.yaml'), JSON.stringify(instruments({})));
  const { code, err } = await run(importCommand, [tuesday()]);
  assert.equal(code, 1);
  assert.match(err, /The tape of GLBX was written by a simulated or replayed market/);
});

test('a backup has the live files, the imported ones and the sessions of both', async () => {
  await run(importCommand, [monday(), tuesday()]);
  const { files, missing } = await datasetFiles(disk, data, 'GLBX');
  const kinds = [/imported\.json$/, /manifest\.json$/, /imported-sessions\/.*\.json$/];
  for (const kind of kinds)
    assert.ok(
      files.some((name) => kind.test(name)),
      `${kind}`,
    );
  const days = files
    .filter((name) => name.endsWith('.arrow'))
    .map((name) => name.split('/').at(-1));
  assert.equal(days.length, 3);
  assert.ok(days.includes(`${TUESDAY}.arrow`));
  assert.deepEqual(missing, [`tape/GLBX/log/${WEDNESDAY}.log`]);
});

test('removal takes the live day and its import together', async () => {
  await run(importCommand, [monday(), tuesday()]);
  const { code, err } = await run(tapeRmCommand, ['--before', '2026-03-12', '--yes']);
  assert.equal(code, 0, err);
  assert.deepEqual(await disk.list(`${data}/tape/GLBX/days/ESH6`), []);
  assert.equal((await readImported(disk, `${data}/tape`, 'GLBX'))!.days.size, 0);
  const manifest = await TapeManifest.open(disk, `${data}/tape`, 'GLBX');
  assert.equal(manifest.days.size, 0);
});

test('the check of the tape accepts both kinds of days', async () => {
  await run(importCommand, [monday(), tuesday()]);
  const { out, err } = await run(tapeVerifyCommand, []);
  const lines = `${out}${err}`.split('\n').filter((line) => /days|sessions|imported/.test(line));
  assert.deepEqual(
    lines.filter((line) => /no part|other|belongs/.test(line)),
    [],
  );
});
