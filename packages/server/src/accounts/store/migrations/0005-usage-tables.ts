/** Charges by day, and the stream tokens of sessions. */

import type { Kysely } from 'kysely';

export async function createUsageTables(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('day_usage')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('day', 'bigint', (column) => column.notNull())
    .addColumn('compute_units', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('export_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('day_usage_key', ['account_id', 'day'])
    .execute();
  await database.schema.createIndex('day_usage_by_day').on('day_usage').column('day').execute();
  await database.schema
    .createTable('session_tokens')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('session_id', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('session_tokens_by_expiry')
    .on('session_tokens')
    .column('expires_at')
    .execute();
}
