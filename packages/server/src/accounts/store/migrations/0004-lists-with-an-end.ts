/**
 * Adds indices for every bounded list: keys by their end, audit events by time. Refusals of one kind are counted in one
 * event a day, and old events may be removed; nothing else of the audit log can change.
 */

import { type Kysely, sql } from 'kysely';
import type { Migration, SchemaDialect } from './migration.ts';

/** The columns of an event that never change; its count and last time may. */
const TOLD = ['sequence', 'at', 'kind', 'account_id', 'key_id', 'actor', 'details', 'counted_as'];

export const listsWithAnEnd: Migration = {
  version: 4,
  async up(database, dialect) {
    // A key without an end is last. The store's queries use exactly this expression.
    const end = sql`coalesce(revoked_at, expires_at, 9223372036854775807)`;
    await sql`create index keys_by_end on keys (account_id, (${end}))`.execute(database);
    await countInAuditLog(database);
    await limitChangesOfAuditLog(database, dialect);
  },
};

async function countInAuditLog(database: Kysely<unknown>): Promise<void> {
  const log = database.schema.alterTable('audit_log');
  await log.addColumn('count', 'bigint', (column) => column.notNull().defaultTo(1)).execute();
  await log.addColumn('last_at', 'bigint').execute();
  await log.addColumn('counted_as', 'text').execute();
  await database.schema
    .createIndex('audit_log_counted')
    .unique()
    .on('audit_log')
    .column('counted_as')
    .where(sql.ref('counted_as'), 'is not', null)
    .execute();
  await database.schema.createIndex('audit_log_by_time').on('audit_log').column('at').execute();
}

async function limitChangesOfAuditLog(
  database: Kysely<unknown>,
  dialect: SchemaDialect,
): Promise<void> {
  // One row: events from this instant on cannot be removed.
  await database.schema
    .createTable('audit_beginning')
    .addColumn('kept_from', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into audit_beginning (kept_from) values (0)`.execute(database);
  const table = 'audit_log';
  for (const change of ['update', 'delete']) {
    await dialect.dropTrigger(database, table, `audit_log_refuses_${change}`);
  }
  await dialect.refuse(database, {
    name: 'audit_log_refuses_update',
    table,
    change: `update of ${TOLD.join(', ')}`,
    why: 'audit_log keeps what it was told',
  });
  await dialect.refuse(database, {
    name: 'audit_log_counts_up',
    table,
    change: 'update of count, last_at',
    when: 'old.counted_as is null or new.count <= old.count',
    why: 'audit_log counts refusals, and only up',
  });
  await dialect.refuse(database, {
    name: 'audit_log_refuses_delete',
    table,
    change: 'delete',
    when: 'old.at >= coalesce((select max(kept_from) from audit_beginning), 0)',
    why: 'audit_log keeps what is not older than its beginning',
  });
}
