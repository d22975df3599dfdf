/** How far each provider's events were listed, and orders that an operator ended because their payment is lost. */

import type { Kysely } from 'kysely';

export async function createPaymentTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('orders').addColumn('written_off_at', 'bigint').execute();
  await schema
    .createTable('payment_listings')
    .addColumn('provider', 'text', (column) => column.primaryKey().notNull())
    .addColumn('listed_until', 'bigint', (column) => column.notNull())
    .addColumn('listed_at', 'bigint')
    .addColumn('list_at', 'bigint', (column) => column.notNull())
    .execute();
}
