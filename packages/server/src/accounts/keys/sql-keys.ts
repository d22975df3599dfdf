/**
 * Operations on keys. An acting key is judged inside the writing transaction: it must be valid, and may grant, rotate
 * or revoke no more than it has. Every operation locks the account's row, so two never judge the same state.
 */

import {
  type ManagementCriterion,
  unmetCriterion,
} from '@tapeloom/core/entitlement/key-management';
import { type KeyRights, keyStateAt } from '@tapeloom/core/entitlement/key-rights';
import type { EpochNs } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import { type OnceRefused, REMEMBERED_NS } from '../store/once.ts';
import { countRefusal, tell, type Writing } from '../store/sql-audit.ts';
import type { Sql } from '../store/sql-database.ts';
import { judgeOnce, remember } from '../store/sql-once.ts';
import type { StoreCall } from '../store/store-call.ts';
import { accountOf, keyOf } from './account-rows.ts';
import type { KeyRow } from './key-tables.ts';
import {
  ENDED_KEY_SHOWN_NS,
  type KeyRecord,
  type KeyWithAccount,
  type NewKey,
  type Refused,
  type Rotation,
  type SecretDigest,
} from './keys-store.ts';
import { grantsOf, holdAccount } from './sql-accounts.ts';
import { addKeyWithinLimits, KEY_END, type KeyLimitReached } from './sql-key-limit.ts';

type Operation = 'create' | 'rotate' | 'revoke';

/** An operation on keys of one account, whose row it locks. */
interface Managing extends Writing {
  readonly call: StoreCall;
  readonly accountId: string;
  readonly operation: Operation;
}

export async function findKeyByHash(sql: Sql, hash: string): Promise<KeyWithAccount | null> {
  const row = await sql.selectFrom('keys').selectAll().where('hash', '=', hash).executeTakeFirst();
  return row === undefined ? null : withAccount(sql, row);
}

/** Of this account, or of any (null). */
export async function findKeyById(
  sql: Sql,
  accountId: string | null,
  keyId: string,
): Promise<KeyWithAccount | null> {
  let query = sql.selectFrom('keys').selectAll().where('id', '=', keyId);
  if (accountId !== null) query = query.where('account_id', '=', accountId);
  const row = await query.executeTakeFirst();
  return row === undefined ? null : withAccount(sql, row);
}

/** Rows of ended keys are kept for good; only the list leaves them out. */
export async function listKeys(
  sql: Sql,
  now: EpochNs,
  accountId: string,
): Promise<readonly KeyRecord[]> {
  const rows = await sql
    .selectFrom('keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(KEY_END, '>', now - ENDED_KEY_SHOWN_NS)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(keyOf);
}

export async function createKey(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  newKey: NewKey & { readonly id: string },
  secret: SecretDigest,
): Promise<KeyRecord | Refused | OnceRefused> {
  const managing: Managing = { ...writing, call, accountId, operation: 'create' };
  const manager = await admit(managing);
  if (isRefused(manager)) return manager;
  const refused = await judge(managing, manager, newKey, null);
  if (refused !== null) return refused;
  const before = await doneBefore(managing);
  if (before !== null) return before;
  const row = await add(managing, rowOf(newKey, call, accountId, secret), null);
  if ('refused' in row) return row;
  await rememberMade(managing, row.id);
  const { name, environment, scopes, instruments, allowedIps, expiresAt } = newKey;
  await tell(writing, call, {
    kind: 'key.created',
    accountId,
    keyId: row.id,
    details: {
      name,
      environment,
      scopes,
      instruments,
      allowedIps,
      expiresAt: expiresAt === null ? null : String(expiresAt),
    },
  });
  return keyOf(row);
}

/** The new key is made first: if it does not fit, the old one is unchanged. */
export async function rotateKey(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  {
    keyId,
    newId,
    graceSeconds,
    secret,
  }: {
    readonly keyId: string;
    readonly newId: string;
    readonly graceSeconds: number;
    readonly secret: SecretDigest;
  },
): Promise<Rotation | Refused | OnceRefused> {
  const managing: Managing = { ...writing, call, accountId, operation: 'rotate' };
  const old = await admitToTarget(managing, keyId);
  if (isRefused(old)) return old;
  const before = await doneBefore(managing);
  if (before !== null) return before;
  if (old.rotatedTo !== null) return { refused: 'already-rotated' };
  if (hasEnded(old, call.now)) return { refused: 'ended' };

  const { now } = call;
  const endsAtOnce = graceSeconds === 0;
  const newRow = rowOf({ ...old, id: newId }, call, accountId, secret);
  const created = await add(managing, newRow, endsAtOnce ? keyId : null);
  if ('refused' in created) return created;
  await rememberMade(managing, newId);
  const graceEnd = now + BigInt(graceSeconds) * SECOND_NS_BIG;
  const expiresAt = old.expiresAt !== null && old.expiresAt < graceEnd ? old.expiresAt : graceEnd;
  const previous = await writing.sql
    .updateTable('keys')
    .set({ rotated_to: newId, ...(endsAtOnce ? { revoked_at: now } : { expires_at: expiresAt }) })
    .where('id', '=', keyId)
    .where('account_id', '=', accountId)
    .returningAll()
    .executeTakeFirstOrThrow();
  const details = { rotatedTo: newId, graceSeconds };
  await tell(writing, call, { kind: 'key.rotated', accountId, keyId, details });
  return { created: keyOf(created), previous: keyOf(previous) };
}

export async function revokeKey(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  keyId: string,
): Promise<KeyRecord | Refused> {
  const managing: Managing = { ...writing, call, accountId, operation: 'revoke' };
  const key = await admitToTarget(managing, keyId);
  if (isRefused(key) || hasEnded(key, call.now)) return key;
  const row = await writing.sql
    .updateTable('keys')
    .set({ revoked_at: call.now })
    .where('id', '=', keyId)
    .where('account_id', '=', accountId)
    .returningAll()
    .executeTakeFirstOrThrow();
  await tell(writing, call, { kind: 'key.revoked', accountId, keyId, details: {} });
  return keyOf(row);
}

export function hasEnded(
  key: { readonly expiresAt: EpochNs | null; readonly revokedAt: EpochNs | null },
  now: EpochNs,
): boolean {
  const state = keyStateAt(key, now);
  return state === 'revoked' || state === 'expired';
}

/** Locks the account and returns the acting key, which must be valid now; null when the actor is no key. */
async function admit({ sql, call, accountId }: Managing): Promise<KeyRecord | null | Refused> {
  const account = await holdAccount(sql, accountId);
  if (account === undefined) return { refused: 'not-found' };
  if (call.actor.kind === 'operator') return null;
  if (account.suspended_at !== null) return { refused: 'actor-ended' };
  if (call.actor.kind !== 'key') return null;
  const manager = await keyOfAccount(sql, accountId, call.actor.keyId);
  if (manager === null || hasEnded(manager, call.now)) return { refused: 'actor-ended' };
  return manager;
}

/** The key to manage, if the actor may manage it. */
async function admitToTarget(managing: Managing, keyId: string): Promise<KeyRecord | Refused> {
  const manager = await admit(managing);
  if (isRefused(manager)) return manager;
  const target = await keyOfAccount(managing.sql, managing.accountId, keyId);
  if (target === null) return { refused: 'not-found' };
  return (await judge(managing, manager, target, keyId)) ?? target;
}

async function judge(
  managing: Managing,
  manager: KeyRights | null,
  target: KeyRights,
  keyId: string | null,
): Promise<Refused | null> {
  const criterion: ManagementCriterion | null =
    manager === null ? null : unmetCriterion(manager, target);
  if (criterion === null) return null;
  const { call, accountId, operation } = managing;
  const details = { operation, criterion };
  const refusal = { kind: 'key.management-refused', accountId, keyId, details } as const;
  await countRefusal(managing, call, refusal);
  return { refused: 'criterion', criterion };
}

/** Checked last, so a request that is rejected for another reason, or was done before, counts at no limit. */
async function add(
  managing: Managing,
  row: KeyRow,
  ending: string | null,
): Promise<KeyRow | KeyLimitReached> {
  const { sql, call, accountId, operation } = managing;
  const added = await addKeyWithinLimits(sql, { ...call, row, ending });
  if ('refused' in added && added.refused !== 'too-many-keys') {
    const details = { operation, limit: added.refused };
    const refusal = { kind: 'key.limit-refused', accountId, keyId: null, details } as const;
    await countRefusal(managing, call, refusal);
  }
  return added;
}

async function doneBefore({ sql, call, accountId }: Managing): Promise<OnceRefused | null> {
  const { actor, now } = call;
  if (actor.kind !== 'key' || actor.once === undefined) return null;
  return await judgeOnce(sql, now, { accountId, keyId: actor.keyId, once: actor.once });
}

async function rememberMade({ sql, call, accountId }: Managing, answer: string): Promise<void> {
  const { actor, now } = call;
  if (actor.kind !== 'key' || actor.once === undefined) return;
  const expiresAt = (now + REMEMBERED_NS) as EpochNs;
  await remember(sql, { accountId, keyId: actor.keyId, once: actor.once, answer, expiresAt });
}

async function keyOfAccount(sql: Sql, accountId: string, keyId: string): Promise<KeyRecord | null> {
  const row = await sql
    .selectFrom('keys')
    .selectAll()
    .where('id', '=', keyId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row === undefined ? null : keyOf(row);
}

async function withAccount(sql: Sql, row: KeyRow): Promise<KeyWithAccount> {
  const account = await sql
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', row.account_id)
    .executeTakeFirstOrThrow();
  return { key: keyOf(row), account: accountOf(account, await grantsOf(sql, account.id)) };
}

function isRefused(answer: KeyRecord | Refused | null): answer is Refused {
  return answer !== null && 'refused' in answer;
}

function rowOf(
  key: NewKey & { readonly id: string },
  { now }: StoreCall,
  accountId: string,
  secret: SecretDigest,
): KeyRow {
  return {
    id: key.id,
    account_id: accountId,
    hash: secret.hash,
    hint: secret.hint,
    name: key.name,
    environment: key.environment,
    scopes: JSON.stringify(key.scopes),
    instruments: key.instruments === null ? null : JSON.stringify(key.instruments),
    allowed_ips: key.allowedIps === null ? null : JSON.stringify(key.allowedIps),
    created_at: now,
    expires_at: key.expiresAt,
    last_used_at: null,
    revoked_at: null,
    rotated_to: null,
  };
}
