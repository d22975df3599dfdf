/**
 * A portal session as a key: with the session's id and the rights of the account's plan. Its cost is charged to the
 * account and counted as the portal's. Customers and routes see no such key.
 */

import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { Scope } from '@tapeloom/core/entitlement/key-rights';
import { planAt } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Caller } from '../../../accounts/auth/caller.ts';
import type { Session } from '../../../accounts/auth/session-keeper.ts';
import { SESSION_RIGHTS } from '../../../accounts/auth/session-rights.ts';
import type { AccountStore } from '../../../accounts/store/account-store.ts';
import { notSignedIn } from '../../server/problems/unauthorized.ts';

/** Charts and the reference read, and never download. Stream tokens have rights of their own. */
const SCOPES: readonly Scope[] = ['history', 'keys'];

export async function sessionCaller(
  store: Pick<AccountStore, 'findAccount'>,
  { id, accountId, isSuspended }: Session,
  now: EpochNs,
): Promise<Caller> {
  const account = await store.findAccount(accountId);
  // The account was deleted between the two reads.
  if (account === null) throw notSignedIn('Your session has ended; sign in again.');
  const rights = { ...SESSION_RIGHTS, scopes: SCOPES };
  return {
    accountId,
    keyId: id,
    isSuspended: isSuspended || account.suspendedAt !== null,
    entitlements: Entitlements.of(rights, planAt(account.grants, now)),
  };
}
