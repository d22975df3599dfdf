/**
 * Stream tokens of keys and of sessions: stored as digests, and used up by the one statement that finds them. The
 * caller of a session's token appears as a key with the session's id, end and rights.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { SESSION_RIGHTS } from '../auth/session-rights.ts';
import { latest } from '../store/sound-times.ts';
import { removed, type Sql } from '../store/sql-database.ts';
import { accountOf } from './account-rows.ts';
import { type KeyWithAccount, TOKEN_VALID_NS } from './keys-store.ts';
import { grantsOf } from './sql-accounts.ts';
import { findKeyById, hasEnded } from './sql-keys.ts';

type TokenTable = 'stream_tokens' | 'session_tokens';

interface NewToken {
  readonly hash: string;
  readonly keyId: string;
  readonly expiresAt: EpochNs;
}

interface NewSessionToken {
  readonly hash: string;
  readonly sessionId: string;
  readonly expiresAt: EpochNs;
}

/** False when the key has ended or does not exist. */
export async function issueToken(
  sql: Sql,
  now: EpochNs,
  { hash, keyId, expiresAt }: NewToken,
): Promise<boolean> {
  const owner = await findKeyById(sql, null, keyId);
  if (owner === null || hasEnded(owner.key, now)) return false;
  await sql
    .insertInto('stream_tokens')
    .values({ hash, key_id: keyId, expires_at: expiresAt })
    .execute();
  return true;
}

/** False when the session has ended or does not exist. */
export async function issueSessionToken(
  sql: Sql,
  now: EpochNs,
  { hash, sessionId, expiresAt }: NewSessionToken,
): Promise<boolean> {
  const owner = await findSessionKey(sql, sessionId);
  if (owner === null || hasEnded(owner.key, now)) return false;
  await sql
    .insertInto('session_tokens')
    .values({ hash, session_id: sessionId, expires_at: expiresAt })
    .execute();
  return true;
}

/** A token that arrives too late is used up as well. */
export async function consumeToken(
  sql: Sql,
  now: EpochNs,
  hash: string,
): Promise<KeyWithAccount | null> {
  const token =
    (await takeToken(sql, 'stream_tokens', 'key_id', hash)) ??
    (await takeToken(sql, 'session_tokens', 'session_id', hash));
  if (token === undefined || now >= token.expires_at) return null;
  // It was made by a clock that was ahead.
  if (token.expires_at > latest(now) + TOKEN_VALID_NS) return null;
  const owner = await findHolder(sql, null, token.holder);
  return owner === null || hasEnded(owner.key, now) ? null : owner;
}

/** A key; without an account also a session, as the key that its tokens belong to. */
export async function findHolder(
  sql: Sql,
  accountId: string | null,
  id: string,
): Promise<KeyWithAccount | null> {
  const found = await findKeyById(sql, accountId, id);
  return found !== null || accountId !== null ? found : findSessionKey(sql, id);
}

/** Removes some tokens that have expired or were made by a clock that was ahead; returns how many. */
export async function forgetTokens(
  table: TokenTable,
  sql: Sql,
  now: EpochNs,
  limit: number,
): Promise<number> {
  const ahead = latest(now) + TOKEN_VALID_NS;
  const expired = sql
    .selectFrom(table)
    .select('hash')
    .where((eb) => eb.or([eb('expires_at', '<=', now), eb('expires_at', '>', ahead)]))
    .limit(limit);
  return removed(await sql.deleteFrom(table).where('hash', 'in', expired).execute());
}

function takeToken<T extends TokenTable>(
  sql: Sql,
  table: T,
  holder: T extends 'stream_tokens' ? 'key_id' : 'session_id',
  hash: string,
) {
  return sql
    .deleteFrom(table as 'stream_tokens')
    .where('hash', '=', hash)
    .returning([`${holder as 'key_id'} as holder`, 'expires_at'])
    .executeTakeFirst();
}

async function findSessionKey(sql: Sql, sessionId: string): Promise<KeyWithAccount | null> {
  const session = await sql
    .selectFrom('sessions')
    .select(['id', 'account_id', 'created_at', 'expires_at'])
    .where('id', '=', sessionId)
    .executeTakeFirst();
  if (session === undefined) return null;
  const account = await sql
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', session.account_id)
    .executeTakeFirstOrThrow();
  return {
    key: {
      ...SESSION_RIGHTS,
      id: session.id,
      accountId: session.account_id,
      name: 'portal',
      createdAt: session.created_at as EpochNs,
      expiresAt: session.expires_at as EpochNs,
      lastUsedAt: null,
      revokedAt: null,
      rotatedTo: null,
      hint: '',
    },
    account: accountOf(account, await grantsOf(sql, account.id)),
  };
}
