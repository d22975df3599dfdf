/** Work in progress while PostgreSQL is restored from an older copy. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { PostgresCopy } from '../../../../testing/platform/postgres-copy.ts';
import { PostgresServer } from '../../../../testing/platform/postgres-server.ts';
import type { Budget } from '../../usage/usage-store.ts';
import type { AccountChange, AccountStore } from '../account-store.ts';
import { openPostgresAccountStore } from './postgres-account-store.ts';

const NOW = 1_790_000_000_123_456_789n as EpochNs;
const OPERATOR = { now: NOW, actor: { kind: 'operator' } } as const;
const PERIOD = '2026-09';

let server: PostgresServer;
let store: AccountStore;
before(async () => {
  server = await PostgresServer.start();
  store = await openPostgresAccountStore({ url: await server.database() });
});
after(async () => {
  await store[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function accountOf(name: string): Promise<string> {
  const account = await store.createAccount(OPERATOR, { name, grants: [] });
  assert.ok('id' in account);
  return account.id;
}

async function reserve(accountId: string, id: string, budget: Budget, isSynced: boolean) {
  const verdict = await store.reserve(NOW, {
    ...{ id, accountId, keyId: 'key_1', budget, amount: 10, period: PERIOD, isSynced },
    limit: 1_000,
    testLimit: null,
    expiresAt: (NOW + 600_000_000_000n) as EpochNs,
  });
  assert.deepEqual(verdict, { granted: true });
}

test('whoever was let in is charged, what was given back stays so, and who is gone stands in nobody’s way', async () => {
  const early = await accountOf('early');
  await reserve(early, 'settled between', 'computeUnits', false);
  await reserve(early, 'running all the time', 'exportBytes', true);
  const copy = await PostgresCopy.of(server);
  assert.equal(await store.settle(NOW, 'settled between', { amount: 3 }), true);
  await reserve(early, 'running, synced', 'exportBytes', true);
  await reserve(early, 'running', 'computeUnits', false);
  await reserve(early, 'given back', 'exportBytes', true);
  assert.equal(await store.voidReservation(NOW, 'given back'), true);
  const late = await accountOf('late');
  await reserve(late, 'of nobody', 'exportBytes', true);
  const replaced = new Promise<AccountChange>((resolve) => void store.onChange(resolve));
  await copy.putBack();

  assert.equal((await replaced).kind, 'accounts.replaced');
  assert.equal(await store.settle(NOW, 'running, synced', { amount: 500 }), true);
  assert.equal(await store.settle(NOW, 'running, synced', { amount: 500 }), false);
  assert.equal(await store.settle(NOW, 'running', { amount: 40 }), true);
  assert.equal(await store.settle(NOW, 'running all the time', { amount: 7 }), true);
  assert.equal(await store.voidReservation(NOW, 'given back'), false);
  assert.equal(await store.settle(NOW, 'of nobody', { amount: 1 }), false);
  const counted = { keyId: 'key_1', isTest: false, period: PERIOD, restRequests: 2 };
  await store.addUsage([late, early].map((accountId) => ({ ...counted, accountId })));

  const { used, reserved } = await store.usageOf(NOW, early, PERIOD);
  assert.deepEqual(used, {
    computeUnits: 40,
    exportBytes: 507,
    historyItems: 0,
    restRequests: 2,
  });
  // It was settled after the copy, by a caller that does not return: it expires by itself.
  assert.deepEqual(reserved, { computeUnits: 10, exportBytes: 0 });
  const later = (NOW + 601_000_000_000n) as EpochNs;
  assert.equal((await store.usageOf(later, early, PERIOD)).reserved.computeUnits, 0);
  assert.deepEqual((await store.usageOf(NOW, late, PERIOD)).used.restRequests, 0);
});
