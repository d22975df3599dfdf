/** The service's state as nodes observed it, and when. */

import type { Migration } from './migration.ts';

export const statusSpans: Migration = {
  version: 12,
  async up({ schema }) {
    await schema
      .createTable('status_spans')
      .addColumn('node', 'text', (column) => column.notNull())
      .addColumn('from_at', 'bigint', (column) => column.notNull())
      .addColumn('until_at', 'bigint', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('status_spans_key', ['node', 'from_at'])
      .execute();
    await schema.createIndex('status_spans_by_end').on('status_spans').column('until_at').execute();
  },
};
