/** What somebody who is signed in may see: what a live key without restrictions of the account would. */

import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import { planAt } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AccountStore } from '../../accounts/account-store.ts';
import { SESSION_RIGHTS } from '../../accounts/session-rights.ts';

export async function sessionEntitlements(
  store: Pick<AccountStore, 'findAccount'>,
  accountId: string,
  now: EpochNs,
): Promise<Entitlements> {
  const account = await store.findAccount(accountId);
  return Entitlements.of(SESSION_RIGHTS, planAt(account?.grants ?? [], now));
}
