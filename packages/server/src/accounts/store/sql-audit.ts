/**
 * The audit log. An event is written by the transaction that does the work, so neither exists without the other.
 * Refusals of a day that differ only in time are one event, so repeated forbidden requests cannot fill the log. The
 * database rejects changes of events, and removals of any not older than the log's beginning, which `trimAudit` moves.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { Kysely } from 'kysely';
import type { AccountSchema, AuditRow } from './account-schema.ts';
import type { AuditEvent, AuditFilter } from './account-store.ts';
import type { AuditKind, RefusalKind } from './audit-kinds.ts';
import { countedUntil, latest } from './sound-times.ts';
import { removed, type Sql } from './sql-database.ts';
import type { StoreCall } from './store-call.ts';

/** A write in progress: its statements, and the events to announce after the commit. */
export interface Writing {
  readonly sql: Sql;
  readonly told: AuditEvent[];
}

interface Told<Kind extends AuditKind> {
  readonly kind: Kind;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export async function tell(
  { sql, told }: Writing,
  call: StoreCall,
  event: Told<Exclude<AuditKind, RefusalKind>>,
): Promise<void> {
  const row = await sql
    .insertInto('audit_log')
    .values(rowOf(call, event))
    .returningAll()
    .executeTakeFirstOrThrow();
  told.push(eventOf(row));
}

/** A key has at most as many such events a day as there are ways to be refused. Refusals are not announced. */
export async function countRefusal(
  { sql }: Writing,
  call: StoreCall,
  refusal: Told<RefusalKind>,
): Promise<void> {
  const row = rowOf(call, refusal);
  const counted_as = [dayOf(call.now), row.account_id, row.actor, row.kind, row.details].join(' ');
  await sql
    .insertInto('audit_log')
    .values({ ...row, counted_as })
    .onConflict((conflict) =>
      conflict
        .column('counted_as')
        .where('counted_as', 'is not', null)
        .doUpdateSet((eb) => ({ count: eb('audit_log.count', '+', 1n), last_at: call.now })),
    )
    .execute();
}

/** Until when an event of this kind must wait; null: it may happen now. The caller holds the account's row. */
export async function toldTooOften(
  sql: Sql,
  now: EpochNs,
  accountId: string,
  kind: AuditKind,
  { max, countedNs }: { readonly max: number; readonly countedNs: bigint },
): Promise<EpochNs | null> {
  const oldest = await sql
    .selectFrom('audit_log')
    .select('at')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('at', '>', now - countedNs)
    .where('at', '<=', latest(now))
    .orderBy('at', 'desc')
    .offset(max - 1)
    .limit(1)
    .executeTakeFirst();
  return oldest === undefined ? null : countedUntil(oldest.at, countedNs, now);
}

/** Removes some events from before this instant and returns how many. Later events are never removed. */
export async function trimAudit(sql: Sql, before: EpochNs, limit: number): Promise<number> {
  const old = sql.selectFrom('audit_log').select('sequence').where('at', '<', before);
  if ((await old.limit(1).executeTakeFirst()) === undefined) return 0;
  await sql
    .updateTable('audit_beginning')
    .set({ kept_from: before })
    .where('kept_from', '<', before)
    .execute();
  const some = old.limit(limit);
  return removed(await sql.deleteFrom('audit_log').where('sequence', 'in', some).execute());
}

function rowOf({ now, actor }: StoreCall, event: Told<AuditKind>) {
  return {
    at: now,
    kind: event.kind,
    account_id: event.accountId,
    key_id: event.keyId,
    actor: actor.kind === 'key' ? actor.keyId : actor.kind,
    details: JSON.stringify(event.details, withoutAddress),
  };
}

/** Customers also name accounts and keys by e-mail addresses. The log outlives its customers, so it contains none. */
function withoutAddress(_name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  // Word by word: one pattern over the whole text would take quadratic time.
  return value.replace(/\S+/gu, (word) => (/[^@]@[^@]/u.test(word) ? '…@…' : word));
}

export async function readAudit(
  database: Kysely<AccountSchema>,
  { accountId, after, since, limit, newestFirst }: AuditFilter,
): Promise<readonly AuditEvent[]> {
  let query = database
    .selectFrom('audit_log')
    .selectAll()
    .orderBy('sequence', newestFirst === true ? 'desc' : 'asc')
    .limit(limit);
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  if (since !== undefined) query = query.where('at', '>=', since);
  if (after !== undefined) query = query.where('sequence', '>', BigInt(after));
  return (await query.execute()).map(eventOf);
}

/** Events from before this instant may have been removed. */
export async function auditKeptFrom(database: Kysely<AccountSchema>): Promise<EpochNs> {
  const row = await database
    .selectFrom('audit_beginning')
    .select('kept_from')
    .executeTakeFirstOrThrow();
  return row.kept_from as EpochNs;
}

function eventOf(row: AuditRow): AuditEvent {
  return {
    sequence: Number(row.sequence),
    at: row.at as EpochNs,
    count: Number(row.count),
    lastAt: (row.last_at ?? row.at) as EpochNs,
    kind: row.kind,
    accountId: row.account_id,
    keyId: row.key_id,
    actor: row.actor,
    details: JSON.parse(row.details) as Record<string, unknown>,
  };
}
