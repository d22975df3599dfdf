/** The results of requests with an idempotency key, so that they are not repeated. */

import type { Migration } from './migration.ts';

export const idempotentRequests: Migration = {
  version: 3,
  async up(database) {
    await database.schema
      .createTable('idempotent_requests')
      .addColumn('key_id', 'text', (column) => column.notNull().references('keys.id'))
      .addColumn('idempotency_key', 'text', (column) => column.notNull())
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('request', 'text', (column) => column.notNull())
      .addColumn('answer', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('idempotent_requests_key', ['key_id', 'idempotency_key'])
      .execute();
    await database.schema
      .createIndex('idempotent_requests_of_account')
      .on('idempotent_requests')
      .columns(['account_id', 'expires_at'])
      .execute();
    await database.schema
      .createIndex('idempotent_requests_by_expiry')
      .on('idempotent_requests')
      .column('expires_at')
      .execute();
  },
};
