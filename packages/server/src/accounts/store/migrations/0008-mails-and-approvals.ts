/**
 * Mails that must not be lost, until the mail server accepts them; and the new address that an owner must approve at
 * the present one.
 */

import { type Kysely, sql } from 'kysely';
import type { Migration } from './migration.ts';

export const mailsAndApprovals: Migration = {
  version: 8,
  async up(database) {
    await createMails(database);
    for (const column of ['new_email', 'new_email_key']) {
      await database.schema.alterTable('sign_in_links').addColumn(column, 'text').execute();
    }
    // Receipts that an earlier version still had to deliver.
    await sql`insert into mails (id, kind, reader, order_id, details, created_at, try_at, tries)
      select 'withdrawal-received.' || order_id, 'withdrawal-received', email, order_id, '{}', at, at, 0
      from withdrawals where told_at is null and email is not null and state <> 'done'`.execute(
      database,
    );
  },
};

async function createMails({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('mails')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('reader', 'text', (column) => column.notNull())
    .addColumn('order_id', 'text')
    .addColumn('details', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('try_at', 'bigint', (column) => column.notNull())
    .addColumn('tries', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('mails_to_try').on('mails').column('try_at').execute();
}
