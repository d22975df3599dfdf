import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { intakeBatch } from '../../testing/tape/feed-rows.ts';
import { DATASET, openSimTape, TAPE_ROOT } from '../../testing/tape/tape-on-sim-disk.ts';
import { verifyTape } from './inspect/verify-tape.ts';
import { DayConflictError, LogMissingError, TapeDamagedError } from './tape-errors.ts';
import { readManifest, TapeManifest } from './tape-manifest.ts';

const DAY = utcDay(20_260_105);
const NEXT_DAY = addDays(DAY, 1);
const THIRD_DAY = addDays(DAY, 2);
const HOME = `${TAPE_ROOT}/${DATASET}`;
const MANIFEST = `${HOME}/manifest.json`;
const log = (day: UtcDay) => `${HOME}/log/${day}.log`;
const sealed = (symbol: string, day: UtcDay) => `${HOME}/days/${symbol}/${day}`;

/** A tape with two sealed days and an open one, closed cleanly. */
async function threeDays(): Promise<SimDisk> {
  const machine = new SimDisk();
  await using tape = await openSimTape(machine.boot());
  for (const day of [DAY, NEXT_DAY, THIRD_DAY]) {
    await tape.intake.offer([intakeBatch('ESZ6', day, [[day, 1]])], epochNs(day, 5));
  }
  await tape.intake.sealed();
  return machine;
}

/** Another tape with this day sealed. */
async function oneDay(day: UtcDay): Promise<SimDisk> {
  const machine = new SimDisk();
  await using tape = await openSimTape(machine.boot());
  await tape.intake.offer([intakeBatch('ESZ6', day, [[1, 2]])], epochNs(addDays(day, 1), 5));
  await tape.intake.sealed();
  return machine;
}

async function remove(machine: SimDisk, ...paths: readonly string[]): Promise<void> {
  const disk = machine.boot();
  for (const path of paths) await disk.remove(path);
}

async function verified(machine: SimDisk): Promise<readonly string[]> {
  const events: string[] = [];
  for await (const event of verifyTape(machine.boot(), TAPE_ROOT)) {
    if (event.type !== 'file') events.push(`${event.type} ${event.file}: ${event.what}`);
  }
  return events;
}

test('the manifest names the sealed days with their digests and the open log', async () => {
  const machine = await threeDays();
  const manifest = (await readManifest(machine.boot(), TAPE_ROOT, DATASET))!;
  assert.deepEqual([...manifest.logs], [THIRD_DAY]);
  for (const symbol of ['ESZ6', 'BTC-PERP']) {
    const days = [...manifest.days.get(symbol)!];
    assert.deepEqual(
      days.map(([day]) => day),
      [DAY, NEXT_DAY],
    );
    for (const [day, digest] of days) {
      const text = Buffer.from(machine.bytes(`${sealed(symbol, day)}.json`)!).toString();
      assert.equal(digest, JSON.parse(text).digest);
    }
  }
  assert.deepEqual(await verified(machine), []);
});

test('a missing log is a finding, and stops the start with how to go on', async () => {
  const machine = await threeDays();
  const whole = machine.bytes(log(THIRD_DAY))!;
  await remove(machine, log(THIRD_DAY));
  assert.deepEqual(await verified(machine), [`finding ${log(THIRD_DAY)}: is missing`]);
  for (let start = 0; start < 2; start += 1) {
    await assert.rejects(openSimTape(machine.boot()), (error) => {
      assert.ok(error instanceof LogMissingError);
      assert.ok(error.message.startsWith(`${log(THIRD_DAY)} is missing`));
      return true;
    });
  }
  machine.put(log(THIRD_DAY), whole);
  await using tape = await openSimTape(machine.boot());
  assert.equal(tape.report.promise, epochNs(THIRD_DAY, 5));
});

test('without the manifest a lost log is lost, and the tape goes on', async () => {
  const machine = await threeDays();
  await remove(machine, log(THIRD_DAY), MANIFEST);
  await using tape = await openSimTape(machine.boot());
  assert.deepEqual(tape.report.logs, []);
  const manifest = (await readManifest(machine.boot(), TAPE_ROOT, DATASET))!;
  assert.deepEqual([...manifest.logs], []);
});

test('a missing day and a missing contract are findings, told at the start, and never forgotten', async () => {
  const machine = await threeDays();
  const day = sealed('ESZ6', DAY);
  const gone = [DAY, NEXT_DAY].map((one) => sealed('BTC-PERP', one));
  await remove(machine, `${day}.json`, `${day}.arrow`);
  for (const path of gone) await remove(machine, `${path}.json`, `${path}.arrow`);
  const expected = [
    `finding ${HOME}/days/BTC-PERP: is missing, with the days ${DAY}, ${NEXT_DAY}`,
    `finding ${day}.json: is missing`,
  ];
  assert.deepEqual(await verified(machine), expected);
  for (let start = 0; start < 2; start += 1) {
    await using tape = await openSimTape(machine.boot());
    assert.deepEqual(tape.report.missing, [...gone.map((path) => `${path}.json`), `${day}.json`]);
  }
  assert.deepEqual(await verified(machine), expected);
});

test('a day without its Arrow file is told at the start', async () => {
  const machine = await threeDays();
  await remove(machine, `${sealed('ESZ6', DAY)}.arrow`);
  await using tape = await openSimTape(machine.boot());
  assert.deepEqual(tape.report.missing, [`${sealed('ESZ6', DAY)}.arrow`]);
});

test('a day that was replaced by one with other trades is a finding', async () => {
  const machine = await threeDays();
  const other = await oneDay(DAY);
  for (const suffix of ['.json', '.arrow']) {
    machine.put(sealed('ESZ6', DAY) + suffix, other.bytes(sealed('ESZ6', DAY) + suffix)!);
  }
  const what = 'has other trades than the manifest records';
  assert.deepEqual(await verified(machine), [`finding ${sealed('ESZ6', DAY)}.json: ${what}`]);
});

test('a directory without a manifest gets it at the first start, from what is there', async () => {
  const machine = await threeDays();
  const written = machine.bytes(MANIFEST);
  await remove(machine, MANIFEST);
  assert.match((await verified(machine)).join(), /^note .*manifest\.json: does not exist/);
  await using _tape = await openSimTape(machine.boot());
  assert.deepEqual(machine.bytes(MANIFEST), written);
});

test('a day that was copied in is named at the next start; one that cannot be read is not', async () => {
  const machine = await threeDays();
  for (const suffix of ['.json', '.arrow']) {
    machine.put(sealed('CLZ6', DAY) + suffix, machine.bytes(sealed('ESZ6', DAY) + suffix)!);
  }
  const before = addDays(DAY, -1);
  const other = await oneDay(before);
  for (const suffix of ['.json', '.arrow']) {
    machine.put(sealed('ESZ6', before) + suffix, other.bytes(sealed('ESZ6', before) + suffix)!);
  }
  const bytes = machine.bytes(`${sealed('ESZ6', DAY)}.json`)!;
  machine.put(`${sealed('ESZ6', THIRD_DAY)}.json`, bytes.slice(9));
  machine.put(`${sealed('ESZ6', THIRD_DAY)}.arrow`, bytes);
  const manifest = await TapeManifest.open(machine.boot(), TAPE_ROOT, DATASET);
  assert.notEqual(manifest.digestOf('ESZ6', before), null);
  assert.equal(manifest.digestOf('CLZ6', DAY), null, 'it says that it is of another contract');
  assert.equal(manifest.digestOf('ESZ6', THIRD_DAY), null);
  assert.deepEqual(manifest.missingFiles, []);
});

test('a damaged manifest stops the start and is a finding; the logs stay as they are', async () => {
  const machine = await threeDays();
  const before = machine.bytes(log(THIRD_DAY));
  machine.flip(MANIFEST, 30, 2);
  await assert.rejects(openSimTape(machine.boot()), TapeDamagedError);
  assert.match((await verified(machine)).join(), /finding .*manifest\.json: the manifest/);
  assert.deepEqual(machine.bytes(log(THIRD_DAY)), before);
});

test('a day that is named is never sealed with other trades', async () => {
  const machine = await threeDays();
  const manifest = await TapeManifest.open(machine.boot(), TAPE_ROOT, DATASET);
  const part = { symbol: 'ESZ6', day: DAY, digest: 'another' };
  await assert.rejects(manifest.sealed([part]), DayConflictError);
  assert.notEqual(manifest.digestOf('ESZ6', DAY), 'another');
});

test('whoever names something knows it on disk, however many do it at once and whatever failed before', async () => {
  const machine = new SimDisk();
  const disk = machine.boot();
  await disk.makeDirectory(HOME);
  const manifest = await TapeManifest.open(disk, TAPE_ROOT, DATASET);
  const part = (index: number) => ({ symbol: `S${index}`, day: DAY, digest: `digest ${index}` });
  machine.faults = (operation) => (operation === 'sync' ? 'full' : null);
  await assert.rejects(manifest.sealed([part(0)]), { code: 'ENOSPC' });
  machine.faults = () => null;
  await Promise.all([1, 2, 3].map((index) => manifest.sealed([part(index)])));
  machine.crash();
  const read = (await readManifest(machine.boot(), TAPE_ROOT, DATASET))!;
  assert.deepEqual([...read.days.keys()], ['S0', 'S1', 'S2', 'S3']);
});
