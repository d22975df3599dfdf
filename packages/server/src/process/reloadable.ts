/** What a running service takes anew on SIGHUP beside its instruments. It is replaced whole, so every look is consistent. */

import type { IpRange } from '@tapeloom/core/entitlement/ip-range';
import type { OfferBook } from '../billing/offer-book.ts';
import type { OperatorPages } from '../pages/operator-pages.ts';

export interface Reloadable {
  readonly offers: OfferBook;
  readonly operatorPages: OperatorPages;
  /** Proxies whose word about a client's address counts. */
  readonly trustedProxies: readonly IpRange[];
}
