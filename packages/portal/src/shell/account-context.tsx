/**
 * Who is signed in, fetched once for all pages and again when a page changed something about it. A page draws before it is
 * known; it is null until then, and stays null for strangers.
 */

import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { portalApi } from '../api/portal-api.ts';
import type { AccountView } from '../api/portal-shapes.ts';
import { type Loaded, useLoaded } from '../api/use-loaded.ts';
import { rememberSignedIn } from './signed-in-hint.ts';

const AccountContext = createContext<Loaded<AccountView> | null>(null);

/** Fetches the account below it. Mount it only where somebody is or must be signed in. */
export function AccountProvider(props: { readonly children: ComponentChildren }) {
  const account = useLoaded((signal) => portalApi.account({ signal }));
  const accountId = account.value?.id;
  useEffect(() => {
    if (accountId !== undefined) rememberSignedIn(accountId);
  }, [accountId]);
  return <AccountContext.Provider value={account}>{props.children}</AccountContext.Provider>;
}

/** Null outside of an `AccountProvider`: nobody is signed in. */
export function useAccount(): Loaded<AccountView> | null {
  return useContext(AccountContext);
}
