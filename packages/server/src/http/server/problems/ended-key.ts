/** The error for a key that was valid when its request came and ended before the request was carried out. */

import { keyStateAt } from '@tapeloom/core/entitlement/key-rights';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Caller } from '../../../accounts/auth/caller.ts';
import type { AccountStore } from '../../../accounts/store/account-store.ts';
import type { ProblemError } from './problem-error.ts';
import { unauthorized } from './unauthorized.ts';

export async function endedKey(
  store: AccountStore,
  caller: Caller,
  now: EpochNs,
): Promise<ProblemError> {
  const found = await store.findKeyById(caller.accountId, caller.keyId);
  const isExpired = found !== null && keyStateAt(found.key, now) === 'expired';
  return unauthorized(isExpired ? 'expired' : 'revoked');
}
