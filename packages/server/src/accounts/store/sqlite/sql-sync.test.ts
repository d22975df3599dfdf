import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AccountStore } from '../account-store.ts';
import { openSqliteAccountStore } from './sqlite-account-store.ts';

const NOW = 1_790_000_000_123_456_789n as EpochNs;
const MONTH = '2026-09';
const CALL = { now: NOW, actor: { kind: 'operator' } } as const;
const [NORMAL, FULL] = [1n, 2n];

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-sync-'));
after(() => rmSync(directory, { recursive: true, force: true }));

async function filled(store: AccountStore) {
  const made = await store.createAccount(CALL, { name: 'synced', grants: [] });
  assert.ok('id' in made);
  return (id: string, isSynced: boolean) =>
    store.reserve(NOW, {
      id,
      accountId: made.id,
      keyId: 'key',
      budget: 'computeUnits',
      amount: 60,
      limit: 100,
      testLimit: null,
      period: MONTH,
      expiresAt: (NOW + 1n) as EpochNs,
      isSynced,
    });
}

test('a settlement and an ordinary reservation are synced before they are answered, a reservation that may be lost is not [SEC-34]', async (t) => {
  /** The sync level that SQLite reports at each commit. */
  const levels: unknown[] = [];
  const prepare = DatabaseSync.prototype.prepare;
  t.mock.method(DatabaseSync.prototype, 'prepare', function (this: DatabaseSync, text: string) {
    const statement = prepare.call(this, text);
    if (text !== 'commit') return statement;
    const run = statement.run.bind(statement);
    statement.run = () => {
      levels.push(prepare.call(this, 'PRAGMA synchronous').get()!.synchronous);
      return run();
    };
    return statement;
  });
  await using store = await openSqliteAccountStore(join(directory, 'levels.db'));
  const reserve = await filled(store);
  levels.length = 0;
  await Promise.all([reserve('page', false), store.settle(NOW, 'page', { amount: 40 })]);
  await Promise.all([reserve('export', true), reserve('next', false), reserve('last', true)]);
  assert.deepEqual(levels, [NORMAL, FULL, FULL, NORMAL, FULL]);
  await assert.rejects(store.reserve(NOW, { id: 'x', amount: 0.5, isSynced: false } as never));
  levels.length = 0;
  await store.voidReservation(NOW, 'export');
  assert.deepEqual(levels, [FULL]);
});

test('what a crash leaves has every settlement; a reservation it took holds nothing back and can be made again [SEC-34]', async () => {
  const path = join(directory, 'accounts.db');
  await using store = await openSqliteAccountStore(path);
  const reserve = await filled(store);
  await reserve('first', false);
  assert.equal(await store.settle(NOW, 'first', { amount: 30 }), true);
  // After a crash, anything behind the last synced commit may be missing or garbage.
  const synced = statSync(`${path}-wal`).size;
  assert.deepEqual(await reserve('lost', false), { granted: true });
  for (const tail of [Buffer.alloc(0), Buffer.alloc(5_000, 7)]) {
    const image = join(directory, `image-${tail.length}.db`);
    copyFileSync(path, image);
    copyFileSync(`${path}-wal`, `${image}-wal`);
    truncateSync(`${image}-wal`, synced);
    appendFileSync(`${image}-wal`, tail);
    await using again = await openSqliteAccountStore(image);
    const [account] = await again.listAccounts();
    const month = await again.usageOf(NOW, account!.id, MONTH);
    assert.deepEqual([month.used.computeUnits, month.reserved.computeUnits], [30, 0]);
    assert.equal(await again.settle(NOW, 'lost', { amount: 9 }), false);
    const request = { id: 'lost', accountId: account!.id, keyId: 'key', period: MONTH } as const;
    const rest = { amount: 60, limit: 100, testLimit: null, budget: 'computeUnits' } as const;
    const expiresAt = (NOW + 1n) as EpochNs;
    const made = await again.reserve(NOW, { ...request, ...rest, expiresAt });
    assert.deepEqual(made, { granted: true });
  }
});
