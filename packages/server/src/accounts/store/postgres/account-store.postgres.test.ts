/** PostgreSQL, as two nodes have it open. */

import { after } from 'node:test';
import { testAccountStore } from '../../../../testing/accounts/store/account-store.contract.ts';
import { PostgresServer } from '../../../../testing/platform/postgres-server.ts';
import { openPostgresAccountStore } from './postgres-account-store.ts';

const starting = PostgresServer.start();
after(async () => await (await starting)[Symbol.asyncDispose]());

testAccountStore('PostgreSQL', async () => {
  const url = await (await starting).database();
  const [store, other] = await Promise.all([
    openPostgresAccountStore({ url }),
    openPostgresAccountStore({ url }),
  ]);
  return {
    store,
    other,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
});
