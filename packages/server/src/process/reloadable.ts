/** The settings that SIGHUP replaces beside the instruments; replaced as a whole, so readers see a consistent set. */

import type { IpRange } from '@tapeloom/core/entitlement/ip-range';
import type { OfferBook } from '../billing/offer-book.ts';
import type { OperatorPages } from '../pages/operator-pages.ts';

export interface Reloadable {
  readonly offers: OfferBook;
  readonly operatorPages: OperatorPages;
  /** Proxies that are trusted to report a client's address. */
  readonly trustedProxies: readonly IpRange[];
}
