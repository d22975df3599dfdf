/** Data of the pages about plans: what is sold, and the account's orders. */

import { portalApi } from '../../api/portal-api.ts';
import type { AccountView, OffersView, OrderView, PricingView } from '../../api/portal-shapes.ts';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';
import { useAccount } from '../../shell/account-context.tsx';

export interface Shop {
  readonly offers: OffersView;
  readonly pricing: PricingView;
  /** Empty for visitors who are not signed in. */
  readonly orders: readonly OrderView[];
}

/** The account, and what it can buy. */
export interface OwnShop {
  readonly account: AccountView;
  readonly shop: Shop;
}

export interface OwnShopProps extends OwnShop {
  readonly reload: () => void;
}

/** For pages that need a session. */
export function useOwnShop(): Omit<Loaded<OwnShop>, 'isLoading'> & { readonly shop: Shop | null } {
  const account = useAccount();
  const { value: shop, error, reload } = useShop(true);
  return {
    shop,
    value: account?.value && shop !== null ? { account: account.value, shop } : null,
    error: account?.error ?? error,
    reload: () => {
      account?.reload();
      reload();
    },
  };
}

export function useShop(isSignedIn: boolean): Loaded<Shop> {
  return useLoaded(
    async (signal) => {
      const [offers, pricing, mine] = await Promise.all([
        portalApi.offers({ signal }),
        portalApi.pricing({ signal }),
        isSignedIn ? portalApi.orders({ signal }) : { orders: [] },
      ]);
      return { offers, pricing, orders: mine.orders };
    },
    isSignedIn ? 'mine' : 'strangers',
  );
}
