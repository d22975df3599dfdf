/** Orders over a SQL database; see `orders-store.ts`. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { OrderRecord, OrdersStore } from './orders-store.ts';
import type { SqlStore } from './sql-store.ts';

export class SqlOrders implements OrdersStore {
  readonly #store: SqlStore;

  constructor(store: SqlStore) {
    this.#store = store;
  }

  ordersOf(accountId: string): Promise<readonly OrderRecord[]> {
    return this.#store.read(async (sql) => {
      const rows = await sql
        .selectFrom('orders')
        .select(['id', 'account_id', 'offer', 'created_at'])
        .where('account_id', '=', accountId)
        .orderBy('created_at', 'desc')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        accountId: row.account_id,
        offer: row.offer,
        createdAt: row.created_at as EpochNs,
      }));
    });
  }
}
