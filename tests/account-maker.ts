/**
 * Creates accounts beside a running service, in the same database, as the operator's command does.
 * Tests with many connections or requests spread them over enough accounts.
 */

import { randomBytes } from 'node:crypto';
import { type Environment, SCOPES } from '@tapeloom/core/entitlement/key-rights';
import { GRANTABLE, type Grant } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { digestOf, newKeyText } from '@tapeloom/server/accounts/auth/secret';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { accountsPath } from '@tapeloom/server/accounts/store/sqlite/accounts-path';
import { openSqliteAccountStore } from '@tapeloom/server/accounts/store/sqlite/sqlite-account-store';

/**
 * One account per name, with the plan `live_history` or the given grants; returns one key of each,
 * with all scopes.
 */
export async function makeAccounts(
  data: string,
  names: readonly string[],
  environment: Environment = 'live',
  plans: readonly Grant['plan'][] = GRANTABLE,
): Promise<readonly string[]> {
  await using store = await openSqliteAccountStore(accountsPath(data));
  return await makeAccountsIn(store, names, environment, plans);
}

/** The same in an open store. */
export async function makeAccountsIn(
  store: AccountStore,
  names: readonly string[],
  environment: Environment = 'live',
  plans: readonly Grant['plan'][] = GRANTABLE,
): Promise<readonly string[]> {
  const now = (BigInt(Date.now()) * 1_000_000n) as EpochNs;
  const call = { now, actor: { kind: 'operator' } } as const;
  const grants = plans.map((plan) => ({ plan, until: null }));
  const rights = { scopes: SCOPES, instruments: null, allowedIps: null, expiresAt: null };
  const secrets: string[] = [];
  for (const name of names) {
    const account = await store.createAccount(call, { name, grants });
    if ('refused' in account) throw new Error(`there is an account ${name}`);
    const secret = newKeyText(environment, randomBytes);
    const key = { ...rights, name, environment };
    const made = await store.createKey(call, account.id, key, digestOf(secret));
    if ('refused' in made) throw new Error(`the key of ${name} was refused`);
    secrets.push(secret);
  }
  return secrets;
}
