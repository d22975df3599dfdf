import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { batchOf, importDays, type TradeRow } from '../../../testing/imported-dataset.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { TapeManifest } from '../tape-manifest.ts';
import { sealDay } from '../write/seal/seal.ts';
import { verifyTape } from './verify-tape.ts';

const ROOT = '/data/tape';
const DAYS = `${ROOT}/GLBX/days/ESZ6`;
const DAY = utcDay(20260202);
const ROW: TradeRow = [1, 400, 2, 1];

async function said(disk: Disk): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const event of verifyTape(disk, ROOT)) {
    if (event.type !== 'file') lines.push(`${event.type} ${event.what}`);
  }
  return lines;
}

async function imported() {
  const machine = new SimDisk();
  const disk = machine.boot();
  await importDays(disk, ROOT, 'GLBX', [
    { symbol: 'ESZ6', day: DAY, rows: [ROW] },
    { symbol: 'ESZ6', day: utcDay(20260203), rows: [] },
  ]);
  const names = await disk.list(DAYS);
  const file = (kind: string) => `${DAYS}/${names.find((it) => it.endsWith(kind))!}`;
  return { machine, disk, file };
}

test('an imported dataset is sound, and files that nobody names are only told', async () => {
  const { disk } = await imported();
  assert.deepEqual(await said(disk), []);
  await importDays(disk, ROOT, 'GLBX', [{ symbol: 'ESZ6', day: DAY, rows: [ROW, ROW] }]);
  const told = 'note belongs to no day on the tape; the next import removes it';
  assert.deepEqual(await said(disk), [told, told]);
});

test('damaged, missing and strange files of imported days are found', async () => {
  for (const kind of ['arrow', 'json']) {
    const { machine, disk, file } = await imported();
    const bytes = machine.bytes(file(kind))!.slice();
    bytes[bytes.length - 30]! ^= 1;
    machine.put(file(kind), bytes);
    assert.match((await said(disk))[0]!, /^finding .*(SHA-256|checksum)/);
    await disk.remove(file(kind));
    assert.deepEqual(await said(disk), ['finding is missing']);
  }
  const { machine, disk, file } = await imported();
  machine.put(`${DAYS}/20260202.arrow`, machine.bytes(file('arrow'))!);
  assert.deepEqual(await said(disk), ['finding is no part of a tape']);
});

test('a damaged manifest or list of rolls is found', async () => {
  const { machine, disk } = await imported();
  machine.put(`${ROOT}/GLBX/rolls.json`, new TextEncoder().encode('{}'));
  const path = `${ROOT}/GLBX/imported.json`;
  const bytes = machine.bytes(path)!.slice();
  bytes[40]! ^= 1;
  machine.put(path, bytes);
  const lines = await said(disk);
  assert.equal(lines.length, 2);
  assert.match(lines[0]!, /list of decided rolls/);
  assert.match(lines[1]!, /manifest of imported days/);
});

test('imported days of a live dataset are checked beside its own, and neither is strange to the other', async () => {
  const { machine, disk, file } = await imported();
  const live = { dataset: 'GLBX', symbol: 'ESZ6', batch: batchOf(DAY, [ROW, ROW]) };
  await sealDay(disk, ROOT, live);
  const manifest = await TapeManifest.open(disk, ROOT, 'GLBX');
  await manifest.save();
  machine.put(`${ROOT}/GLBX/imported-sessions/cme.json`, new TextEncoder().encode('{}'));
  assert.equal((await said(disk)).length, 1, 'the session book');
  await disk.remove(`${ROOT}/GLBX/imported-sessions/cme.json`);
  assert.deepEqual(await said(disk), []);
  machine.put(`${DAYS}/other`, new Uint8Array(1));
  assert.deepEqual(await said(disk), ['finding is no part of a tape']);
  await disk.remove(`${DAYS}/other`);
  const imports = file('json').slice(0, -5);
  for (const path of [`${DAYS}/${DAY}.arrow`, `${imports}.json`]) {
    const bytes = machine.bytes(path)!.slice();
    const changed = bytes.slice();
    changed[changed.length - 30]! ^= 1;
    machine.put(path, changed);
    assert.match((await said(disk)).join(), /^finding /, path);
    machine.put(path, bytes);
  }
});
