/**
 * Withdrawals from orders. A declaration never changes; its processing (mail, end at the provider, refund) is stored
 * beside it. The database allows the removal of consents, withdrawals and orders only if their account was deleted
 * before the instant that the operator's retention years lead to.
 */

import { type Kysely, sql } from 'kysely';
import type { SchemaDialect } from './migration.ts';

/** The declaration, and the facts recorded with it. */
const DECLARED = [
  'order_id',
  'account_id',
  'at',
  'via',
  'address',
  'session_id',
  'email',
  'statement',
  'statement_sha256',
  'amount_minor',
  'unused_ns',
  'period_ns',
];

export async function createWithdrawalTables(
  database: Kysely<unknown>,
  dialect: SchemaDialect,
): Promise<void> {
  await addTerms(database);
  await createWithdrawals(database);
  await dialect.refuse(database, {
    name: 'withdrawals_refuse_update',
    table: 'withdrawals',
    change: `update of ${DECLARED.join(', ')}`,
    why: 'withdrawals keep what was declared',
  });
  await dialect.refuse(database, {
    name: 'withdrawals_refund_once',
    table: 'withdrawals',
    change: 'update of refund_minor',
    when: 'old.refund_minor is not null and (new.refund_minor is null or new.refund_minor <> old.refund_minor)',
    why: 'withdrawals keep what is given back',
  });
  await limitRemoval(database, dialect);
}

/** The right of withdrawal at the time of the order. Earlier orders have the built-in terms. */
async function addTerms(database: Kysely<unknown>): Promise<void> {
  const orders = () => database.schema.alterTable('orders');
  await orders()
    .addColumn('withdrawal_days', 'bigint', (column) => column.notNull().defaultTo(14))
    .execute();
  await orders()
    .addColumn('withdrawal_lost_at', 'text', (column) => column.notNull().defaultTo('never'))
    .execute();
  await orders()
    .addColumn('withdrawal_refund', 'text', (column) => column.notNull().defaultTo('rest'))
    .execute();
  await orders().addColumn('withdrawn_at', 'bigint').execute();
  await sql`update orders set withdrawal_lost_at = 'access', withdrawal_refund = 'all'
    where kind = 'purchase'`.execute(database);
}

async function createWithdrawals({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('withdrawals')
    .addColumn('order_id', 'text', (column) =>
      column.primaryKey().notNull().references('orders.id'),
    )
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('via', 'text', (column) => column.notNull())
    .addColumn('address', 'text')
    .addColumn('session_id', 'text')
    .addColumn('email', 'text')
    .addColumn('statement', 'text', (column) => column.notNull())
    .addColumn('statement_sha256', 'text', (column) => column.notNull())
    .addColumn('amount_minor', 'bigint', (column) => column.notNull().check(sql`amount_minor >= 0`))
    .addColumn('unused_ns', 'bigint', (column) => column.notNull())
    .addColumn('period_ns', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('charge_id', 'text')
    .addColumn('refund_before_minor', 'bigint')
    .addColumn('refund_minor', 'bigint')
    .addColumn('told_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('refunded_at', 'bigint')
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('try_at', 'bigint')
    .addColumn('fault', 'text')
    .execute();
  await schema
    .createIndex('withdrawals_of_account')
    .on('withdrawals')
    .column('account_id')
    .execute();
  await schema.createIndex('withdrawals_to_try').on('withdrawals').column('try_at').execute();
}

async function limitRemoval(database: Kysely<unknown>, dialect: SchemaDialect): Promise<void> {
  // One row: everything of accounts deleted from this instant on is kept and cannot be removed.
  await database.schema
    .createTable('orders_beginning')
    .addColumn('kept_from', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into orders_beginning (kept_from) values (0)`.execute(database);
  await database.schema
    .createIndex('deletions_by_time')
    .on('account_deletions')
    .column('done_at')
    .execute();
  await dialect.dropTrigger(database, 'consents', 'consents_refuses_delete');
  for (const table of ['consents', 'withdrawals', 'orders']) {
    await dialect.refuse(database, {
      name: `${table}_refuse_delete`,
      table,
      change: 'delete',
      when:
        'not exists (select 1 from account_deletions where account_id = old.account_id ' +
        'and done_at < coalesce((select max(kept_from) from orders_beginning), 0))',
      why: `${table} are kept until the years after their account's deletion have passed`,
    });
  }
}
