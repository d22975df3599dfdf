/** Passkeys of owners, the challenges they sign, and recoveries of accounts whose passkeys are lost. */

import type { Migration } from './migration.ts';

export const passkeys: Migration = {
  version: 13,
  async up({ schema }) {
    await schema
      .alterTable('owners')
      .addColumn('second_factor', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .createTable('passkeys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('credential_id', 'text', (column) => column.notNull().unique())
      .addColumn('public_key', 'text', (column) => column.notNull())
      .addColumn('counter', 'bigint', (column) => column.notNull())
      .addColumn('transports', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_used_at', 'bigint')
      .execute();
    await schema
      .createIndex('passkeys_of_account')
      .on('passkeys')
      .columns(['account_id', 'created_at'])
      .execute();
    await schema
      .createTable('passkey_challenges')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('purpose', 'text', (column) => column.notNull())
      .addColumn('session_id', 'text')
      .addColumn('asked_by', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('challenges_by_asker')
      .on('passkey_challenges')
      .columns(['asked_by', 'created_at'])
      .execute();
    await schema
      .createIndex('challenges_by_time')
      .on('passkey_challenges')
      .column('created_at')
      .execute();
    await schema
      .createTable('passkey_recoveries')
      .addColumn('account_id', 'text', (column) => column.primaryKey().references('accounts.id'))
      .addColumn('asked_at', 'bigint', (column) => column.notNull())
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('recoveries_by_due_time')
      .on('passkey_recoveries')
      .column('due_at')
      .execute();
  },
};
