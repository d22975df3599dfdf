/**
 * What keeps nodes out of each other's way with payments: which answer of a provider was asked for last, who holds a
 * withdrawal, and whether its refund was asked for.
 */

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
