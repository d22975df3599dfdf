/** Accounts of a cluster, made beside it in its database, as an operator's command makes them. */

import { GRANTABLE, type Grant } from '@tapeloom/core/entitlement/plan';
import { openPostgresAccountStore } from '@tapeloom/server/accounts/store/postgres/postgres-account-store';
import { makeAccountsIn } from '../account-maker.ts';

/** One account a name, with all plans or those that are granted; answers a key of each, with all scopes. */
export async function makeSharedAccounts(
  database: string,
  names: readonly string[],
  plans: readonly Grant['plan'][] = GRANTABLE,
): Promise<readonly string[]> {
  await using store = await openPostgresAccountStore({ url: database });
  return await makeAccountsIn(store, names, 'live', plans);
}
