import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ENVIRONMENTS, SCOPES } from '@tapeloom/core/entitlement/key-rights';
import { planAt } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { digestOf, isSoundText } from '../../accounts/auth/secret.ts';
import { openSqliteAccountStore } from '../../accounts/store/sqlite/sqlite-account-store.ts';
import { makeDemoAccount } from './demo-account.ts';

const NOW = 1_800_000_000_000_000_000n as EpochNs;
const OPERATOR = { now: NOW, actor: { kind: 'operator' } } as const;

test('a store without accounts gets one with a live and a test key of all scopes, once', async () => {
  await using store = await openSqliteAccountStore(':memory:');
  const made = await makeDemoAccount(store, NOW, randomBytes);
  assert.equal(made.account, 'demo');
  const account = await store.findAccount('demo');
  assert.equal(
    planAt(account!.grants, (NOW + 1_000_000_000_000_000_000n) as EpochNs),
    'live_history',
  );
  for (const environment of ENVIRONMENTS) {
    const secret = made.secrets![environment];
    assert.ok(isSoundText(secret) && secret.startsWith(`svc_${environment}_`));
    const { key } = (await store.findKey(digestOf(secret).hash))!;
    assert.deepEqual(
      [key.environment, key.scopes, key.instruments, key.allowedIps, key.expiresAt],
      [environment, SCOPES, null, null, null],
    );
  }
  const again = await makeDemoAccount(store, NOW, randomBytes);
  assert.deepEqual(again, { account: 'demo', secrets: null });
  assert.equal((await store.listKeys(NOW, account!.id)).length, 2);
});

test('a store with accounts is left alone, also when the keys were never shown', async () => {
  await using store = await openSqliteAccountStore(':memory:');
  await store.createAccount(OPERATOR, { name: 'acme', grants: [] });
  assert.deepEqual(await makeDemoAccount(store, NOW, randomBytes), {
    account: 'acme',
    secrets: null,
  });
  assert.equal((await store.listAccounts()).length, 1);
});
