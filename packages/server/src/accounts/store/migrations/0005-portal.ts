/** The portal's tables: owners, sign-ins, orders, usage by day. */

import { createOrderTables } from './0005-order-tables.ts';
import { createPeopleTables } from './0005-people-tables.ts';
import { createUsageTables } from './0005-usage-tables.ts';
import type { Migration } from './migration.ts';

export const portal: Migration = {
  version: 5,
  async up(database, dialect) {
    await createPeopleTables(database);
    await createOrderTables(database, dialect);
    await createUsageTables(database);
  },
};
