/** Orders, payments and withdrawals with the accounts in PostgreSQL. */

import { after, before, test } from 'node:test';
import { testPaymentsOver } from '../../testing/billing/payments.contract.ts';
import type { OpenStore } from '../../testing/billing/payments-over-rig.ts';
import { playHistories } from '../../testing/billing/shuffled-histories.contract.ts';
import { TestProviderRig } from '../../testing/billing/test-provider-rig.ts';
import { testWithdrawalsOver } from '../../testing/billing/withdrawals.contract.ts';
import { PostgresServer } from '../../testing/platform/postgres-server.ts';
import { openPostgresAccountStore } from '../accounts/store/postgres/postgres-account-store.ts';

/** Fewer than in memory: what differs is the store. */
const HISTORIES = 25;
const NAME = 'test provider, PostgreSQL';

let server: PostgresServer;
/** A database with all tables, but without rows. */
let original: string;
before(async () => {
  server = await PostgresServer.start();
  original = await server.database();
  await (await openPostgresAccountStore({ url: original }))[Symbol.asyncDispose]();
});
after(async () => await server[Symbol.asyncDispose]());

const openStore: OpenStore = async () =>
  await openPostgresAccountStore({ url: await server.database(original) });

testPaymentsOver(NAME, () => TestProviderRig.open(), openStore);
testWithdrawalsOver(NAME, () => TestProviderRig.open(), openStore);

test(`${NAME}: whatever happens in whatever order, the rights are what the provider says in the end`, () =>
  playHistories(() => TestProviderRig.open(), HISTORIES, openStore));
