/** What the pages about plans need: what is sold, and what the account has of it. */

import { portalApi } from '../../api/portal-api.ts';
import type { OffersView, OrderView, PricingView } from '../../api/portal-shapes.ts';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';

export interface Shop {
  readonly offers: OffersView;
  readonly pricing: PricingView;
  /** None for strangers. */
  readonly orders: readonly OrderView[];
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
