/** What can be bought, for how much, and where; it is read at the start of the service and again on SIGHUP. */

import type { Grant } from '@tapeloom/core/entitlement/plan';
import type { WithdrawalTerms } from '@tapeloom/core/entitlement/withdrawal';

export interface Offer {
  readonly id: string;
  /** What buyers read. */
  readonly name: string;
  readonly billing: 'monthly' | 'once';
  /** What who holds it is granted. */
  readonly grants: readonly Grant['plan'][];
}

export interface Price {
  readonly offer: string;
  /** In the currency's minor unit. */
  readonly amountMinor: number;
  readonly interval: 'month' | null;
  /** Where its text is another than that of all. */
  readonly waiver?: Waiver;
  /** Left out: by how the offer is charged. */
  readonly withdrawal?: WithdrawalTerms;
}

/** The text by which a buyer gives up the right of withdrawal. */
export interface Waiver {
  readonly version: string;
  readonly text: string;
}

export interface OfferBook {
  readonly offers: readonly Offer[];
  /** One for every offer. */
  readonly prices: readonly Price[];
  /** ISO 4217, three capital letters. */
  readonly currency: string;
  readonly taxIncluded: boolean;
  readonly countries: readonly { readonly code: string; readonly provider: string }[];
  /** The current one of every price that has none of its own; there is no buying by an older one. */
  readonly waiver: Waiver;
  /** By the country of the buyer, two capital letters; null: nobody takes money there. */
  providerOf(country: string): string | null;
}

/** As the built-in waiver says: what is paid once is on at once and for good; a subscription is paid for its use. */
export const TERMS_OF_PURCHASE: WithdrawalTerms = { days: 14, lostAt: 'access', refund: 'all' };
export const TERMS_OF_SUBSCRIPTION: WithdrawalTerms = { days: 14, lostAt: 'never', refund: 'rest' };

/** What a buyer at this price has to agree to. */
export function waiverOf(book: Pick<OfferBook, 'waiver'>, price: Price): Waiver {
  return price.waiver ?? book.waiver;
}

export function withdrawalTermsOf({ interval, withdrawal }: Price): WithdrawalTerms {
  return withdrawal ?? (interval === null ? TERMS_OF_PURCHASE : TERMS_OF_SUBSCRIPTION);
}
