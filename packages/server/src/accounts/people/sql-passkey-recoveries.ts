/**
 * Recovery of an account whose passkeys are lost. A reader of the owner's mail requests it. A day later the passkeys
 * are removed, unless a link sent to the same address, or any session, stops it.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { holdAccount } from '../keys/sql-accounts.ts';
import { latestDue } from '../store/sound-times.ts';
import { tell, toldTooOften, type Writing } from '../store/sql-audit.ts';
import type { Sql } from '../store/sql-database.ts';
import type { StoreCall } from '../store/store-call.ts';
import {
  type PasskeysStore,
  RECOVERIES_ASKED_MAX,
  RECOVERIES_COUNTED_NS,
  RECOVERY_WAIT_NS,
  type RecoveryRecord,
} from './passkeys-store.ts';
import { endRecovery, oweOwner, passkeysOf, removePasskeys } from './sql-passkeys.ts';
import { linkFault, useLink } from './sql-people-links.ts';

/** Links that prove access to the owner's mailbox. */
const PROOFS = ['sign-in', 'recovery'] as const;

export async function recoveryOf(sql: Sql, accountId: string): Promise<RecoveryRecord | null> {
  const row = await sql
    .selectFrom('passkey_recoveries')
    .select(['asked_at', 'due_at'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { askedAt: row.asked_at as EpochNs, dueAt: row.due_at as EpochNs };
}

export async function askRecovery(
  writing: Writing,
  call: StoreCall,
  hash: string,
  stop: { readonly hash: string; readonly token: string },
): ReturnType<PasskeysStore['askRecovery']> {
  const { sql } = writing;
  const { now } = call;
  const link = await sql
    .selectFrom('sign_in_links')
    .innerJoin('owners', 'owners.email_key', 'sign_in_links.email_key')
    .select([
      'sign_in_links.purpose',
      'sign_in_links.account_id as about',
      'owners.account_id',
      'owners.email',
      'owners.email_key',
    ])
    .where('sign_in_links.hash', '=', hash)
    .where('sign_in_links.purpose', 'in', PROOFS)
    .executeTakeFirst();
  if (link === undefined || (link.about ?? link.account_id) !== link.account_id) {
    return { refused: 'unknown' };
  }
  const { account_id: accountId, purpose, email, email_key } = link;
  await holdAccount(sql, accountId);
  const fault = await linkFault(sql, now, hash, purpose);
  if (fault !== null) return fault;
  if ((await passkeysOf(sql, accountId)).length === 0) return { refused: 'unknown' };
  const before = await recoveryOf(sql, accountId);
  const limits = { max: RECOVERIES_ASKED_MAX, countedNs: RECOVERIES_COUNTED_NS };
  const kind = 'passkey.recovery-asked';
  const until = before === null ? await toldTooOften(sql, now, accountId, kind, limits) : null;
  if (until !== null) return { refused: 'too-many', until };
  if ((await useLink(sql, now, hash, purpose)) === undefined) return { refused: 'used' };
  if (before !== null) return before;
  const dueAt = (now + RECOVERY_WAIT_NS) as EpochNs;
  await sql
    .insertInto('passkey_recoveries')
    .values({ account_id: accountId, asked_at: now, due_at: dueAt })
    .execute();
  await sql
    .insertInto('sign_in_links')
    .values({
      hash: stop.hash,
      purpose: 'recovery-stop',
      email,
      email_key,
      account_id: accountId,
      new_email: null,
      new_email_key: null,
      asked_from: null,
      created_at: now,
      expires_at: dueAt,
      used_at: null,
    })
    .execute();
  await tell(writing, call, { kind, accountId, keyId: null, details: { dueAt: `${dueAt}` } });
  // This token can only stop the recovery; it is stored here until the mail server accepts the mail.
  const details = { dueAt: `${dueAt}`, token: stop.token };
  await oweOwner(sql, now, accountId, 'recovery-asked', `${now}`, details);
  return { askedAt: now, dueAt };
}

export async function stopRecoveryByLink(
  writing: Writing,
  call: StoreCall,
  hash: string,
): ReturnType<PasskeysStore['stopRecoveryByLink']> {
  const { sql } = writing;
  const purpose = 'recovery-stop';
  const link = await useLink(sql, call.now, hash, purpose);
  if (link === undefined) {
    return (await linkFault(sql, call.now, hash, purpose)) ?? { refused: 'used' };
  }
  await stopRecovery(writing, call, link.account_id!);
  return { email: link.email! };
}

export async function stopRecovery(
  writing: Writing,
  call: StoreCall,
  accountId: string,
): Promise<boolean> {
  const { sql } = writing;
  await holdAccount(sql, accountId);
  if (!(await endRecovery(sql, call.now, accountId))) return false;
  const kind = 'passkey.recovery-stopped';
  await tell(writing, call, { kind, accountId, keyId: null, details: {} });
  await oweOwner(sql, call.now, accountId, 'recovery-stopped', `${call.now}`, {});
  return true;
}

/** Completes due recoveries and ends impossible ones, some at a time; returns how many. */
export async function doRecoveries(writing: Writing, now: EpochNs, limit: number): Promise<number> {
  // A clock that was ahead began them: they would wait longer than a day, and their stop links count as expired.
  const ahead = await writing.sql
    .selectFrom('passkey_recoveries')
    .select('account_id')
    .where('due_at', '>', latestDue(now, RECOVERY_WAIT_NS))
    .limit(limit)
    .execute();
  for (const { account_id: accountId } of ahead) {
    await stopRecovery(writing, { now, actor: { kind: 'owner' } }, accountId);
  }
  const due = await writing.sql
    .selectFrom('passkey_recoveries')
    .select('account_id')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute();
  for (const { account_id: accountId } of due) await recover(writing, now, accountId);
  return ahead.length + due.length;
}

async function recover(writing: Writing, now: EpochNs, accountId: string): Promise<void> {
  await holdAccount(writing.sql, accountId);
  // It may have been stopped while this transaction waited for the account.
  const recovery = await recoveryOf(writing.sql, accountId);
  if (recovery === null || recovery.dueAt > now) return;
  await removePasskeys(writing, { now, actor: { kind: 'owner' } }, accountId);
}
