/**
 * The signed-in account, fetched once for all pages and again after a change. Null until known, and without a session.
 */

import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { portalApi } from '../api/portal-api.ts';
import type { AccountView } from '../api/portal-shapes.ts';
import { type Loaded, useLoaded } from '../api/use-loaded.ts';
import { rememberSignedIn } from './signed-in-hint.ts';

const AccountContext = createContext<Loaded<AccountView> | null>(null);

/** Fetches the account for its children. Mount it only on pages with a probable or required session. */
export function AccountProvider(props: { readonly children: ComponentChildren }) {
  const account = useLoaded((signal) => portalApi.account({ signal }));
  const accountId = account.value?.id;
  useEffect(() => {
    if (accountId !== undefined) rememberSignedIn(accountId);
  }, [accountId]);
  return <AccountContext.Provider value={account}>{props.children}</AccountContext.Provider>;
}

/** Null outside an `AccountProvider`: there is no session. */
export function useAccount(): Loaded<AccountView> | null {
  return useContext(AccountContext);
}
