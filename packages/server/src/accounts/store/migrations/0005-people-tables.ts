/**
 * Owners of accounts, their sign-in links and their sessions. Links and sessions are stored as digests; client
 * addresses only as far and as long as limits need them.
 */

import { type Kysely, sql } from 'kysely';

export async function createPeopleTables(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('owners')
    .addColumn('account_id', 'text', (column) => column.primaryKey().references('accounts.id'))
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('email_key', 'text', (column) => column.notNull().unique())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .execute();
  await createLinks(database);
  await createSessions(database);
  await schema
    .createTable('account_births')
    .addColumn('account_id', 'text', (column) => column.primaryKey().references('accounts.id'))
    .addColumn('asked_from', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('births_by_address')
    .on('account_births')
    .columns(['asked_from', 'created_at'])
    .execute();
  await schema.createIndex('births_by_time').on('account_births').column('created_at').execute();
  await schema
    .createTable('account_deletions')
    .addColumn('account_id', 'text', (column) => column.primaryKey().references('accounts.id'))
    .addColumn('asked_at', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('done_at', 'bigint')
    .execute();
  await schema
    .createIndex('deletions_by_due_time')
    .on('account_deletions')
    .column('due_at')
    .where(sql.ref('done_at'), 'is', null)
    .execute();
}

async function createLinks({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('sign_in_links')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('email', 'text')
    .addColumn('email_key', 'text')
    .addColumn('account_id', 'text', (column) => column.references('accounts.id'))
    .addColumn('asked_from', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint')
    .execute();
  for (const column of ['email_key', 'asked_from', 'account_id']) {
    await schema
      .createIndex(`links_by_${column}`)
      .on('sign_in_links')
      .columns([column, 'created_at'])
      .execute();
  }
  await schema.createIndex('links_by_time').on('sign_in_links').column('created_at').execute();
  await schema
    .createTable('people_turns')
    .addColumn('who', 'text', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('people_turns_by_time').on('people_turns').column('at').execute();
}

async function createSessions({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('browser', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('sessions_of_account')
    .on('sessions')
    .columns(['account_id', 'created_at'])
    .execute();
  await schema.createIndex('sessions_by_end').on('sessions').column('expires_at').execute();
}
