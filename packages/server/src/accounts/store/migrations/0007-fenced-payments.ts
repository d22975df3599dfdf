/** Fencing of payments between nodes: numbered queries to providers, holders of withdrawals, requested refunds. */

import type { Migration } from './migration.ts';

export const fencedPayments: Migration = {
  version: 7,
  async up({ schema }) {
    for (const count of ['asks', 'heard_ask']) {
      await schema
        .alterTable('orders')
        .addColumn(count, 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
    }
    const withdrawals = () => schema.alterTable('withdrawals');
    await withdrawals()
      .addColumn('taken', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await withdrawals().addColumn('refund_asked_at', 'bigint').execute();
  },
};
