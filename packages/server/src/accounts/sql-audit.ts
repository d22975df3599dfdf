/**
 * The audit log: an event is written by the transaction that does what it tells, so there is neither one
 * without the other. The database refuses to change or remove events.
 */

import type { Kysely } from 'kysely';
import { eventOf } from './account-rows.ts';
import type { AccountSchema } from './account-schema.ts';
import type { AuditEvent, AuditFilter, AuditKind, StoreCall } from './account-store.ts';
import type { Sql } from './sql-database.ts';

/** A write under way: its statements, and the events to announce once it is committed. */
export interface Writing {
  readonly sql: Sql;
  readonly told: AuditEvent[];
}

export async function tell(
  { sql, told }: Writing,
  { now, actor }: StoreCall,
  event: {
    readonly kind: AuditKind;
    readonly accountId: string;
    readonly keyId: string | null;
    readonly details: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const row = await sql
    .insertInto('audit_log')
    .values({
      at: now,
      kind: event.kind,
      account_id: event.accountId,
      key_id: event.keyId,
      actor: actor.kind === 'operator' ? 'operator' : actor.keyId,
      details: JSON.stringify(event.details),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  told.push(eventOf(row));
}

export async function readAudit(
  database: Kysely<AccountSchema>,
  { accountId, after, limit, newestFirst }: AuditFilter,
): Promise<readonly AuditEvent[]> {
  let query = database
    .selectFrom('audit_log')
    .selectAll()
    .orderBy('sequence', newestFirst === true ? 'desc' : 'asc')
    .limit(limit);
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  if (after !== undefined) query = query.where('sequence', '>', BigInt(after));
  return (await query.execute()).map(eventOf);
}

/** The number of the newest event, 0 before the first. */
export async function newestSequence(database: Kysely<AccountSchema>): Promise<number> {
  const row = await database
    .selectFrom('audit_log')
    .select((eb) => eb.fn.max('sequence').as('newest'))
    .executeTakeFirst();
  return Number(row?.newest ?? 0);
}
