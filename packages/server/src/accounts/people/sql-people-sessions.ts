/** Sessions. The digest and the kind of browser are stored. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { latest } from '../store/sound-times.ts';
import { tell, type Writing } from '../store/sql-audit.ts';
import { removed, type Sql } from '../store/sql-database.ts';
import type { StoreCall } from '../store/store-call.ts';
import {
  type NewSession,
  SESSION_VALID_NS,
  SESSIONS_MAX,
  type SessionRecord,
} from './people-store.ts';

function sessions(sql: Sql) {
  return sql
    .selectFrom('sessions')
    .innerJoin('owners', 'owners.account_id', 'sessions.account_id')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select([
      'sessions.id',
      'sessions.account_id',
      'owners.email',
      'accounts.suspended_at',
      'sessions.browser',
      'sessions.created_at',
      'sessions.expires_at',
      'sessions.last_used_at',
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof sessions>['executeTakeFirstOrThrow']>>;

function recordOf(row: Row): SessionRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    email: row.email,
    isSuspended: row.suspended_at !== null,
    browser: row.browser,
    createdAt: row.created_at as EpochNs,
    expiresAt: row.expires_at as EpochNs,
    lastUsedAt: row.last_used_at as EpochNs,
  };
}

export async function findSession(sql: Sql, hash: string): Promise<SessionRecord | null> {
  const row = await sessions(sql).where('sessions.hash', '=', hash).executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

export async function sessionsOf(
  sql: Sql,
  accountId: string,
  now: EpochNs,
): Promise<readonly SessionRecord[]> {
  const rows = await sessions(sql)
    .where('sessions.account_id', '=', accountId)
    .where('sessions.expires_at', '>', now)
    .where('sessions.created_at', '<=', latest(now))
    .orderBy('sessions.created_at', 'desc')
    .orderBy('sessions.id')
    .execute();
  return rows.map(recordOf);
}

export async function beginSession(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  { id, hash, browser, replaces }: NewSession & { readonly id: string },
): Promise<SessionRecord> {
  const { sql } = writing;
  if (replaces !== null) await endThose(writing, call, await ended(sql, 'hash', [replaces]));
  await sql
    .insertInto('sessions')
    .values({
      id,
      hash,
      account_id: accountId,
      browser,
      created_at: call.now,
      expires_at: call.now + SESSION_VALID_NS,
      last_used_at: call.now,
    })
    .execute();
  await tell(writing, call, { kind: 'session.begun', accountId, keyId: id, details: {} });
  const oldest = await sql
    .selectFrom('sessions')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '<>', id)
    .orderBy('created_at', 'desc')
    .offset(SESSIONS_MAX - 1)
    .limit(SESSIONS_MAX)
    .execute();
  await endThose(writing, call, await ended(sql, 'id', idsOf(oldest)));
  return (await findSession(sql, hash))!;
}

export async function touchSession(sql: Sql, sessionId: string, now: EpochNs): Promise<void> {
  await sql
    .updateTable('sessions')
    .set({ last_used_at: now })
    .where('id', '=', sessionId)
    .where('last_used_at', '<', now)
    .execute();
}

export async function endSession(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  sessionId: string,
): Promise<boolean> {
  const rows = await writing.sql
    .deleteFrom('sessions')
    .where('id', '=', sessionId)
    .where('account_id', '=', accountId)
    .returning(['id', 'account_id'])
    .execute();
  await endThose(writing, call, rows);
  return rows.length > 0;
}

/** Ends all sessions of an account except `butId`; returns how many were still valid. */
export async function endSessions(
  writing: Writing,
  call: StoreCall,
  accountId: string,
  butId: string | null,
): Promise<number> {
  const rows = await writing.sql
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .where('id', '<>', butId ?? '')
    .returning(['id', 'account_id', 'expires_at'])
    .execute();
  await endThose(writing, call, rows);
  return rows.filter(({ expires_at }) => expires_at > call.now).length;
}

interface EndedRow {
  readonly id: string;
  readonly account_id: string;
}

async function ended(
  sql: Sql,
  column: 'id' | 'hash',
  values: readonly string[],
): Promise<readonly EndedRow[]> {
  if (values.length === 0) return [];
  return await sql
    .deleteFrom('sessions')
    .where(column, 'in', values)
    .returning(['id', 'account_id'])
    .execute();
}

async function endThose(
  writing: Writing,
  call: StoreCall,
  rows: readonly EndedRow[],
): Promise<void> {
  for (const { id, account_id: accountId } of rows) {
    await tell(writing, call, { kind: 'session.ended', accountId, keyId: id, details: {} });
  }
}

function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}

/** Removes some expired sessions and returns how many. They ended by the clock, so no event is needed. */
export async function forgetSessions(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  const over = sql.selectFrom('sessions').select('id').where('expires_at', '<=', now).limit(limit);
  return removed(await sql.deleteFrom('sessions').where('id', 'in', over).execute());
}
