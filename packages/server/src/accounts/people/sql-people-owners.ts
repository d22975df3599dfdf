/** Owners of accounts: at most one owner for an account, and one account for an address. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { EmailAddress } from '@tapeloom/core/person/email-address';
import { holdAccount } from '../keys/sql-accounts.ts';
import { owe } from '../mails/sql-owe.ts';
import { tell, type Writing } from '../store/sql-audit.ts';
import type { Sql } from '../store/sql-database.ts';
import type { StoreCall } from '../store/store-call.ts';
import type {
  AlreadyOwned,
  ClaimUsed,
  EmailTaken,
  LinkRefused,
  OwnerRecord,
  TooMany,
} from './people-store.ts';
import { forgetPasskeys } from './sql-passkeys.ts';
import {
  addLink,
  holdLink,
  linkFault,
  mailboxTurn,
  ownersLinkFault,
  takeTurn,
  useLink,
} from './sql-people-links.ts';
import { endSessions } from './sql-people-sessions.ts';

export async function findOwner(
  sql: Sql,
  column: 'account_id' | 'email_key',
  value: string,
): Promise<OwnerRecord | null> {
  const row = await sql
    .selectFrom('owners')
    .select(['account_id', 'email', 'since', 'usage_mails', 'second_factor'])
    .where(column, '=', value)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    accountId: row.account_id,
    email: row.email,
    since: row.since as EpochNs,
    usageMails: row.usage_mails === 1n,
    secondFactor: row.second_factor === 1n,
  };
}

export async function setUsageMails(sql: Sql, accountId: string, isOn: boolean): Promise<void> {
  await sql
    .updateTable('owners')
    .set({ usage_mails: isOn ? 1 : 0 })
    .where('account_id', '=', accountId)
    .execute();
}

export async function listOwners(
  sql: Sql,
): Promise<readonly Pick<OwnerRecord, 'accountId' | 'email'>[]> {
  const rows = await sql.selectFrom('owners').select(['account_id', 'email']).execute();
  return rows.map(({ account_id: accountId, email }) => ({ accountId, email }));
}

/** The owner of an address, with the account locked: it is not deleted meanwhile. */
export async function holdOwner(sql: Sql, emailKey: string): Promise<OwnerRecord | null> {
  const owner = await findOwner(sql, 'email_key', emailKey);
  if (owner === null) return null;
  await holdAccount(sql, owner.accountId);
  return await findOwner(sql, 'email_key', emailKey);
}

export async function setOwner(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  address: EmailAddress,
): Promise<OwnerRecord | EmailTaken | { readonly refused: 'not-found' }> {
  const { sql } = writing;
  const isThere = (await holdAccount(sql, accountId)) !== undefined;
  if (!isThere || (await isDeleted(sql, accountId))) return { refused: 'not-found' };
  await takeTurn(sql, call.now, mailboxTurn(address.key));
  const holder = await findOwner(sql, 'email_key', address.key);
  if (holder !== null && holder.accountId !== accountId) return { refused: 'email-taken' };
  const before = await findOwner(sql, 'account_id', accountId);
  // The previous owner is another person, or has lost this mailbox.
  if (holder === null) {
    await endSessions(writing, call, accountId, null);
    await forgetPasskeys(writing, call, accountId);
  }
  return await writeOwner(writing, call, accountId, address, before);
}

/** A deleted account never gets an owner again: its new owner could not delete it. */
async function isDeleted(sql: Sql, accountId: string): Promise<boolean> {
  const deletion = await sql
    .selectFrom('account_deletions')
    .select('account_id')
    .where('account_id', '=', accountId)
    .where('done_at', 'is not', null)
    .executeTakeFirst();
  return deletion !== undefined;
}

/** Does not check whether the new address is free: only its reader may learn that. */
export async function approveEmail(
  sql: Sql,
  now: EpochNs,
  accountId: string,
  hash: string,
  link: { readonly hash: string; readonly askedFrom: string },
): Promise<{ readonly email: string } | LinkRefused | TooMany> {
  await holdAccount(sql, accountId);
  const purpose = 'email-approval';
  const fault = await ownersLinkFault(sql, now, hash, { purpose, accountId });
  if (fault !== null) return fault;
  const { new_email: email, new_email_key: key } = await sql
    .selectFrom('sign_in_links')
    .select(['new_email', 'new_email_key'])
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow();
  const address = { email: email!, key: key! };
  const { askedFrom } = link;
  const wanted = { purpose: 'email-change', address, accountId, askedFrom } as const;
  const made = await addLink(sql, now, link.hash, wanted);
  if ('refused' in made) return made;
  if ((await useLink(sql, now, hash, purpose)) === undefined) return { refused: 'used' };
  return { email: address.email };
}

/** Uses the link up if its new address is free. */
export async function changeEmail(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  hash: string,
): Promise<OwnerRecord | LinkRefused | EmailTaken> {
  const { sql } = writing;
  const link = await sql
    .selectFrom('sign_in_links')
    .select(['email', 'email_key'])
    .where('hash', '=', hash)
    .where('purpose', '=', 'email-change')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (link === undefined) return { refused: 'unknown' };
  const fault = await linkFault(sql, call.now, hash, 'email-change');
  if (fault !== null) return fault;
  await holdAccount(sql, accountId);
  const address = { email: link.email!, key: link.email_key! };
  await takeTurn(sql, call.now, mailboxTurn(address.key));
  const holder = await findOwner(sql, 'email_key', address.key);
  if (holder !== null && holder.accountId !== accountId) return { refused: 'email-taken' };
  const before = await findOwner(sql, 'account_id', accountId);
  if ((await useLink(sql, call.now, hash, 'email-change')) === undefined)
    return { refused: 'used' };
  const kind = 'email-changed';
  const details = { newEmail: address.email };
  for (const reader of new Set([before?.email ?? address.email, address.email])) {
    const which = reader === address.email ? 'new' : 'old';
    const id = `${kind}.${accountId}.${call.now}.${which}`;
    await owe(sql, call.now, { id, kind, reader, orderId: null, details });
  }
  return await writeOwner(writing, call, accountId, address, before);
}

export async function useClaim(
  sql: Sql,
  now: EpochNs,
  hash: string,
  link: { readonly hash: string; readonly address: EmailAddress; readonly askedFrom: string },
): Promise<ClaimUsed | LinkRefused | TooMany | AlreadyOwned> {
  await holdLink(sql, hash);
  const fault = await linkFault(sql, now, hash, 'claim');
  if (fault !== null) return fault;
  const { id: accountId, name: account } = await sql
    .selectFrom('sign_in_links')
    .innerJoin('accounts', 'accounts.id', 'sign_in_links.account_id')
    .select(['accounts.id', 'accounts.name'])
    .where('sign_in_links.hash', '=', hash)
    .executeTakeFirstOrThrow();
  if ((await findOwner(sql, 'account_id', accountId)) !== null) return { refused: 'already-owned' };
  if (await isDeleted(sql, accountId)) return { refused: 'unknown' };
  const { address, askedFrom } = link;
  const bound = { purpose: 'sign-in', address, accountId, askedFrom } as const;
  const made = await addLink(sql, now, link.hash, bound);
  if ('refused' in made) return made;
  await useLink(sql, now, hash, 'claim');
  return { account, expiresAt: made.expiresAt };
}

/** The audit log records the change without the address. */
export async function writeOwner(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  { email, key }: EmailAddress,
  before: OwnerRecord | null,
): Promise<OwnerRecord> {
  const since = before?.since ?? call.now;
  await writing.sql
    .insertInto('owners')
    .values({ account_id: accountId, email, email_key: key, since })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ email, email_key: key }))
    .execute();
  const kind = before === null ? 'account.owned' : 'account.email-changed';
  await tell(writing, call, { kind, accountId, keyId: null, details: {} });
  return (await findOwner(writing.sql, 'account_id', accountId))!;
}
