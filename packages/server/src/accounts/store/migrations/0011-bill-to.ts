/** The billing details of an order: name, address and tax id, as the buyer entered them. */

import type { Migration } from './migration.ts';

export const billTo: Migration = {
  version: 11,
  async up({ schema }) {
    await schema.alterTable('orders').addColumn('bill_to', 'text').execute();
  },
};
