/**
 * Creates the first account. A store without any account gets `demo` with one live and one test key, whose secrets are
 * returned to the caller this once. A store with accounts is left alone. So if a process dies between creating and
 * showing the keys, the operator runs one command and no second account appears.
 */

import {
  ENVIRONMENTS,
  type Environment,
  type KeyRights,
  SCOPES,
} from '@tapeloom/core/entitlement/key-rights';
import type { EpochNs } from '@tapeloom/core/numbers';
import { digestOf, newKeyText, type RandomBytes } from '../../accounts/auth/secret.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import type { StoreCall } from '../../accounts/store/store-call.ts';

export const DEMO_ACCOUNT = 'demo';

/** The secrets of the new keys, or the name of an existing account. */
export type FirstKeys =
  | { readonly account: string; readonly secrets: Readonly<Record<Environment, string>> }
  | { readonly account: string; readonly secrets: null };

export async function makeDemoAccount(
  store: AccountStore,
  now: EpochNs,
  random: RandomBytes,
): Promise<FirstKeys> {
  const existing = await store.listAccounts();
  if (existing.length > 0) {
    const demo = existing.find(({ name }) => name === DEMO_ACCOUNT);
    return { account: (demo ?? existing[0]!).name, secrets: null };
  }
  const call: StoreCall = { now, actor: { kind: 'operator' } };
  const account = await store.createAccount(call, {
    name: DEMO_ACCOUNT,
    grants: [
      { plan: 'live', until: null },
      { plan: 'history', until: null },
    ],
  });
  // Another process created the account at the same moment; it has the keys.
  if ('refused' in account) return { account: DEMO_ACCOUNT, secrets: null };
  const secrets: Record<string, string> = {};
  for (const environment of ENVIRONMENTS) {
    const secret = newKeyText(environment, random);
    const rights = unrestricted(environment);
    const name = `first ${environment} key`;
    const key = await store.createKey(call, account.id, { ...rights, name }, digestOf(secret));
    if ('refused' in key) throw new Error(`the first key was refused: ${key.refused}`);
    secrets[environment] = secret;
  }
  return { account: account.name, secrets: secrets as Record<Environment, string> };
}

function unrestricted(environment: Environment): KeyRights {
  return { environment, scopes: SCOPES, instruments: null, allowedIps: null, expiresAt: null };
}
