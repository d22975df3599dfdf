/** Stream tokens: kept as digests, used up by the one statement that finds them. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { KeyWithAccount } from './account-store.ts';
import { removed, type Sql } from './sql-database.ts';
import { findKeyById, hasEnded } from './sql-keys.ts';

export interface NewToken {
  readonly hash: string;
  readonly keyId: string;
  readonly expiresAt: EpochNs;
}

/** False when the key has ended by now, or is none. */
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

/** A token that comes too late is used up as well. */
export async function consumeToken(
  sql: Sql,
  now: EpochNs,
  hash: string,
): Promise<KeyWithAccount | null> {
  const token = await sql
    .deleteFrom('stream_tokens')
    .where('hash', '=', hash)
    .returning(['key_id', 'expires_at'])
    .executeTakeFirst();
  if (token === undefined || now >= token.expires_at) return null;
  const owner = await findKeyById(sql, null, token.key_id);
  return owner === null || hasEnded(owner.key, now) ? null : owner;
}

/** Some of them; how many. */
export async function removeExpiredTokens(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  const expired = sql
    .selectFrom('stream_tokens')
    .select('hash')
    .where('expires_at', '<=', now)
    .limit(limit);
  return removed(await sql.deleteFrom('stream_tokens').where('hash', 'in', expired).execute());
}
