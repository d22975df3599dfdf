/**
 * Usage of each key by month, usage and reservations of test keys for their own limits, and the key of a reservation.
 * Earlier usage was not recorded by key: it counts as that of live keys.
 */

import { type Kysely, sql } from 'kysely';
import type { Migration } from './migration.ts';

const COUNTS = ['compute_units', 'history_items', 'export_bytes', 'rest_requests'] as const;
const RESERVED = ['reserved_compute_units', 'reserved_export_bytes'] as const;

export const useByKey: Migration = {
  version: 2,
  async up(database) {
    for (const count of [...COUNTS, ...RESERVED]) await addTestCount(database, count);
    await database.schema.alterTable('reservations').addColumn('key_id', 'text').execute();
    await database.schema
      .alterTable('reservations')
      .addColumn('is_test', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await createKeyUsage(database);
  },
};

async function addTestCount(database: Kysely<unknown>, count: string): Promise<void> {
  const name = `test_${count}`;
  await database.schema
    .alterTable('month_usage')
    .addColumn(name, 'bigint', (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`${sql.ref(name)} >= 0`),
    )
    .execute();
}

async function createKeyUsage(database: Kysely<unknown>): Promise<void> {
  let usage = database.schema
    .createTable('key_usage')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('period', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('key_usage_key', ['account_id', 'period', 'key_id']);
  for (const count of COUNTS) {
    usage = usage.addColumn(count, 'bigint', (column) => column.notNull().defaultTo(0));
  }
  await usage.execute();
  await database.schema
    .createIndex('key_usage_by_period')
    .on('key_usage')
    .column('period')
    .execute();
}
