/** Accounts and their grants. A change and its audit event are one transaction. */

import { type Grant, planAt } from '@tapeloom/core/entitlement/plan';
import type { Kysely } from 'kysely';
import type { AccountSchema } from '../store/account-schema.ts';
import { tell, type Writing } from '../store/sql-audit.ts';
import type { Sql } from '../store/sql-database.ts';
import type { StoreCall } from '../store/store-call.ts';
import { accountOf, grantOf } from './account-rows.ts';
import type { AccountRow } from './key-tables.ts';
import type { AccountRecord } from './keys-store.ts';

/** The source of operators' grants; other sources are order ids. */
export const OPERATOR = 'operator';

export async function createAccount(
  writing: Writing,
  call: StoreCall,
  id: string,
  { name, grants }: { readonly name: string; readonly grants: readonly Grant[] },
): Promise<AccountRecord | { readonly refused: 'name-taken' }> {
  const row = await writing.sql
    .insertInto('accounts')
    .values({ id, name, created_at: call.now, suspended_at: null, revision: 0 })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return { refused: 'name-taken' };
  await insertGrants(writing.sql, id, { source: OPERATOR, grants });
  const details = { name, plan: planAt(grants, call.now), grants: plainGrants(grants) };
  await tell(writing, call, { kind: 'account.created', accountId: id, keyId: null, details });
  return accountOf(row, grants);
}

/** An id takes precedence over an equal name. */
export async function findAccount(sql: Sql, idOrName: string): Promise<AccountRecord | null> {
  const rows = await sql
    .selectFrom('accounts')
    .selectAll()
    .where((eb) => eb.or([eb('id', '=', idOrName), eb('name', '=', idOrName)]))
    .execute();
  const row = rows.find(({ id }) => id === idOrName) ?? rows[0];
  return row === undefined ? null : accountOf(row, await grantsOf(sql, row.id));
}

export async function listAccounts(sql: Sql): Promise<readonly AccountRecord[]> {
  const rows = await sql
    .selectFrom('accounts')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const grants = await sql.selectFrom('grants').selectAll().orderBy('position').execute();
  const byAccount = Map.groupBy(grants, (grant) => grant.account_id);
  return rows.map((row) => accountOf(row, (byAccount.get(row.id) ?? []).map(grantOf)));
}

/** Replaces the operators' grants; grants of orders stay. */
export async function setGrants(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  grants: readonly Grant[],
): Promise<AccountRecord | null> {
  const row = await holdAccount(writing.sql, accountId);
  if (row === undefined) return null;
  return accountOf(
    row,
    await replaceGrants(writing, call, accountId, { source: OPERATOR, grants }),
  );
}

export interface SourcedGrants {
  readonly source: string;
  readonly grants: readonly Grant[];
}

/** The caller must hold the account's row. Returns the grants of all sources together. */
export async function replaceGrants(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  granted: SourcedGrants,
): Promise<readonly Grant[]> {
  const { sql } = writing;
  const before = await grantsOf(sql, accountId);
  await sql
    .deleteFrom('grants')
    .where('account_id', '=', accountId)
    .where('source', '=', granted.source)
    .execute();
  await insertGrants(sql, accountId, granted);
  const after = await grantsOf(sql, accountId);
  const details = {
    before: planAt(before, call.now),
    after: planAt(after, call.now),
    grants: plainGrants(after),
    ...(granted.source === OPERATOR ? {} : { order: granted.source }),
  };
  await tell(writing, call, { kind: 'account.plan-changed', accountId, keyId: null, details });
  return after;
}

/** Setting the present state again changes nothing and is not audited. */
export async function setSuspended(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  isSuspended: boolean,
): Promise<AccountRecord | null> {
  const held = await holdAccount(writing.sql, accountId);
  if (held === undefined) return null;
  const grants = await grantsOf(writing.sql, accountId);
  if ((held.suspended_at !== null) === isSuspended) return accountOf(held, grants);
  const row = await writing.sql
    .updateTable('accounts')
    .set({ suspended_at: isSuspended ? call.now : null })
    .where('id', '=', accountId)
    .returningAll()
    .executeTakeFirstOrThrow();
  const kind = isSuspended ? 'account.suspended' : 'account.resumed';
  await tell(writing, call, { kind, accountId, keyId: null, details: {} });
  return accountOf(row, grants);
}

/**
 * Locks the account's row until the transaction ends: other changes of its keys or grants wait, and then see this one.
 * It is a write, since both databases make writes wait.
 */
export function holdAccount(sql: Sql, accountId: string): Promise<AccountRow | undefined> {
  return sql
    .updateTable('accounts')
    .set((eb) => ({ revision: eb('revision', '+', 1n) }))
    .where('id', '=', accountId)
    .returningAll()
    .executeTakeFirst();
}

export async function grantsOf(
  database: Kysely<AccountSchema>,
  accountId: string,
): Promise<readonly Grant[]> {
  const rows = await database
    .selectFrom('grants')
    .select(['plan', 'until'])
    .where('account_id', '=', accountId)
    .orderBy('position')
    .execute();
  return rows.map(grantOf);
}

/** Adds them after the account's existing grants. */
async function insertGrants(
  sql: Sql,
  accountId: string,
  { source, grants }: SourcedGrants,
): Promise<void> {
  if (grants.length === 0) return;
  const last = await sql
    .selectFrom('grants')
    .select((eb) => eb.fn.max('position').as('position'))
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const first = last?.position === undefined || last.position === null ? 0n : last.position + 1n;
  const rows = grants.map(({ plan, until }, index) => ({
    account_id: accountId,
    position: first + BigInt(index),
    plan,
    until,
    source,
  }));
  await sql.insertInto('grants').values(rows).execute();
}

/** Instants are decimal text, as everywhere in JSON. */
function plainGrants(grants: readonly Grant[]): readonly unknown[] {
  return grants.map(({ plan, until }) => ({ plan, until: until === null ? null : String(until) }));
}
