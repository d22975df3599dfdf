/**
 * Requests with an idempotency key may also come from a portal session, which acts as a key: `key_id` refers to no
 * table any more. SQLite cannot drop a reference, so the table is made again, with its rows.
 */

import { type Kysely, sql } from 'kysely';
import type { Migration } from './migration.ts';

const NAME = 'idempotent_requests';
const COPY = 'idempotent_requests_before';

export const requestsOfSessions: Migration = {
  version: 15,
  async up(database) {
    await sql`create table ${sql.table(COPY)} as select * from ${sql.table(NAME)}`.execute(
      database,
    );
    await database.schema.dropTable(NAME).execute();
    await createTable(database);
    const columns = sql`key_id, idempotency_key, account_id, request, answer, expires_at`;
    await sql`insert into ${sql.table(NAME)} (${columns})
      select ${columns} from ${sql.table(COPY)}`.execute(database);
    await database.schema.dropTable(COPY).execute();
  },
};

async function createTable({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable(NAME)
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('idempotency_key', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('answer', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotent_requests_key', ['key_id', 'idempotency_key'])
    .execute();
  await schema
    .createIndex('idempotent_requests_of_account')
    .on(NAME)
    .columns(['account_id', 'expires_at'])
    .execute();
  await schema.createIndex('idempotent_requests_by_expiry').on(NAME).column('expires_at').execute();
}
