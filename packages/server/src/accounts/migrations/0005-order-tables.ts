/** What was ordered, agreed to and paid. */

import type { Kysely } from 'kysely';

export async function createOrderTables(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('orders')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('offer', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('orders_of_account')
    .on('orders')
    .columns(['account_id', 'created_at'])
    .execute();
}
