/** Tables for lawful selling: withdrawals, their terms, and a limit to how long orders are kept. */

import { createPaymentTables } from './0006-payment-tables.ts';
import { createWithdrawalTables } from './0006-withdrawal-tables.ts';
import type { Migration } from './migration.ts';

export const selling: Migration = {
  version: 6,
  async up(database, dialect) {
    await createPaymentTables(database);
    await createWithdrawalTables(database, dialect);
  },
};
