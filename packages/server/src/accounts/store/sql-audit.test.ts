import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { sql } from 'kysely';
import { DAY_NS, START } from '../../../testing/accounts/store/account-store-rig.ts';
import { openSqlAccountStore } from './sql-account-store.ts';
import { openSqliteDatabase } from './sqlite/sqlite-database.ts';
import { AccountsHandle } from './thread/accounts-handle.ts';

const KEPT_NS = 30n * DAY_NS;

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-audit-'));
after(() => rmSync(directory, { recursive: true, force: true }));

function at(day: bigint) {
  return { now: (START + day * DAY_NS) as EpochNs, actor: { kind: 'operator' } } as const;
}

test('events older than was chosen go in short steps, all others stay, and without a choice none goes [SEC-40]', async () => {
  const database = openSqliteDatabase(':memory:');
  await using store = await openSqlAccountStore(database);
  await sql`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1203)
    insert into audit_log (at, kind, account_id, actor, details)
    select ${START} - (i <= 3), 'account.resumed', 'acc', 'operator', '{}' from n
  `.execute(database.kysely);
  for (const name of ['a', 'b']) await store.createAccount(at(1n), { name, grants: [] });
  const now = (START + KEPT_NS) as EpochNs;
  const sequences = async () =>
    (await store.audit({ limit: 10_000 })).map(({ sequence }) => sequence);
  const before = await sequences();
  await store.sweep(now);
  assert.deepEqual(await sequences(), before);
  await store.sweep(now, KEPT_NS);
  assert.deepEqual(await sequences(), before.slice(3), 'what is just as old as was chosen stays');

  const seen = new Set<number>();
  let isSwept = false;
  const sweeping = store.sweep((now + 1n) as EpochNs, KEPT_NS).then(() => {
    isSwept = true;
  });
  while (!isSwept) seen.add((await sequences()).length);
  await sweeping;
  assert.deepEqual(await sequences(), before.slice(-2));
  assert.ok(seen.has(702) && seen.has(202), `others have their turn between steps: ${[...seen]}`);

  // The remaining events are as protected as before, also against SQL.
  const removal = sql`delete from audit_log`.execute(database.kysely);
  await assert.rejects(removal, /audit_log keeps what is not older than its beginning/);
});

test('a log that was trimmed to nothing still tells other processes of every change', async () => {
  const path = join(directory, 'feed.db');
  await using store = await openSqlAccountStore(openSqliteDatabase(path));
  const account = await store.createAccount(at(0n), { name: 'a', grants: [] });
  assert.ok('id' in account);
  await using other = await AccountsHandle.open({ path, onFault: assert.ifError });
  const { promise, resolve } = Promise.withResolvers<string>();
  using _ = other.onChange(({ kind }) => resolve(kind));
  await store.sweep(at(31n).now, KEPT_NS);
  assert.deepEqual(await store.audit({ limit: 9 }), []);
  // A store that opens now finds no last number to resume from.
  await using late = await AccountsHandle.open({ path, onFault: assert.ifError });
  const lateHeard = Promise.withResolvers<string>();
  using _late = late.onChange(({ kind }) => lateHeard.resolve(kind));
  await store.setSuspended(at(31n), account.id, true);
  assert.deepEqual(await Promise.all([promise, lateHeard.promise]), [
    'account.suspended',
    'account.suspended',
  ]);
  const [event] = await store.audit({ limit: 9 });
  assert.equal(event!.sequence, 2, 'a number is never used again');
});
