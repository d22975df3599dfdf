/** Properties that PostgreSQL must ensure and a single-process database has by itself. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { sql } from 'kysely';
import { PostgresServer } from '../../../../testing/platform/postgres-server.ts';
import { openPostgres } from '../../../platform/postgres/postgres.ts';
import type { NewKey } from '../../keys/keys-store.ts';
import type { AccountStore } from '../account-store.ts';
import { openSqlAccountStore } from '../sql-account-store.ts';
import { openPostgresAccountStore } from './postgres-account-store.ts';
import { openPostgresDatabase } from './postgres-database.ts';

const NOW = 1_790_000_000_123_456_789n as EpochNs;
const OPERATOR = { now: NOW, actor: { kind: 'operator' } } as const;
const KEY: NewKey = {
  name: 'a key',
  environment: 'live',
  scopes: ['stream'],
  instruments: null,
  allowedIps: null,
  expiresAt: null,
};

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.start();
});
after(async () => await server[Symbol.asyncDispose]());

async function accountIn(store: AccountStore, name: string): Promise<string> {
  const account = await store.createAccount(OPERATOR, { name, grants: [] });
  assert.ok('id' in account);
  return account.id;
}

test('of four nodes that make the tables of an empty database at once, all four begin', async () => {
  const url = await server.database();
  const opening = Array.from({ length: 4 }, () => openPostgresAccountStore({ url }));
  const stores = await Promise.all(opening);
  const id = await accountIn(stores[0]!, 'a');
  for (const store of stores) {
    assert.equal((await store.findAccount('a'))?.id, id);
    await store[Symbol.asyncDispose]();
  }
});

test('numbers of the audit log follow commits: who reads on from the last one he saw misses no revocation', async () => {
  const url = await server.database();
  const stores = [await openPostgresAccountStore({ url }), await openPostgresAccountStore({ url })];
  await using postgres = openPostgres({ url });
  const seen: bigint[] = [];
  let isOver = false;
  const look = async () => {
    const rows = await postgres.query<{ sequence: bigint }>(
      'select sequence from audit_log where sequence > $1 order by sequence',
      [seen.at(-1) ?? 0n],
    );
    seen.push(...rows.map(({ sequence }) => sequence));
  };
  const reading = (async () => {
    while (!isOver) await look();
    await look();
  })();
  const heard = stores.map(() => new Set<string>());
  for (const [index, store] of stores.entries()) {
    store.onChange(({ kind, keyId }) => kind === 'key.revoked' && heard[index]!.add(keyId!));
  }
  const revoked: string[] = [];
  const write = async (caller: number) => {
    const store = stores[caller % stores.length]!;
    const accountId = await accountIn(store, `account ${caller}`);
    for (let round = 0; round < 6; round += 1) {
      const hash = createHash('sha256').update(`${caller} ${round}`).digest('hex');
      const key = await store.createKey(OPERATOR, accountId, KEY, { hash, hint: 'abcd' });
      assert.ok('id' in key);
      await store.revokeKey(OPERATOR, accountId, key.id);
      revoked.push(key.id);
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, caller) => write(caller)));
  isOver = true;
  await reading;
  const all = await postgres.query<{ sequence: bigint }>(
    'select sequence from audit_log order by sequence',
  );
  assert.deepEqual(
    seen,
    all.map(({ sequence }) => sequence),
  );
  for (const ids of heard) {
    while (ids.size < revoked.length) await new Promise(setImmediate);
    assert.deepEqual([...ids].sort(), revoked.toSorted());
  }
  for (const store of stores) await store[Symbol.asyncDispose]();
});

test('many who reserve one id at once are all granted, and it is taken once', async () => {
  const url = await server.database();
  const stores = [await openPostgresAccountStore({ url }), await openPostgresAccountStore({ url })];
  const accountId = await accountIn(stores[0]!, 'a');
  const request = {
    accountId,
    keyId: 'key_1',
    budget: 'computeUnits',
    amount: 10,
    limit: 100,
    testLimit: null,
    period: '2026-09',
    expiresAt: (NOW + 1n) as EpochNs,
  } as const;
  for (let round = 0; round < 5; round += 1) {
    const wishes = Array.from({ length: 8 }, (_, index) =>
      stores[index % 2]!.reserve(NOW, { ...request, id: `${round}` }),
    );
    const verdicts = await Promise.all(wishes);
    assert.ok(verdicts.every(({ granted }) => granted));
  }
  const { reserved } = await stores[1]!.usageOf(NOW, accountId, request.period);
  assert.equal(reserved.computeUnits, 50);
  for (const store of stores) await store[Symbol.asyncDispose]();
});

test('events of the audit log cannot be changed or removed, not even by SQL', async () => {
  const database = openPostgresDatabase({ url: await server.database() });
  await using store = await openSqlAccountStore(database);
  await accountIn(store, 'a');
  const before = await store.audit({ limit: 9 });
  for (const statement of [
    "update audit_log set actor = 'nobody'",
    'update audit_log set count = count + 1',
    'update audit_log set last_at = 1',
    'delete from audit_log',
  ]) {
    const changing = sql.raw(statement).execute(database.kysely);
    await assert.rejects(changing, /audit_log (keeps|counts)/);
  }
  assert.deepEqual(await store.audit({ limit: 9 }), before);
});

test('a database that would lose commits is refused', async () => {
  const url = await server.database();
  const name = new URL(url).pathname.slice(1);
  await using postgres = openPostgres({ url });
  await postgres.query(`alter database ${name} set synchronous_commit = off`);
  await assert.rejects(openPostgresAccountStore({ url }), /synchronous_commit is off/);
});
