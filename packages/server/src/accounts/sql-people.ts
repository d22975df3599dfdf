/** People over a SQL database; see `people-store.ts`. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { OwnerRecord, PeopleStore } from './people-store.ts';
import type { SqlStore } from './sql-store.ts';

export class SqlPeople implements PeopleStore {
  readonly #store: SqlStore;

  constructor(store: SqlStore) {
    this.#store = store;
  }

  ownerOf(accountId: string): Promise<OwnerRecord | null> {
    return this.#store.read(async (sql) => {
      const row = await sql
        .selectFrom('owners')
        .select(['account_id', 'email', 'since'])
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      if (row === undefined) return null;
      return { accountId: row.account_id, email: row.email, since: row.since as EpochNs };
    });
  }
}
