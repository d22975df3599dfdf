/** Orders, consents and payments. Consents and their texts can only grow: the database rejects changes and removals. */

import type { Kysely } from 'kysely';
import type { SchemaDialect } from './migration.ts';

export async function createOrderTables(
  database: Kysely<unknown>,
  dialect: SchemaDialect,
): Promise<void> {
  // All earlier grants came from operators.
  await database.schema
    .alterTable('grants')
    .addColumn('source', 'text', (column) => column.notNull().defaultTo('operator'))
    .execute();
  await createOrders(database);
  await createConsents(database, dialect);
  await createPaymentEvents(database);
}

async function createOrders(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('orders')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('offer', 'text', (column) => column.notNull())
    .addColumn('grants', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('amount_minor', 'bigint', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('tax_included', 'bigint', (column) => column.notNull())
    .addColumn('country', 'text', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('ref', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('waiver_version', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('paid_at', 'bigint')
    .addColumn('paid_until', 'bigint')
    .addColumn('cancel_at_period_end', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('looked_at', 'bigint')
    .addColumn('look_at', 'bigint')
    .addColumn('confirmed_at', 'bigint')
    .addColumn('failure_told', 'bigint')
    .addUniqueConstraint('orders_by_ref', ['provider', 'ref'])
    .execute();
  await database.schema
    .createIndex('orders_of_account')
    .on('orders')
    .columns(['account_id', 'created_at'])
    .execute();
  await database.schema.createIndex('orders_to_look_at').on('orders').column('look_at').execute();
}

async function createConsents(database: Kysely<unknown>, dialect: SchemaDialect): Promise<void> {
  await database.schema
    .createTable('waiver_texts')
    .addColumn('sha256', 'text', (column) => column.primaryKey().notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .execute();
  await database.schema
    .createTable('consents')
    .addColumn('order_id', 'text', (column) =>
      column.primaryKey().notNull().references('orders.id'),
    )
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('waiver_version', 'text', (column) => column.notNull())
    .addColumn('text_sha256', 'text', (column) =>
      column.notNull().references('waiver_texts.sha256'),
    )
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('consents_of_account')
    .on('consents')
    .column('account_id')
    .execute();
  for (const table of ['waiver_texts', 'consents']) await dialect.forbidChanges(database, table);
}

async function createPaymentEvents(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('payment_events')
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('object_ref', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('try_at', 'bigint')
    .addColumn('fault', 'text')
    .addPrimaryKeyConstraint('payment_events_key', ['provider', 'id'])
    .execute();
  await database.schema
    .createIndex('payment_events_to_try')
    .on('payment_events')
    .column('try_at')
    .execute();
  await database.schema
    .createIndex('payment_events_of_object')
    .on('payment_events')
    .columns(['provider', 'object_ref', 'try_at'])
    .execute();
}
