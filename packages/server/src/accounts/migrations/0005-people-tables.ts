/** Who owns an account, and how they sign in. */

import type { Kysely } from 'kysely';

export async function createPeopleTables(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('owners')
    .addColumn('account_id', 'text', (column) => column.primaryKey().references('accounts.id'))
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('email_key', 'text', (column) => column.notNull().unique())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .execute();
}
