/** Mails about a month's budget: whether an owner wants them, and which ones were sent. */

import type { Migration } from './migration.ts';

export const usageMails: Migration = {
  version: 10,
  async up({ schema }) {
    await schema
      .alterTable('owners')
      .addColumn('usage_mails', 'bigint', (column) => column.notNull().defaultTo(1))
      .execute();
    await schema
      .createTable('usage_told')
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('period', 'text', (column) => column.notNull())
      .addColumn('budget', 'text', (column) => column.notNull())
      .addColumn('budget_limit', 'bigint', (column) => column.notNull())
      .addColumn('percent', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('usage_told_key', [
        'account_id',
        'period',
        'budget',
        'budget_limit',
        'percent',
      ])
      .execute();
    await schema.createIndex('usage_told_by_period').on('usage_told').column('period').execute();
  },
};
