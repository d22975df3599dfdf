/** Passkeys: their limits, and which uses are valid. A change, its event and its mail are one transaction. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { holdAccount } from '../keys/sql-accounts.ts';
import type { MailKind } from '../mails/mails-store.ts';
import { owe } from '../mails/sql-owe.ts';
import { tell, toldTooOften, type Writing } from '../store/sql-audit.ts';
import { removed, type Sql } from '../store/sql-database.ts';
import type { StoreCall } from '../store/store-call.ts';
import type { PasskeyRow } from './passkey-tables.ts';
import {
  type NewChallenge,
  type NewPasskey,
  PASSKEYS_ADDED_MAX,
  PASSKEYS_COUNTED_NS,
  PASSKEYS_MAX,
  type PasskeyRecord,
  type PasskeyRefused,
  type PasskeysStore,
} from './passkeys-store.ts';
import type { NewSession, PasskeyUse, SignedIn } from './people-store.ts';
import { useChallenge } from './sql-passkey-challenges.ts';
import { beginSession } from './sql-people-sessions.ts';

/** Links that would change the address or delete the account without a passkey. */
const OPEN_BEFORE = ['email-approval', 'email-change', 'deletion'] as const;

export async function passkeysOf(sql: Sql, accountId: string): Promise<readonly PasskeyRecord[]> {
  const rows = await sql
    .selectFrom('passkeys')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(recordOf);
}

export async function signedBy(
  sql: Sql,
  now: EpochNs,
  hash: string,
  of: Pick<NewChallenge, 'purpose' | 'sessionId'>,
  credentialId: string,
): Promise<PasskeyRecord | null> {
  if (!(await useChallenge(sql, now, hash, of))) return null;
  const row = await sql
    .selectFrom('passkeys')
    .selectAll()
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

export async function addPasskey(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  passkey: NewPasskey,
  id: string,
): ReturnType<PasskeysStore['addPasskey']> {
  const { sql } = writing;
  await holdAccount(sql, accountId);
  const before = await passkeysOf(sql, accountId);
  if (before.length >= PASSKEYS_MAX) return { refused: 'too-many-passkeys' };
  const until = await toldTooOften(sql, call.now, accountId, 'passkey.added', {
    max: PASSKEYS_ADDED_MAX,
    countedNs: PASSKEYS_COUNTED_NS,
  });
  if (until !== null) return { refused: 'too-many', until };
  const { credentialId, publicKey, counter, transports, name } = passkey;
  const row = await sql
    .insertInto('passkeys')
    .values({
      id,
      account_id: accountId,
      credential_id: credentialId,
      public_key: publicKey,
      counter,
      transports: JSON.stringify(transports),
      name,
      created_at: call.now,
      last_used_at: null,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return { refused: 'known' };
  if (before.length === 0) await voidOpenLinks(sql, call.now, accountId);
  await tellOf(writing, call, accountId, 'passkey.added', { passkeyId: id });
  await oweOwner(sql, call.now, accountId, 'passkey-added', id, { name });
  return recordOf(row);
}

async function voidOpenLinks(sql: Sql, now: EpochNs, accountId: string): Promise<void> {
  await sql
    .updateTable('sign_in_links')
    .set({ used_at: now })
    .where('account_id', '=', accountId)
    .where('purpose', 'in', OPEN_BEFORE)
    .where('used_at', 'is', null)
    .execute();
}

export async function removePasskey(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  passkeyId: string,
): Promise<boolean> {
  const { sql } = writing;
  await holdAccount(sql, accountId);
  const row = await sql
    .deleteFrom('passkeys')
    .where('id', '=', passkeyId)
    .where('account_id', '=', accountId)
    .returning('name')
    .executeTakeFirst();
  if (row === undefined) return false;
  await tellOf(writing, call, accountId, 'passkey.removed', { passkeyId });
  await oweOwner(sql, call.now, accountId, 'passkey-removed', passkeyId, { name: row.name });
  if ((await passkeysOf(sql, accountId)).length === 0) await afterLast(sql, call.now, accountId);
  return true;
}

/** Removes all passkeys of an account, with a mail to its owner; returns how many. */
export async function removePasskeys(
  writing: Writing,
  call: StoreCall,
  accountId: string,
): Promise<number> {
  const { sql } = writing;
  await holdAccount(sql, accountId);
  const count = await forgetPasskeys(writing, call, accountId);
  if (count > 0) {
    const by = call.actor.kind;
    await oweOwner(sql, call.now, accountId, 'passkeys-removed', `${call.now}`, { by });
  }
  return count;
}

/** The same without a mail, for a former owner. The caller holds the account's row. */
export async function forgetPasskeys(
  writing: Writing,
  call: StoreCall,
  accountId: string,
): Promise<number> {
  const { sql } = writing;
  const results = await sql.deleteFrom('passkeys').where('account_id', '=', accountId).execute();
  const count = removed(results);
  await afterLast(sql, call.now, accountId);
  if (count > 0) await tellOf(writing, call, accountId, 'passkey.removed', { count });
  return count;
}

/** Without passkeys there is no second factor to require and nothing to recover. */
async function afterLast(sql: Sql, now: EpochNs, accountId: string): Promise<void> {
  await sql
    .updateTable('owners')
    .set({ second_factor: 0 })
    .where('account_id', '=', accountId)
    .execute();
  await endRecovery(sql, now, accountId);
}

/** Whether there was one; the link that stops it becomes invalid. */
export async function endRecovery(sql: Sql, now: EpochNs, accountId: string): Promise<boolean> {
  const ended = await sql
    .deleteFrom('passkey_recoveries')
    .where('account_id', '=', accountId)
    .returning('account_id')
    .executeTakeFirst();
  await sql
    .updateTable('sign_in_links')
    .set({ used_at: now })
    .where('account_id', '=', accountId)
    .where('purpose', '=', 'recovery-stop')
    .where('used_at', 'is', null)
    .execute();
  return ended !== undefined;
}

/** An authenticator with a counter only increases it; one without always reports 0. */
export async function usePasskey(
  sql: Sql,
  now: EpochNs,
  accountId: string,
  { passkeyId, counter }: PasskeyUse,
): Promise<boolean> {
  const used = await sql
    .updateTable('passkeys')
    .set({ counter, last_used_at: now })
    .where('id', '=', passkeyId)
    .where('account_id', '=', accountId)
    .where('counter', counter === 0 ? '=' : '<', BigInt(counter))
    .returning('id')
    .executeTakeFirst();
  return used !== undefined;
}

export async function signInByPasskey(
  writing: Writing,
  now: EpochNs,
  accountId: string,
  use: PasskeyUse,
  session: NewSession & { readonly id: string },
): Promise<SignedIn | PasskeyRefused> {
  const { sql } = writing;
  // Locks the account, so it is not deleted meanwhile.
  await holdAccount(sql, accountId);
  if (!(await usePasskey(sql, now, accountId, use))) return { refused: 'passkey' };
  const call: StoreCall = { now, actor: { kind: 'owner' } };
  return { session: await beginSession(writing, call, accountId, session), isNew: false };
}

export async function setSecondFactor(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  isOn: boolean,
): Promise<boolean> {
  const { sql } = writing;
  await holdAccount(sql, accountId);
  if (isOn && (await passkeysOf(sql, accountId)).length === 0) return false;
  const changed = await sql
    .updateTable('owners')
    .set({ second_factor: isOn ? 1 : 0 })
    .where('account_id', '=', accountId)
    .where('second_factor', '=', isOn ? 0n : 1n)
    .returning('account_id')
    .executeTakeFirst();
  if (changed !== undefined) {
    await tellOf(writing, call, accountId, 'account.second-factor-changed', { isOn });
  }
  return true;
}

/** The audit log has passkeys by id: a name may be personal data. */
async function tellOf(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  kind: 'passkey.added' | 'passkey.removed' | 'account.second-factor-changed',
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await tell(writing, call, { kind, accountId, keyId: null, details });
}

/** Owes the account's owner, if there is one, a mail. */
export async function oweOwner(
  sql: Sql,
  now: EpochNs,
  accountId: string,
  kind: MailKind,
  which: string,
  details: Readonly<Record<string, string>>,
): Promise<void> {
  const owner = await sql
    .selectFrom('owners')
    .select('email')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (owner === undefined) return;
  const id = `${kind}.${accountId}.${which}`;
  await owe(sql, now, { id, kind, reader: owner.email, orderId: null, details });
}

function recordOf(row: PasskeyRow): PasskeyRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: JSON.parse(row.transports) as string[],
    name: row.name,
    createdAt: row.created_at as EpochNs,
    lastUsedAt: row.last_used_at as EpochNs | null,
  };
}
