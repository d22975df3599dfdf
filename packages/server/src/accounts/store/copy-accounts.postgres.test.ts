import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PostgresServer } from '../../../testing/platform/postgres-server.ts';
import { AccountsThereError, accountsProof, areEqual, copyAccounts } from './copy-accounts.ts';
import { openPostgresDatabase } from './postgres/postgres-database.ts';
import type { SqlDatabase } from './sql-database.ts';
import { openSqliteDatabase } from './sqlite/sqlite-database.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-copy-'));
let server: PostgresServer;

before(async () => {
  server = await PostgresServer.start();
});

after(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

async function fill({ kysely }: SqlDatabase, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const id = `acc_${index % 2 === 0 ? 'A' : 'é'}${index}`;
    const created_at = 1_794_895_245_519_922_776n + BigInt(index);
    await kysely
      .insertInto('accounts')
      .values({ id, name: id, created_at, suspended_at: null, revision: 0 })
      .execute();
    await kysely
      .insertInto('grants')
      .values({ account_id: id, position: 0, plan: 'live', until: created_at, source: 'operator' })
      .execute();
  }
}

test('accounts go from one database into another and back, row by row the same', async () => {
  await using alone = openSqliteDatabase(join(directory, 'a.db'));
  await using shared = openPostgresDatabase({ url: await server.database() });
  await using again = openSqliteDatabase(join(directory, 'b.db'));
  for (const database of [alone, shared, again]) await database.migrate();
  await fill(alone, 620);
  const proof = await accountsProof(alone);
  assert.deepEqual(
    proof.filter(({ rows }) => rows > 1).map(({ table, rows }) => [table, rows]),
    [
      ['accounts', 620],
      ['grants', 620],
    ],
  );
  await copyAccounts(alone, shared);
  assert.ok(areEqual(await accountsProof(shared), proof));
  await copyAccounts(shared, again);
  assert.ok(areEqual(await accountsProof(again), proof));
  await assert.rejects(copyAccounts(alone, shared), AccountsThereError);
  await again.kysely
    .updateTable('accounts')
    .set({ revision: 1 })
    .where('name', '=', 'acc_A0')
    .execute();
  assert.ok(!areEqual(await accountsProof(again), proof));
});
