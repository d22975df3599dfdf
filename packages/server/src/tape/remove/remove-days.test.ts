import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { allocateBatch } from '@tapeloom/core/trade-batch';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { importDays } from '../../../testing/imported-dataset.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { readImported } from '../imported/imported-manifest.ts';
import { verifyTape } from '../inspect/verify-tape.ts';
import { TapeManifest } from '../tape-manifest.ts';
import { sealDay } from '../write/seal/seal.ts';
import { planRemoval } from './plan-removal.ts';
import { removeImported } from './remove-imported.ts';
import { deleteRemoved, removeLive } from './remove-live.ts';

const ROOT = '/data/tape';
/** A Thursday to the Wednesday after it. */
const FIRST = utcDay(20260205);
const DAYS = Array.from({ length: 7 }, (_, index) => addDays(FIRST, index));
const CME = calendarNamed('cme-equity');
const BOOK = extendSessionBook(null, CME, utcDay(20260101), utcDay(20260401), epochNs(FIRST, 0));
const SESSIONS = [sessionTable(BOOK, 'full')];
const ALL = new Map([['ESH6', new Map(DAYS.map((day) => [day, '']))]]);

function keptFrom(before: number): UtcDay | null {
  const request = { before: utcDay(before), symbol: null };
  return planRemoval(ALL, request, () => SESSIONS)[0]?.keptFrom ?? null;
}

test('a contract is cut only at a midnight over which no session is open', () => {
  assert.equal(keptFrom(20260207), 20260207, 'on Saturday');
  assert.equal(keptFrom(20260208), 20260208, 'on Sunday, before the open');
  for (const day of [20260209, 20260210, 20260211]) assert.equal(keptFrom(day), 20260208);
  assert.equal(keptFrom(20260206), null, 'back to the first day there is nothing to cut at');
  assert.equal(keptFrom(20260212), 20260212, 'behind the last day nothing is left to be cut');
  const other = { before: utcDay(20260207), symbol: 'NQH6' };
  assert.deepEqual(
    planRemoval(ALL, other, () => SESSIONS),
    [],
  );
  const unknown = { before: utcDay(20260210), symbol: 'ESH6' };
  assert.deepEqual(
    planRemoval(ALL, unknown, () => []),
    [],
    'nothing is known of its sessions',
  );
});

const REMOVALS = planRemoval(ALL, { before: utcDay(20260210), symbol: null }, () => SESSIONS);

async function wrong(disk: Disk): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const event of verifyTape(disk, ROOT)) {
    if (event.type === 'finding') lines.push(`${event.file} ${event.what}`);
  }
  return lines;
}

test('imported days are given up by the manifest, then their files go, whenever it is killed', async () => {
  for (let steps = 0; ; steps += 1) {
    const machine = new SimDisk();
    const disk = machine.boot();
    const days = DAYS.map((day) => ({ symbol: 'ESH6', day, rows: [[1, 2, 3, 1]] as const }));
    await importDays(disk, ROOT, 'GLBX', days);
    const manifest = (await readImported(disk, ROOT, 'GLBX'))!;
    const done = await cutShort(disk, steps, (limited) =>
      removeImported(limited, ROOT, manifest, REMOVALS),
    );
    const files = (await disk.list(`${ROOT}/GLBX/days/ESH6`)).length;
    machine.crash();
    const after = machine.boot();
    const left = [...(await readImported(after, ROOT, 'GLBX'))!.days.get('ESH6')!.keys()];
    assert.ok([7, 4].includes(left.length), 'all of it or nothing');
    assert.deepEqual(await wrong(after), []);
    if (!done) continue;
    assert.deepEqual(left, DAYS.slice(3));
    assert.equal(files, 8);
    return;
  }
});

async function liveTape(disk: Disk): Promise<TapeManifest> {
  for (const day of DAYS) {
    const batch = allocateBatch(day, 1 as Rank, 1);
    batch.count = 1;
    batch.size.fill(1);
    await sealDay(disk, ROOT, { dataset: 'SIM', symbol: 'ESH6', batch });
  }
  const manifest = await TapeManifest.open(disk, ROOT, 'SIM');
  await manifest.save();
  return manifest;
}

test('live days that were removed stay so, whenever it is killed', async () => {
  for (let steps = 0; ; steps += 1) {
    const machine = new SimDisk();
    const disk = machine.boot();
    const manifest = await liveTape(disk);
    const done = await cutShort(disk, steps, (limited) =>
      removeLive(limited, ROOT, 'SIM', manifest, REMOVALS),
    );
    machine.crash();
    const after = machine.boot();
    const opened = await TapeManifest.open(after, ROOT, 'SIM');
    await deleteRemoved(after, ROOT, 'SIM', opened);
    await opened.save();
    const left = [...opened.days.get('ESH6')!.keys()];
    assert.ok([7, 4].includes(left.length), 'all of it or nothing');
    assert.equal((await after.list(`${ROOT}/SIM/days/ESH6`)).length, 2 * left.length);
    assert.deepEqual(await wrong(after), []);
    assert.deepEqual(opened.missingFiles, []);
    if (!done) continue;
    assert.deepEqual(left, DAYS.slice(3));
    assert.ok(opened.isRemoved('ESH6', addDays(FIRST, -40)));
    assert.ok(!opened.isRemoved('ESH6', DAYS[3]!));
    return;
  }
});

/** Runs `run` on a disk that fails after so many changes; true when it completes. */
async function cutShort(
  disk: Disk,
  steps: number,
  run: (limited: Disk) => Promise<void>,
): Promise<boolean> {
  let left = steps;
  const changes = new Set(['remove', 'rename', 'open', 'syncDirectory']);
  const limited = new Proxy(disk, {
    get: (target, name) => {
      const method = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        if (changes.has(String(name)) && left-- <= 0) throw new Error('killed');
        return method.apply(target, args);
      };
    },
  });
  try {
    await run(limited);
    return true;
  } catch (error) {
    if ((error as Error).message !== 'killed') throw error;
    return false;
  }
}
