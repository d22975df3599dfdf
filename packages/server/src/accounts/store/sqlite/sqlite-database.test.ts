import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { sql } from 'kysely';
import { openSqlAccountStore } from '../sql-account-store.ts';
import { openSqliteAccountStore } from './sqlite-account-store.ts';
import { openSqliteDatabase, requireSoundSqlite, SqliteVersionError } from './sqlite-database.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-sqlite-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let files = 0;

const NOW = 1_790_000_000_123_456_789n as EpochNs;
const OPERATOR = { now: NOW, actor: { kind: 'operator' } } as const;

function newFile(): string {
  files += 1;
  return join(directory, `${files}.db`);
}

test('the database has a write-ahead log, syncs every commit, and waits for other writers [SEC-34]', async () => {
  await using database = openSqliteDatabase(newFile());
  const read = async (pragma: string) => {
    const { rows } = await sql.raw<object>(`PRAGMA ${pragma}`).execute(database.kysely);
    return Object.values(rows[0]!)[0];
  };
  assert.equal(await read('journal_mode'), 'wal');
  const full = 2n;
  assert.equal(await read('synchronous'), full);
  assert.equal(await read('busy_timeout'), 5_000n);
  assert.equal(await read('foreign_keys'), 1n);
});

test('a version of SQLite with a known fault is refused with a sentence [SEC-34]', () => {
  for (const sound of ['3.51.3', '3.51.10', '3.52.0', '4.0.0']) requireSoundSqlite(sound);
  requireSoundSqlite();
  for (const faulty of ['3.51.2', '3.51', '3.50.99', '3.9.3', '2.99.99', '0', '']) {
    assert.throws(() => requireSoundSqlite(faulty), SqliteVersionError, faulty);
  }
  assert.throws(() => requireSoundSqlite('3.46.0'), /carries SQLite 3\.46\.0, .* need 3\.51\.3/);
});

test('nothing but statements is awaited in a transaction: a call ends in the turn it began in [SEC-34]', async () => {
  await using store = await openSqliteAccountStore(newFile());
  let turns = 0;
  const within = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    const before = turns;
    setImmediate(() => {
      turns += 1;
    });
    const result = await call();
    assert.equal(turns, before);
    return result;
  };
  const account = await within(() =>
    store.createAccount(OPERATOR, { name: 'a', grants: [{ plan: 'live', until: null }] }),
  );
  assert.ok('id' in account);
  const rights = {
    name: 'k',
    environment: 'live',
    scopes: ['keys'],
    instruments: null,
    allowedIps: null,
    expiresAt: null,
  } as const;
  const digest = (hash: string) => ({ hash, hint: 'hint' });
  const key = await within(() => store.createKey(OPERATOR, account.id, rights, digest('1')));
  assert.ok('id' in key);
  const keyId = key.id;
  const expiresAt = (NOW + 1n) as EpochNs;
  await within(() => store.issueToken(NOW, { hash: 't', keyId, expiresAt }));
  await within(() => store.consumeToken(NOW, 't'));
  await within(() => store.rotateKey(OPERATOR, account.id, keyId, 1, digest('2')));
  await within(() => store.revokeKey(OPERATOR, account.id, keyId));
  const request = { accountId: account.id, budget: 'exportBytes', period: '2026-09' } as const;
  const reservation = { ...request, keyId, amount: 1, limit: 9, testLimit: 9, expiresAt };
  await within(() => store.reserve(NOW, { ...reservation, id: 'r' }));
  await within(() => store.settle(NOW, 'r', { amount: 1 }));
  await within(() => store.sweep(expiresAt));
  await within(() => store.setSuspended(OPERATOR, account.id, true));
  await within(() => store.setGrants(OPERATOR, account.id, []));
});

test('events of the audit log cannot be changed or removed, not even by SQL', async () => {
  const database = openSqliteDatabase(newFile());
  await using store = await openSqlAccountStore(database);
  await store.createAccount(OPERATOR, { name: 'a', grants: [] });
  const before = await store.audit({ limit: 9 });
  for (const statement of [
    "UPDATE audit_log SET actor = 'nobody'",
    'UPDATE audit_log SET count = count + 1',
    'UPDATE audit_log SET last_at = 1',
    'DELETE FROM audit_log',
  ]) {
    const changing = sql.raw(statement).execute(database.kysely);
    await assert.rejects(changing, /audit_log (keeps|counts)/);
  }
  await sql.raw('DELETE FROM audit_beginning').execute(database.kysely);
  await assert.rejects(
    sql.raw('DELETE FROM audit_log').execute(database.kysely),
    /audit_log keeps/,
  );
  assert.deepEqual(await store.audit({ limit: 9 }), before);
});

test('a call that finds the disk full changes nothing, and the store goes on when there is room', async () => {
  const database = openSqliteDatabase(newFile());
  await using store = await openSqlAccountStore(database);
  const limitPages = (pages: number) =>
    sql.raw(`PRAGMA max_page_count = ${pages}`).execute(database.kysely);
  await limitPages(1);
  const wide = { name: 'x'.repeat(100_000), grants: [] };
  await assert.rejects(store.createAccount(OPERATOR, wide), /full/);
  assert.deepEqual([await store.listAccounts(), await store.audit({ limit: 9 })], [[], []]);
  await limitPages(1_000_000);
  assert.ok('id' in (await store.createAccount(OPERATOR, wide)));
});

test('the file and what stands beside it belong to their owner alone', async () => {
  const [made, found] = [newFile(), newFile()];
  writeFileSync(found, '');
  chmodSync(found, 0o644);
  for (const path of [made, found]) {
    await using _store = await openSqliteAccountStore(path);
    const beside = readdirSync(directory).filter((name) => join(directory, name).startsWith(path));
    assert.equal(beside.length, 3);
    for (const name of beside) assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600);
  }
});

test('one thread opens a file once at a time', async () => {
  const path = newFile();
  {
    await using _store = await openSqliteAccountStore(path);
    assert.throws(() => openSqliteDatabase(path), /open already/);
  }
  await using _again = await openSqliteAccountStore(path);
});

test('a file that is no database is refused, and can be opened once it is one', async () => {
  const path = newFile();
  writeFileSync(path, 'this is not a database, but it is long enough to be looked at'.repeat(50));
  await assert.rejects(async () => openSqliteAccountStore(path), /not a database/);
  rmSync(path);
  await using _store = await openSqliteAccountStore(path);
});

test('more different statements than are kept ready all work', async () => {
  await using database = openSqliteDatabase(':memory:');
  for (let round = 0; round < 2; round += 1) {
    for (let index = 0; index < 400; index += 1) {
      const { rows } = await sql
        .raw<{ n: bigint }>(`SELECT ${index} AS n`)
        .execute(database.kysely);
      assert.deepEqual(
        rows.map(({ n }) => n),
        [BigInt(index)],
      );
    }
  }
});
