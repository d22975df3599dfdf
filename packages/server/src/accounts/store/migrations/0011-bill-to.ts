/** Whom an order is billed to: name, address and tax id, as the buyer gave them. */

import type { Migration } from './migration.ts';

export const billTo: Migration = {
  version: 11,
  async up({ schema }) {
    await schema.alterTable('orders').addColumn('bill_to', 'text').execute();
  },
};
