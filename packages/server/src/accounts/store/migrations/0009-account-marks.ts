/** Marks of an account, each set once: see `AccountMark`. */

import type { Migration } from './migration.ts';

export const accountMarks: Migration = {
  version: 9,
  async up({ schema }) {
    await schema
      .createTable('account_marks')
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('mark', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('account_marks_by_account', ['account_id', 'mark'])
      .execute();
  },
};
