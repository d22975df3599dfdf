/** Layouts of the chart workspace, with their earlier states. */

import type { Migration } from './migration.ts';

export const layouts: Migration = {
  version: 14,
  async up({ schema }) {
    await schema
      .createTable('layouts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('state', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('deleted_at', 'bigint')
      .execute();
    await schema
      .createIndex('layouts_of_account')
      .on('layouts')
      .columns(['account_id', 'updated_at'])
      .execute();
    await schema.createIndex('layouts_by_deletion').on('layouts').column('deleted_at').execute();
    await schema
      .createTable('layout_states')
      .addColumn('layout_id', 'text', (column) => column.notNull().references('layouts.id'))
      .addColumn('state', 'bigint', (column) => column.notNull())
      .addColumn('saved_at', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('layout', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('layout_states_key', ['layout_id', 'state'])
      .execute();
  },
};
