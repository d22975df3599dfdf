import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { type DiskOperation, SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import type { Disk } from '../disk/disk.ts';
import { RetryingDisk } from '../disk/retrying-disk.ts';
import { FaultRetry } from './fault-retry.ts';
import { isPassingFault, isPassingThreadFault } from './passing-fault.ts';

const fault = (code: string, syscall?: string) => Object.assign(new Error(code), { code, syscall });
const NO_FILES = fault('EMFILE', 'open');

/** Runs everything that waits for no timer. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function stage() {
  const clock = new ManualClock(0n);
  const told: unknown[] = [];
  const faultRetry = new FaultRetry({
    clock,
    onWait: (error) => told.push(error),
    onOver: (ms) => told.push(ms),
  });
  return { clock, told, faultRetry };
}

test('a fault that has done nothing is one of a call that writes nothing, and passes [SEC-41]', () => {
  for (const code of ['EMFILE', 'ENFILE', 'EAGAIN', 'EINTR', 'ENOMEM', 'EBUSY']) {
    for (const call of ['open', 'read', 'stat', 'scandir', 'mkdir', 'rename', 'unlink']) {
      assert.ok(isPassingFault(fault(code, call)), `${code} ${call}`);
    }
    for (const call of ['write', 'fsync', 'fdatasync', 'ftruncate', 'close', undefined]) {
      assert.ok(!isPassingFault(fault(code, call)), `${code} ${call}`);
    }
  }
  for (const code of ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'ENOENT', 'ESTALE']) {
    assert.ok(!isPassingFault(fault(code, 'open')), code);
  }
  for (const other of [new Error('EMFILE'), 'EMFILE', null]) assert.ok(!isPassingFault(other));
  assert.ok(isPassingThreadFault(fault('ERR_WORKER_INIT_FAILED')));
  assert.ok(isPassingThreadFault(NO_FILES));
  assert.ok(!isPassingThreadFault(fault('ERR_WORKER_OUT_OF_MEMORY')));
});

test('what meets a passing fault is tried after longer and longer waits, and told once at each end [SEC-41]', async () => {
  const { clock, told, faultRetry } = stage();
  const triedMs: number[] = [];
  let fails = 8;
  const done = faultRetry.run(async () => {
    triedMs.push(Number(clock.now()) / 1_000_000);
    fails -= 1;
    if (fails >= 0) throw NO_FILES;
    return 'done';
  });
  for (let ms = 0; ms < 15_000; ms += 100) {
    await settle();
    clock.advance(100);
  }
  assert.equal(await done, 'done');
  assert.deepEqual(triedMs, [0, 100, 300, 700, 1_500, 3_100, 6_300, 9_500, 12_700]);
  assert.deepEqual(told, [NO_FILES, 12_700]);
  assert.deepEqual([faultRetry.isWaiting, faultRetry.waitsTotal, clock.timerCount], [false, 1, 0]);
});

test('of several that wait the first and the last are told; another fault ends a wait as it would a call', async () => {
  const { clock, told, faultRetry } = stage();
  const outcomes = [NO_FILES, NO_FILES];
  const first = faultRetry.run(async () => {
    if (outcomes.length > 0) throw outcomes.pop()!;
  });
  const broken = fault('EIO', 'open');
  const causes = [broken, NO_FILES];
  const second = faultRetry.run(async () => {
    throw causes.pop()!;
  });
  const failed = assert.rejects(second, broken);
  await settle();
  assert.deepEqual([told, faultRetry.isWaiting], [[NO_FILES], true]);
  clock.advance(100);
  await failed;
  assert.deepEqual([told, faultRetry.isWaiting], [[NO_FILES], true]);
  clock.advance(200);
  await first;
  assert.deepEqual(told, [NO_FILES, 300]);
  assert.equal(faultRetry.waitsTotal, 2);
});

test('who gives up waits no longer', async () => {
  const { clock, faultRetry } = stage();
  const stopping = new AbortController();
  const run = faultRetry.run(() => Promise.reject(NO_FILES), { signal: stopping.signal });
  const failed = assert.rejects(run, NO_FILES);
  await settle();
  stopping.abort();
  await failed;
  assert.deepEqual([faultRetry.isWaiting, clock.timerCount], [false, 0]);
});

const CALLS: readonly (readonly [DiskOperation, (disk: Disk) => Promise<unknown>])[] = [
  ['open', (disk) => disk.open('/a', 'create')],
  ['makeDirectory', (disk) => disk.makeDirectory('/b')],
  ['syncDirectory', (disk) => disk.syncDirectory('')],
  ['list', (disk) => disk.list('')],
  ['stat', (disk) => disk.stat('/file')],
  ['space', (disk) => disk.space('')],
  ['rename', (disk) => disk.rename('/file', '/c')],
  ['remove', (disk) => disk.remove('/file')],
  ['read', async (disk) => (await disk.open('/file', 'read')).read(new Uint8Array(1), 0)],
];

for (const [operation, call] of CALLS) {
  test(`a retrying disk waits for a machine that cannot ${operation} now [SEC-41]`, async () => {
    const { clock, faultRetry } = stage();
    const machine = new SimDisk();
    machine.put('/file', Uint8Array.of(7));
    let isBusy = true;
    machine.faults = (asked) => (isBusy && asked === operation ? 'busy' : null);
    const done = call(new RetryingDisk(machine.boot(), faultRetry));
    await settle();
    assert.ok(faultRetry.isWaiting);
    isBusy = false;
    clock.advance(100);
    await done;
    assert.ok(!faultRetry.isWaiting);
  });
}

for (const operation of ['write', 'sync', 'truncate'] as const) {
  test(`a retrying disk never asks twice for a ${operation} [SEC-31] [SEC-41]`, async () => {
    const { faultRetry } = stage();
    const machine = new SimDisk();
    let asked = 0;
    machine.faults = (one) => {
      if (one === operation) asked += 1;
      return one === operation ? 'busy' : null;
    };
    const file = await new RetryingDisk(machine.boot(), faultRetry).open('/a', 'create');
    const calls = {
      write: () => file.write(Uint8Array.of(1), 0),
      sync: () => file.sync(),
      truncate: () => file.truncate(0),
    };
    await assert.rejects(calls[operation](), /EMFILE/);
    assert.deepEqual([asked, faultRetry.waitsTotal], [1, 0]);
  });
}
