import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Kysely, KyselyPlugin } from 'kysely';
import {
  fillStore,
  fixtureOf,
  sqlOf,
} from '../../../../testing/accounts/store/migration-fixture.ts';
import type { AccountStore } from '../account-store.ts';
import { openSqliteAccountStore } from '../sqlite/sqlite-account-store.ts';
import { openSqliteDatabase } from '../sqlite/sqlite-database.ts';
import { AccountsHandle } from '../thread/accounts-handle.ts';
import { hasSchema, MIGRATIONS, migrate, SCHEMA_VERSION, SchemaTooNewError } from './migrate.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-migrate-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let files = 0;

function newFile(): string {
  files += 1;
  return join(directory, `${files}.db`);
}

function onFile<Result>(path: string, use: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(path);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Tables, indexes and triggers of a database, without its rows. */
function schemaOf(path: string): readonly unknown[] {
  return onFile(path, (database) =>
    database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all(),
  );
}

async function openAndClose(path: string): Promise<void> {
  await (await openSqliteAccountStore(path))[Symbol.asyncDispose]();
}

/** Checks the data of `fillStore`, whichever program wrote it. */
async function assertFilled(store: AccountStore): Promise<void> {
  const account = await store.findAccount('fixture');
  assert.ok(account !== null);
  assert.equal(account.createdAt, 1_790_000_000_123_456_789n);
  assert.deepEqual(account.grants, [{ plan: 'live', until: 1_790_086_400_123_456_789n }]);
  const old = await store.findKey('a'.repeat(64));
  const renewed = await store.findKey('b'.repeat(64));
  assert.ok(old !== null && renewed !== null);
  assert.equal(old.key.rotatedTo, renewed.key.id);
  assert.deepEqual(renewed.key.instruments, ['ES.c.0']);
  const now = account.createdAt;
  assert.deepEqual(await store.usageOf(now, account.id, '2026-09'), {
    used: { computeUnits: 7, historyItems: 3, exportBytes: 0, restRequests: 0 },
    reserved: { computeUnits: 10, exportBytes: 0 },
    tests: {
      used: { computeUnits: 0, historyItems: 0, exportBytes: 0, restRequests: 0 },
      reserved: { computeUnits: 0, exportBytes: 0 },
    },
  });
  // The token exists, so its digest cannot be issued again.
  const again = { hash: 'c'.repeat(64), keyId: renewed.key.id, expiresAt: now };
  await assert.rejects(store.issueToken(now, again), /UNIQUE/);
  assert.equal(await store.voidReservation(now, 'open'), true);
  const told = await store.audit({ limit: 10 });
  assert.deepEqual(
    // Later programs add more events.
    told.slice(0, 3).map(({ kind }) => kind),
    ['account.created', 'key.created', 'key.rotated'],
  );
  const later = { now: (now + 1n) as EpochNs, actor: { kind: 'operator' } } as const;
  assert.ok(await store.setSuspended(later, account.id, true));
}

test('a database of every version of the schema comes to the newest with all it holds', async () => {
  const fresh = newFile();
  {
    await using store = await openSqliteAccountStore(fresh);
    await fillStore(store);
    await assertFilled(store);
  }
  for (let version = 1; version <= SCHEMA_VERSION; version += 1) {
    const text = fixtureOf(version);
    assert.ok(text !== null, `no fixture of version ${version}: see migrations/fixture.ts`);
    const path = newFile();
    onFile(path, (database) => database.exec(text));
    {
      await using store = await openSqliteAccountStore(path);
      await assertFilled(store);
    }
    assert.deepEqual(schemaOf(path), schemaOf(fresh), `version ${version}`);
  }
});

test('use of before keys were told apart counts as live use of the account, and a test key begins with nothing', async () => {
  const path = newFile();
  onFile(path, (database) => database.exec(fixtureOf(1)!));
  await using store = await openSqliteAccountStore(path);
  const { id, createdAt: now } = (await store.findAccount('fixture'))!;
  assert.deepEqual(await store.usageByKey(id, '2026-09'), []);
  const request = { accountId: id, keyId: 'k', budget: 'computeUnits', period: '2026-09' } as const;
  const expiresAt = (now + 1n) as EpochNs;
  // The account has used 7 and reserved 10 of 100; its test keys nothing of 90.
  const asked = { ...request, limit: 100, testLimit: 90, expiresAt };
  assert.deepEqual(await store.reserve(now, { ...asked, id: 'a', amount: 84 }), {
    granted: false,
    remaining: 83,
  });
  const alone = { ...asked, limit: null, amount: 91 };
  assert.deepEqual(await store.reserve(now, { ...alone, id: 'b' }), {
    granted: false,
    remaining: 90,
  });
  // A reservation from then is settled now; it belongs to no key.
  assert.equal(await store.settle(now, 'open', { amount: 8 }), true);
  assert.deepEqual((await store.usageOf(now, id, '2026-09')).used.computeUnits, 15);
  assert.deepEqual(await store.usageByKey(id, '2026-09'), []);
});

test('an account with more ended keys than a list holds now lists them all, and makes the next one when there is room', async () => {
  const path = newFile();
  onFile(path, (database) => {
    database.exec(fixtureOf(3)!);
    database.exec(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
      INSERT INTO keys (id, account_id, hash, hint, name, environment, scopes, created_at, revoked_at)
      SELECT 'key_' || i, accounts.id, 'hash ' || i, 'hint', 'old', 'live', '["stream"]',
        accounts.created_at - 1501 + i, accounts.created_at - 1500 + i FROM n, accounts;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
      INSERT INTO audit_log (at, kind, account_id, actor, details)
      SELECT created_at, 'key.management-refused', id, 'key_1', '{}' FROM n, accounts;
    `);
  });
  await using store = await openSqliteAccountStore(path);
  const { id, createdAt: now } = (await store.findAccount('fixture'))!;
  assert.equal((await store.listKeys(now, id)).length, 1_502);
  const rights = (await store.findKeyById(id, 'key_7'))!.key;
  const create = (time: bigint) =>
    store.createKey({ now: time as EpochNs, actor: { kind: 'operator' } }, id, rights, {
      hash: 'new',
      hint: 'new',
    });
  // Of the fixture's two keys one is valid, and one expires after an hour: 998 of the others fill the list.
  const until = now - 1_500n + 503n + 30n * 86_400_000_000_000n;
  assert.deepEqual(await create(now), { refused: 'list-full', until });
  assert.deepEqual(await create(until - 1n), { refused: 'list-full', until });
  assert.ok('id' in (await create(until)));
  const refusals = await store.audit({ accountId: id, limit: 100 });
  const counts = refusals.filter(({ kind }) => kind.endsWith('refused')).map(({ count }) => count);
  assert.deepEqual(counts, [1, 1, 1, 1, 1, 1, 1], 'events of before stay as they are');
});

test('a request that an earlier version has remembered is not done again', async () => {
  const path = newFile();
  onFile(path, (database) => database.exec(fixtureOf(14)!));
  await using store = await openSqliteAccountStore(path);
  const { id: accountId, createdAt: now } = (await store.findAccount('fixture'))!;
  const keyId = (await store.findKey('a'.repeat(64)))!.key.id;
  const once = { idempotencyKey: 'once', request: 'd'.repeat(64) };
  const before = { refused: 'done-before', answer: 'done' };
  assert.deepEqual(await store.findOnce(now, { accountId, keyId, once }), before);
});

test('a receipt that an earlier version had still to mail is owed', async () => {
  const path = newFile();
  onFile(path, (database) => {
    database.exec(fixtureOf(6)!);
    for (const [order, toldAt] of [
      ['ord_told', '1'],
      ['ord_untold', 'NULL'],
    ]) {
      database.exec(`
        INSERT INTO withdrawals (order_id, account_id, at, via, email, statement, statement_sha256,
          amount_minor, unused_ns, period_ns, state, attempts, told_at)
        SELECT '${order}', id, 5, 'portal', 'ada@example.com', 'I withdraw', '', 0, 0, 1, 'open', 0, ${toldAt}
        FROM accounts LIMIT 1`);
    }
  });
  await using store = await openSqliteAccountStore(path);
  const now = 10n as EpochNs;
  const owed = await store.mails.takeMails(now, now, 10);
  assert.deepEqual(
    owed.map(({ id, reader }) => [id, reader]),
    [['withdrawal-received.ord_untold', 'ada@example.com']],
  );
});

test('migrations one by one lead to the same schema as all at once', async () => {
  const [steps, whole, empty] = [newFile(), newFile(), newFile()];
  for (let version = 1; version <= SCHEMA_VERSION; version += 1) {
    await using database = openSqliteDatabase(steps);
    await migrate(database.kysely as Kysely<unknown>, database.schema, version);
  }
  await openAndClose(whole);
  onFile(empty, () => undefined);
  await openAndClose(empty);
  assert.deepEqual(schemaOf(steps), schemaOf(whole));
  assert.deepEqual(schemaOf(empty), schemaOf(whole));
  assert.deepEqual(
    MIGRATIONS.map(({ version }) => version),
    MIGRATIONS.map((_, index) => index + 1),
  );
});

test('a fixture is made from a database and makes that database again', async () => {
  const [first, second] = [newFile(), newFile()];
  {
    await using store = await openSqliteAccountStore(first);
    await fillStore(store);
  }
  const text = onFile(first, sqlOf);
  onFile(second, (database) => database.exec(text));
  assert.equal(onFile(second, sqlOf), text);
  assert.deepEqual(schemaOf(second), schemaOf(first));
});

test('a database that a newer program has used is refused with a sentence, and not touched', async () => {
  const path = newFile();
  await openAndClose(path);
  onFile(path, (database) => database.exec('INSERT INTO schema_version VALUES (70)'));
  const before = onFile(path, sqlOf);
  await assert.rejects(openSqliteAccountStore(path), (error) => {
    assert.ok(error instanceof SchemaTooNewError);
    assert.match(error.message, /schema version 70, but this program knows versions up to \d+:/);
    return true;
  });
  const opening = AccountsHandle.open({ path, onFault: assert.ifError });
  await assert.rejects(opening, /schema version 70/);
  assert.equal(onFile(path, sqlOf), before);
});

test('a migration that fails leaves the version before it', async () => {
  const path = newFile();
  const begun = 'CREATE TABLE schema_version (version bigint PRIMARY KEY)';
  onFile(path, (database) => database.exec(`${begun}; CREATE TABLE audit_log (other)`));
  await assert.rejects(openSqliteAccountStore(path));
  onFile(path, (database) => database.exec('DROP TABLE audit_log'));
  const left = schemaOf(path).map((part) => (part as { name: string }).name);
  assert.deepEqual(left, ['sqlite_autoindex_schema_version_1', 'schema_version']);
  await openAndClose(path);
});

test('several that open a new database at once all find it ready', async () => {
  const path = newFile();
  await using handles = new AsyncDisposableStack();
  const opening = Array.from({ length: 3 }, async () =>
    handles.use(await AccountsHandle.open({ path, onFault: assert.ifError })),
  );
  // Waits for all, so that none is left behind when one fails.
  await Promise.allSettled(opening);
  const [first, , last] = await Promise.all(opening);
  await fillStore(first!);
  await assertFilled(last!);
});

test('the first version may be made by another process between two looks at the schema', async () => {
  const path = newFile();
  await using database = openSqliteDatabase(path);
  const kysely = database.kysely as Kysely<unknown>;
  let [isList, isMade] = [false, false];
  const meanwhile: KyselyPlugin = {
    transformQuery: ({ node }) => {
      isList = node.kind === 'SelectQueryNode';
      return node;
    },
    // After the list of versions was read, which was empty.
    transformResult: async ({ result }) => {
      if (isList && !isMade) {
        isMade = true;
        await using _other = await AccountsHandle.open({ path, onFault: assert.ifError });
      }
      return result;
    },
  };
  await database.kysely.schema
    .createTable('schema_version')
    .addColumn('version', 'bigint', (column) => column.primaryKey())
    .execute();
  await migrate(kysely.withPlugin(meanwhile), database.schema);
  assert.equal(isMade, true);
  assert.equal(await hasSchema(kysely), true);
});

test('a database whose list of versions lacks rows is refused in words, and left as it is', async () => {
  for (const spoil of [
    'delete from schema_version',
    'delete from schema_version where version = 3',
  ]) {
    const path = newFile();
    await openAndClose(path);
    onFile(path, (database) => database.exec(spoil));
    const before = schemaOf(path);
    await assert.rejects(openSqliteAccountStore(path), (error: Error) => {
      assert.match(error.message, /schema_version should list every version.*Restore a backup/);
      return !/SQL|already exists|constraint/i.test(error.message.replaceAll('schema_version', ''));
    });
    assert.deepEqual(schemaOf(path), before);
  }
});
