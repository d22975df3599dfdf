/** The rights of a portal session: those of an unrestricted live key of the account. */

import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import { planAt } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { SESSION_RIGHTS } from '../../../accounts/auth/session-rights.ts';
import type { AccountStore } from '../../../accounts/store/account-store.ts';

export async function sessionEntitlements(
  store: Pick<AccountStore, 'findAccount'>,
  accountId: string,
  now: EpochNs,
): Promise<Entitlements> {
  const account = await store.findAccount(accountId);
  return Entitlements.of(SESSION_RIGHTS, planAt(account?.grants ?? [], now));
}
