import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { sql } from 'kysely';
import { spoilDatabase } from '../../../../testing/accounts/store/spoiled-database.ts';
import { type AccountStore, AccountsTroubleError, type StoreTrouble } from '../account-store.ts';
import { openSqlAccountStore } from '../sql-account-store.ts';
import { AccountsHandle, AccountsRefusedError } from '../thread/accounts-handle.ts';
import { openSqliteAccountStore } from './sqlite-account-store.ts';
import { openSqliteDatabase } from './sqlite-database.ts';
import { checkTables, troubleOf } from './sqlite-trouble.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-trouble-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let files = 0;

const NOW = 1_790_000_000_123_456_789n as EpochNs;
const OPERATOR = { now: NOW, actor: { kind: 'operator' } } as const;

function newFile(): string {
  files += 1;
  return join(directory, `${files}.db`);
}

/** Accounts whose names fill pages, all of them in the file itself. */
async function filledFile(): Promise<string> {
  const path = newFile();
  await using store = await openSqliteAccountStore(path);
  await fill(store);
  return path;
}

async function fill(store: AccountStore): Promise<void> {
  for (let index = 0; index < 12; index += 1) {
    await store.createAccount(OPERATOR, { name: `${index} ${'x'.repeat(2_000)}`, grants: [] });
  }
}

function isTrouble(trouble: StoreTrouble, message: RegExp = /./): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof AccountsTroubleError, String(error));
    assert.equal(error.trouble, trouble);
    assert.match(error.message, message);
    return true;
  };
}

test('a database with noise in its pages is refused at the opening, with how to restore it', async () => {
  const path = await filledFile();
  spoilDatabase(path);
  const refusal = /the database is damaged: .*move the file .* away, and restore a backup/;
  await assert.rejects(openSqliteAccountStore(path), isTrouble('damaged', refusal));
  const opening = AccountsHandle.open({ path, onFault: assert.ifError });
  await assert.rejects(opening, (error) => {
    assert.ok(error instanceof AccountsRefusedError);
    assert.match(error.message, refusal);
    return true;
  });
});

test('a database that was cut is refused at the opening', async () => {
  const path = await filledFile();
  truncateSync(path, 3 * 4_096);
  await assert.rejects(async () => openSqliteAccountStore(path), isTrouble('damaged'));
});

test('a database without one of its tables, columns, indices or triggers is refused', async () => {
  for (const [statement, missing] of [
    ['DROP TABLE grants', /table grants/],
    ['ALTER TABLE keys DROP COLUMN hint', /table keys\.hint is missing/],
    ['DROP TRIGGER audit_log_refuses_delete', /trigger audit_log_refuses_delete is missing/],
  ] as const) {
    const path = await filledFile();
    {
      using database = new DatabaseSync(path);
      database.exec(`PRAGMA foreign_keys = OFF; ${statement}`);
    }
    await assert.rejects(openSqliteAccountStore(path), isTrouble('damaged', missing));
  }
});

test('a database of something else is refused, and stays as it is', async () => {
  const path = newFile();
  {
    using database = new DatabaseSync(path);
    database.exec('CREATE TABLE recipes (name TEXT)');
  }
  await assert.rejects(openSqliteAccountStore(path), isTrouble('damaged', /recipes/));
  using database = new DatabaseSync(path);
  const tables = database.prepare('SELECT name FROM sqlite_schema').all();
  assert.deepEqual(
    tables.map(({ name }) => name),
    ['recipes'],
  );
});

test('the look at the start ends after two seconds, with the audit log last', async () => {
  const path = await filledFile();
  using database = new DatabaseSync(path);
  const checked: string[] = [];
  const watched = {
    prepare: (text: string) => {
      const table = /quick_check\("(.*)"\)/.exec(text)?.[1];
      if (table !== undefined) checked.push(table);
      return database.prepare(text);
    },
  } as unknown as DatabaseSync;
  checkTables(watched, () => 0);
  assert.ok(checked.length > 6);
  assert.equal(checked.at(-1), 'audit_log');
  checked.length = 0;
  let ms = 0;
  checkTables(watched, () => {
    ms += 800;
    return ms;
  });
  assert.equal(checked.length, 2);
});

test('damage that comes while the store is in use is told and rejects as such, also in the thread', async () => {
  for (const open of [
    openSqliteAccountStore,
    (path: string) => AccountsHandle.open({ path, onFault: assert.ifError }),
  ]) {
    const path = newFile();
    await using store = await open(path);
    await fill(store);
    const told: StoreTrouble[] = [];
    using _ = store.onTrouble(({ trouble }) => told.push(trouble));
    spoilDatabase(path);
    await assert.rejects(store.listAccounts(), isTrouble('damaged'));
    await assert.rejects(
      async () => await store.usageOf(NOW, 'a', '2026-09'),
      isTrouble('damaged'),
    );
    await assert.rejects(store.probe(), isTrouble('damaged'));
    assert.ok(told.length >= 3 && told.every((trouble) => trouble === 'damaged'), told.join());
  }
});

test('a file that was moved away or replaced while it was in use is damage', async () => {
  const path = newFile();
  await using store = await openSqliteAccountStore(path);
  await store.probe();
  renameSync(path, `${path}.aside`);
  await assert.rejects(store.probe(), isTrouble('damaged', /was moved or replaced/));
  writeFileSync(path, '');
  await assert.rejects(store.probe(), isTrouble('damaged', /was moved or replaced/));
});

test('a store without room says so and changes nothing; with room it is sound again', async () => {
  const database = openSqliteDatabase(newFile());
  await using store = await openSqlAccountStore(database);
  const told: StoreTrouble[] = [];
  using _ = store.onTrouble(({ trouble }) => told.push(trouble));
  const limitPages = (pages: number) =>
    sql.raw(`PRAGMA max_page_count = ${pages}`).execute(database.kysely);
  await limitPages(1);
  await assert.rejects(fill(store), isTrouble('full'));
  assert.deepEqual(told, ['full']);
  await limitPages(1_000_000);
  await store.probe();
  await fill(store);
});

test('a probe finds a disk that cannot be written, and writes nothing that others would hear of', async () => {
  const path = newFile();
  await using store = await openSqliteAccountStore(path);
  await fill(store);
  const before = await store.audit({ limit: 500 });
  await store.probe();
  assert.deepEqual(await store.audit({ limit: 500 }), before);
  const database = openSqliteDatabase(newFile());
  await using readOnly = await openSqlAccountStore(database);
  await sql.raw('PRAGMA query_only = ON').execute(database.kysely);
  await assert.rejects(readOnly.probe(), isTrouble('failing'));
});

test('failures are told apart by what they say about the database', () => {
  const failure = (errcode: number) => Object.assign(new Error('as told'), { errcode });
  const EXTENDED = 1 << 8;
  for (const [errcode, trouble] of [
    [11, 'damaged'],
    [11 + EXTENDED, 'damaged'],
    [26, 'damaged'],
    [13, 'full'],
    [10 + 3 * EXTENDED, 'failing'],
    [8, 'failing'],
    [5, 'busy'],
  ] as const) {
    assert.equal(troubleOf(failure(errcode))?.trouble, trouble);
  }
  for (const other of [failure(19), failure(1), new Error('ours'), null, 'text']) {
    assert.equal(troubleOf(other), null);
  }
});

test('what stands beside the database is closed to others too, whoever left it there', async () => {
  const path = await filledFile();
  using outside = new DatabaseSync(path);
  outside.exec("PRAGMA journal_mode = WAL; UPDATE accounts SET name = 'x' WHERE name = 'y'");
  outside.exec('PRAGMA user_version = 0');
  for (const file of [path, `${path}-wal`, `${path}-shm`]) chmodSync(file, 0o666);
  await using _store = await openSqliteAccountStore(path);
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    assert.equal(statSync(file).mode & 0o777, 0o600, file);
  }
});
