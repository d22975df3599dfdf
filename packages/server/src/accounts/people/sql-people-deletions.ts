/**
 * Deletion of an account, two weeks after its owner's request unless that is withdrawn. Records that must be kept
 * (audit events, consents, payments) keep the account's id, which leads to no person. The last mail keeps the address
 * until delivered.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { holdAccount } from '../keys/sql-accounts.ts';
import { removeLayoutsOf } from '../layouts/sql-layout-removal.ts';
import { owe } from '../mails/sql-owe.ts';
import { tell, toldTooOften, type Writing } from '../store/sql-audit.ts';
import type { Sql } from '../store/sql-database.ts';
import type { StoreCall } from '../store/store-call.ts';
import {
  DELETION_GRACE_NS,
  DELETIONS_ASKED_MAX,
  DELETIONS_COUNTED_NS,
  type DeletionRecord,
  type LinkRefused,
  type TooMany,
} from './people-store.ts';
import { mailboxTurn, ownersLinkFault, useLink } from './sql-people-links.ts';
import { findOwner } from './sql-people-owners.ts';
import { endSessions } from './sql-people-sessions.ts';

const DUE_AT_ONCE_MAX = 1_000;

export async function deletionOf(sql: Sql, accountId: string): Promise<DeletionRecord | null> {
  const row = await sql
    .selectFrom('account_deletions')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    accountId,
    askedAt: row.asked_at as EpochNs,
    dueAt: row.due_at as EpochNs,
    doneAt: row.done_at as EpochNs | null,
  };
}

export async function askDeletion(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  hash: string | null,
  isNow = false,
): Promise<(DeletionRecord & { readonly isNew: boolean }) | TooMany | LinkRefused> {
  const { sql } = writing;
  const purpose = 'deletion';
  await holdAccount(sql, accountId);
  if (hash !== null) {
    const fault = await ownersLinkFault(sql, call.now, hash, { purpose, accountId });
    if (fault !== null) return fault;
  }
  const before = await deletionOf(sql, accountId);
  const refused = before === null ? await askedTooOften(sql, call.now, accountId) : null;
  if (refused !== null) return refused;
  if (hash !== null) await useLink(sql, call.now, hash, purpose);
  if (before !== null) {
    const dueAt = isNow ? await hurryDeletion(sql, call.now, before) : before.dueAt;
    return { ...before, dueAt, isNew: false };
  }
  const dueAt = isNow ? call.now : ((call.now + DELETION_GRACE_NS) as EpochNs);
  await sql
    .insertInto('account_deletions')
    .values({ account_id: accountId, asked_at: call.now, due_at: dueAt, done_at: null })
    .execute();
  const details = { dueAt: dueAt.toString() };
  await tell(writing, call, { kind: 'account.deletion-asked', accountId, keyId: null, details });
  // A deletion that is due at once has only the final mail.
  const owner = isNow ? null : await findOwner(sql, 'account_id', accountId);
  if (owner !== null) {
    const kind = 'deletion-asked';
    const mail = { id: `${kind}.${accountId}.${call.now}`, kind, reader: owner.email } as const;
    await owe(sql, call.now, { ...mail, orderId: null, details });
  }
  return { accountId, askedAt: call.now, dueAt, doneAt: null, isNew: true };
}

async function hurryDeletion(sql: Sql, now: EpochNs, asked: DeletionRecord): Promise<EpochNs> {
  if (asked.doneAt !== null || asked.dueAt <= now) return asked.dueAt;
  await sql
    .updateTable('account_deletions')
    .set({ due_at: now })
    .where('account_id', '=', asked.accountId)
    .execute();
  return now;
}

async function askedTooOften(sql: Sql, now: EpochNs, accountId: string): Promise<TooMany | null> {
  const limits = { max: DELETIONS_ASKED_MAX, countedNs: DELETIONS_COUNTED_NS };
  const until = await toldTooOften(sql, now, accountId, 'account.deletion-asked', limits);
  return until === null ? null : { refused: 'too-many', until };
}

export async function withdrawDeletion(
  writing: Writing,
  call: StoreCall,
  accountId: string,
): Promise<boolean> {
  const row = await writing.sql
    .deleteFrom('account_deletions')
    .where('account_id', '=', accountId)
    .where('done_at', 'is', null)
    .where('due_at', '>', call.now)
    .returning('account_id')
    .executeTakeFirst();
  if (row === undefined) return false;
  const kind = 'account.deletion-withdrawn';
  await tell(writing, call, { kind, accountId, keyId: null, details: {} });
  return true;
}

export async function deletionsDue(sql: Sql, now: EpochNs): Promise<readonly string[]> {
  const rows = await sql
    .selectFrom('account_deletions')
    .select('account_id')
    .where('done_at', 'is', null)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(DUE_AT_ONCE_MAX)
    .execute();
  return rows.map((row) => row.account_id);
}

export async function deleteAccount(
  writing: Writing,
  call: StoreCall,
  accountId: string,
): Promise<boolean> {
  const { sql } = writing;
  await holdAccount(sql, accountId);
  const due = await sql
    .updateTable('account_deletions')
    .set({ done_at: call.now })
    .where('account_id', '=', accountId)
    .where('done_at', 'is', null)
    .where('due_at', '<=', call.now)
    .returning('account_id')
    .executeTakeFirst();
  if (due === undefined) return false;
  const owner = await findOwner(sql, 'account_id', accountId);
  if (owner !== null) {
    const kind = 'account-deleted';
    const mail = { id: `${kind}.${accountId}`, kind, reader: owner.email } as const;
    await owe(sql, call.now, { ...mail, orderId: null, details: {} });
  }
  await revokeKeys(writing, call, accountId);
  await endSessions(writing, call, accountId, null);
  await sql.deleteFrom('grants').where('account_id', '=', accountId).execute();
  await forgetPerson(sql, accountId);
  await removeLayoutsOf(sql, accountId);
  await sql.deleteFrom('account_marks').where('account_id', '=', accountId).execute();
  // The payment link is useless now, and the provider's invoice has the billing address.
  await sql
    .updateTable('orders')
    .set({ url: '', bill_to: null })
    .where('account_id', '=', accountId)
    .execute();
  // Names of the account and its keys may be personal data; the remaining rows cannot be used.
  await sql
    .updateTable('keys')
    .set(({ ref }) => ({ name: ref('id') }))
    .where('account_id', '=', accountId)
    .execute();
  await sql
    .updateTable('accounts')
    .set({ name: accountId, suspended_at: call.now })
    .where('id', '=', accountId)
    .execute();
  await tell(writing, call, { kind: 'account.deleted', accountId, keyId: null, details: {} });
  return true;
}

async function revokeKeys(writing: Writing, call: StoreCall, accountId: string): Promise<void> {
  const keys = await writing.sql
    .updateTable('keys')
    .set({ revoked_at: call.now })
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', call.now)]))
    .returning('id')
    .execute();
  for (const { id: keyId } of keys) {
    await tell(writing, call, { kind: 'key.revoked', accountId, keyId, details: {} });
  }
}

/** Removes the owner with all passkeys, and every link sent for this account or to its owner. */
async function forgetPerson(sql: Sql, accountId: string): Promise<void> {
  const owned = sql.selectFrom('owners').select('email_key').where('account_id', '=', accountId);
  await sql
    .deleteFrom('sign_in_links')
    .where((eb) => eb.or([eb('account_id', '=', accountId), eb('email_key', 'in', owned)]))
    .execute();
  for (const { email_key: key } of await owned.execute()) {
    await sql.deleteFrom('people_turns').where('who', '=', mailboxTurn(key)).execute();
  }
  await sql.deleteFrom('passkeys').where('account_id', '=', accountId).execute();
  await sql.deleteFrom('passkey_recoveries').where('account_id', '=', accountId).execute();
  await sql.deleteFrom('owners').where('account_id', '=', accountId).execute();
}
