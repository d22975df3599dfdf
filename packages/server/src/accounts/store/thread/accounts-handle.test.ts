import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import type { EpochNs } from '@tapeloom/core/numbers';
import { openSqliteAccountStore } from '../sqlite/sqlite-account-store.ts';
import { AccountsBusyError } from './accounts-busy-error.ts';
import { AccountsGoneError, AccountsHandle, AccountsRefusedError } from './accounts-handle.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-handle-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let files = 0;

const NOW = 1_790_000_000_123_456_789n as EpochNs;
const OPERATOR = { now: NOW, actor: { kind: 'operator' } } as const;

function newFile(): string {
  files += 1;
  return join(directory, `${files}.db`);
}

/** A handle whose thread the test can kill. */
async function openWithThread(path: string) {
  const faults: Error[] = [];
  const threads: Worker[] = [];
  const take = (worker: Worker) => threads.push(worker);
  process.once('worker', take);
  const handle = await AccountsHandle.open({ path, onFault: (error) => faults.push(error) });
  return { handle, faults, thread: threads[0]! };
}

test('when the thread dies, calls under way and later ones reject, and it is told once', async () => {
  const path = newFile();
  const { handle, faults, thread } = await openWithThread(path);
  const account = await handle.createAccount(OPERATOR, { name: 'kept', grants: [] });
  const underWay = Promise.allSettled(
    Array.from({ length: 200 }, () => handle.addUsage([])).concat(
      Array.from({ length: 200 }, () => handle.touchKeys(new Map())),
    ),
  );
  await thread.terminate();
  const rejected = (await underWay).filter(({ status }) => status === 'rejected');
  assert.ok(rejected.length > 0);
  for (const one of rejected) {
    assert.ok(one.status === 'rejected' && one.reason instanceof AccountsGoneError);
  }
  await assert.rejects(handle.listAccounts(), AccountsGoneError);
  assert.equal(faults.length, 1);
  assert.ok(faults[0] instanceof AccountsGoneError);
  await handle[Symbol.asyncDispose]();
  assert.equal(faults.length, 1);

  await using again = await openSqliteAccountStore(path);
  assert.deepEqual(await again.listAccounts(), [account]);
});

test('an account with more calls than it may have waiting is refused at once; others are not, nor are charges [SEC-36][SEC-37]', async () => {
  const { handle, faults, thread } = await openWithThread(newFile());
  const flood = Array.from({ length: 1_024 }, () => handle.listKeys(NOW, 'flood'));
  await assert.rejects(handle.listKeys(NOW, 'flood'), AccountsBusyError);
  await assert.rejects(handle.usageByKey('flood', '2026-09'), AccountsBusyError);
  assert.equal(handle.calls.count, 1_024);
  assert.equal(handle.calls.refusedTotal, 2);
  assert.deepEqual(await handle.listKeys(NOW, 'another'), []);
  assert.equal(await handle.settle(NOW, 'of the flood', { amount: 1 }), false);
  assert.deepEqual(await flood[0], []);
  assert.deepEqual(await handle.listKeys(NOW, 'flood'), []);
  const answered = Promise.allSettled(flood);
  await thread.terminate();
  await answered;
  assert.equal(handle.calls.count, 0);
  assert.equal(faults.length, 1);
});

test('an account with one call waits for one of each other, strangers together count as one, and charges go first [SEC-37]', async () => {
  await using handle = (await openWithThread(newFile())).handle;
  const order: string[] = [];
  const note = (who: string) => () => order.push(who);
  const flood = [
    ...Array.from({ length: 500 }, () => handle.listKeys(NOW, 'flood').then(note('flood'))),
    ...Array.from({ length: 500 }, (_, index) => handle.findKey(`${index}`).then(note('stranger'))),
  ];
  const one = handle.listKeys(NOW, 'one').then(note('one'));
  const charge = handle.settle(NOW, 'a reservation', { amount: 1 }).then(note('charge'));
  await Promise.all([...flood, one, charge]);
  assert.equal(order.length, 1_002);
  assert.equal(order.indexOf('charge'), 16, 'after those on the wire');
  assert.ok(order.indexOf('one') <= 16 + 3, `${order.indexOf('one')} calls came before it`);
});

test('a report of usage is remembered until another process has written', async () => {
  const path = newFile();
  await using handle = (await openWithThread(path)).handle;
  await using other = await openSqliteAccountStore(path);
  const account = await other.createAccount(OPERATOR, { name: 'one', grants: [] });
  assert.ok('id' in account);
  let told = 0;
  using _ = handle.onWrittenElsewhere(() => {
    told += 1;
  });
  // The first may join a look that began before; the second begins a new one.
  const look = async () => {
    await handle.probe();
    await handle.probe();
  };
  const requests = async () => (await handle.usageOf(NOW, account.id, '2026-09')).used.restRequests;
  await look();
  assert.equal(await requests(), 0);
  assert.equal(handle.reportsRemembered, 1);
  const before = told;
  await look();
  assert.equal(told, before);
  const count = { accountId: account.id, keyId: 'key', isTest: false, period: '2026-09' };
  await other.addUsage([{ ...count, restRequests: 7 }]);
  await look();
  assert.equal(told, before + 1);
  assert.equal(await requests(), 7);
});

test('disposal answers what is under way, closes the database, and is no fault', async () => {
  const path = newFile();
  const { handle, faults } = await openWithThread(path);
  const made = Array.from({ length: 20 }, (_, index) =>
    handle.createAccount(OPERATOR, { name: `a${index}`, grants: [] }),
  );
  await Promise.all([handle[Symbol.asyncDispose](), handle[Symbol.asyncDispose]()]);
  for (const account of await Promise.all(made)) assert.ok('id' in account);
  await assert.rejects(handle.findAccount('a1'), AccountsGoneError);
  assert.deepEqual(faults, []);
  await using store = await openSqliteAccountStore(path);
  assert.equal((await store.listAccounts()).length, 20);
});

test('an error keeps its name and message on the way, and hurts no other call', async () => {
  const { handle, faults } = await openWithThread(newFile());
  await using _ = handle;
  const wrong = { id: 'r', accountId: 'a', budget: 'computeUnits', period: 'p' } as const;
  const request = { ...wrong, keyId: 'k', amount: -1, limit: 1, testLimit: null, expiresAt: NOW };
  await assert.rejects(handle.reserve(NOW, request), {
    name: 'RangeError',
    message: /whole number from 0 on, got -1/,
  });
  await assert.rejects(async () => handle.findAccount((() => '') as never), {
    name: 'DataCloneError',
  });
  assert.deepEqual(await handle.listAccounts(), []);
  assert.deepEqual(faults, []);
});

test('a database that cannot be opened is refused with the reason', async () => {
  const path = join(import.meta.filename, 'below-a-file.db');
  const opening = AccountsHandle.open({ path, onFault: assert.ifError });
  await assert.rejects(opening, (error) => {
    assert.ok(error instanceof AccountsRefusedError);
    assert.match(error.message, /accounts-handle\.test\.ts/);
    return true;
  });
});
