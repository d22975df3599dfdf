import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { SchemaTooNewError } from '../migrations/migrate.ts';
import { AccountsHandle } from '../thread/accounts-handle.ts';
import { accountsPath } from './accounts-path.ts';
import { BackupRefusedError, backupAccounts, restoreAccounts } from './backup.ts';
import { openSqliteAccountStore } from './sqlite-account-store.ts';

const root = mkdtempSync(join(tmpdir(), 'tapeloom-backup-'));
after(() => rmSync(root, { recursive: true, force: true }));
let directories = 0;

const NOW = 1_790_000_000_123_456_789n as EpochNs;
const OPERATOR = { now: NOW, actor: { kind: 'operator' } } as const;

function newDirectory(): string {
  directories += 1;
  return join(root, String(directories));
}

/** A data directory with this many accounts, and the path of a copy of it. */
async function withCopy(accounts: number): Promise<{ data: string; copy: string }> {
  const data = newDirectory();
  {
    await using store = await openSqliteAccountStore(accountsPath(data));
    for (let index = 0; index < accounts; index += 1) {
      await store.createAccount(OPERATOR, { name: `a${index}`, grants: [] });
    }
  }
  const copy = join(data, 'copy.db');
  await backupAccounts(data, copy);
  return { data, copy };
}

test('a copy made while the store is written holds one moment of it, and restores to that', async () => {
  const data = newDirectory();
  const path = accountsPath(data);
  const copy = join(root, 'in-use.db');
  await using store = await AccountsHandle.open({ path, onFault: assert.ifError });
  const before = await store.createAccount(OPERATOR, { name: 'before', grants: [] });
  assert.ok('id' in before);
  const writing = Array.from({ length: 400 }, (_, index) =>
    store.createAccount(OPERATOR, { name: `a${index}`, grants: [{ plan: 'live', until: NOW }] }),
  );
  await writing[20];
  await backupAccounts(data, copy);
  await Promise.all(writing);

  const restored = newDirectory();
  await restoreAccounts(copy, restored);
  await using again = await openSqliteAccountStore(accountsPath(restored));
  const accounts = await again.listAccounts();
  assert.ok(accounts.length >= 22 && accounts.length <= 401, String(accounts.length));
  assert.deepEqual(await again.findAccount('before'), before);
  const told = await again.audit({ limit: 1_000 });
  assert.deepEqual(
    told.map((event) => event.accountId).sort(),
    accounts.map((account) => account.id).sort(),
  );
  assert.equal((await store.listAccounts()).length, 401);
});

test('copy and restored database can be read by their owner only, and nothing is left beside them', async () => {
  const { data, copy } = await withCopy(1);
  assert.equal(statSync(copy).mode & 0o777, 0o600);
  chmodSync(copy, 0o644);
  const restored = newDirectory();
  await restoreAccounts(copy, restored);
  assert.equal(statSync(accountsPath(restored)).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(join(restored, 'accounts')), ['accounts.db']);
  assert.deepEqual(readdirSync(data).sort(), ['accounts', 'copy.db']);
});

test('neither a file nor a database that exists is overwritten', async () => {
  const { data, copy } = await withCopy(1);
  const bytes = await readFile(copy);
  await assert.rejects(backupAccounts(data, copy), BackupRefusedError);
  await assert.rejects(restoreAccounts(copy, data), BackupRefusedError);
  assert.deepEqual(await readFile(copy), bytes);

  const halfGone = newDirectory();
  await restoreAccounts(copy, halfGone);
  rmSync(accountsPath(halfGone));
  writeFileSync(`${accountsPath(halfGone)}-wal`, '');
  await assert.rejects(restoreAccounts(copy, halfGone), /-wal exists/);
});

test('a directory without accounts has nothing to copy, and none is made', async () => {
  const data = newDirectory();
  await assert.rejects(backupAccounts(data, join(root, 'none.db')), BackupRefusedError);
  assert.equal(existsSync(data), false);
  await assert.rejects(restoreAccounts(join(root, 'missing.db'), data), BackupRefusedError);
});

test('a damaged, cut, foreign or newer file is refused and leaves nothing behind', async () => {
  const { copy } = await withCopy(300);
  const target = newDirectory();
  const bytes = await readFile(copy);
  const bad = join(root, 'bad.db');
  const refuses = async (kind: typeof BackupRefusedError | typeof SchemaTooNewError) => {
    await assert.rejects(restoreAccounts(bad, target), kind);
    assert.deepEqual(readdirSync(join(target, 'accounts')), []);
  };
  for (const content of [
    Buffer.alloc(0),
    Buffer.from('not a database at all'),
    bytes.subarray(0, bytes.length / 2),
    Buffer.concat([bytes.subarray(0, 8_192), Buffer.alloc(4_096, 7), bytes.subarray(12_288)]),
  ]) {
    await writeFile(bad, content);
    await refuses(BackupRefusedError);
  }
  rmSync(bad);
  const foreign = new DatabaseSync(bad);
  foreign.exec('CREATE TABLE other (a)');
  foreign.close();
  await refuses(BackupRefusedError);

  await copyFile(copy, bad);
  const newer = new DatabaseSync(bad);
  newer.exec('INSERT INTO schema_version VALUES (999)');
  newer.close();
  await refuses(SchemaTooNewError);

  writeFileSync(`${bad}-wal`, '');
  await assert.rejects(restoreAccounts(bad, target), /tapeloom backup/);
});
