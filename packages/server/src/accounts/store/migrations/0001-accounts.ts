/** The first schema: accounts, grants, keys, stream tokens, months of usage, reservations, audit log. */

import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Migration, SchemaDialect } from './migration.ts';

export const accounts: Migration = {
  version: 1,
  async up(database, dialect) {
    await createAccounts(database);
    await createKeys(database);
    await createUsage(database);
    await createAuditLog(database, dialect);
  },
};

async function createAccounts(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('suspended_at', 'bigint')
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema
    .createTable('grants')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('plan', 'text', (column) => column.notNull())
    .addColumn('until', 'bigint')
    .addPrimaryKeyConstraint('grants_key', ['account_id', 'position'])
    .execute();
}

async function createKeys(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('keys')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('instruments', 'text')
    .addColumn('allowed_ips', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('rotated_to', 'text')
    .execute();
  await database.schema
    .createIndex('keys_of_account')
    .on('keys')
    .columns(['account_id', 'created_at'])
    .execute();
  await database.schema
    .createTable('stream_tokens')
    .addColumn('hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('key_id', 'text', (column) => column.notNull().references('keys.id'))
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('stream_tokens_by_expiry')
    .on('stream_tokens')
    .column('expires_at')
    .execute();
}

async function createUsage(database: Kysely<unknown>): Promise<void> {
  let usage: CreateTableBuilder<string, string> = database.schema
    .createTable('month_usage')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('period', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('month_usage_key', ['account_id', 'period']);
  for (const count of [
    'compute_units',
    'history_items',
    'export_bytes',
    'rest_requests',
    'reserved_compute_units',
    'reserved_export_bytes',
  ]) {
    // A negative count would mean a double release: the database rejects it.
    usage = usage.addColumn(count, 'bigint', (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`${sql.ref(count)} >= 0`),
    );
  }
  await usage.execute();
  await database.schema
    .createTable('reservations')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('budget', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull().check(sql`amount >= 0`))
    .addColumn('period', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('reservations_by_expiry')
    .on('reservations')
    .columns(['state', 'expires_at', 'account_id'])
    .execute();
}

async function createAuditLog(database: Kysely<unknown>, dialect: SchemaDialect): Promise<void> {
  await database.schema
    .createTable('audit_log')
    .addColumn('sequence', dialect.sequenceType, dialect.sequence)
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text')
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('details', 'text', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('audit_log_of_account')
    .on('audit_log')
    .columns(['account_id', 'sequence'])
    .execute();
  await dialect.forbidChanges(database, 'audit_log');
}
