/** Makes accounts in a cluster's database, as the operator's command does. */

import { GRANTABLE, type Grant } from '@tapeloom/core/entitlement/plan';
import { openPostgresAccountStore } from '@tapeloom/server/accounts/store/postgres/postgres-account-store';
import { makeAccountsIn } from '../account-maker.ts';

/** Makes one account a name, by default with all plans; returns a key with all scopes of each. */
export async function makeSharedAccounts(
  database: string,
  names: readonly string[],
  plans: readonly Grant['plan'][] = GRANTABLE,
): Promise<readonly string[]> {
  await using store = await openPostgresAccountStore({ url: database });
  return await makeAccountsIn(store, names, 'live', plans);
}
