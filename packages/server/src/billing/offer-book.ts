/** Offers, prices and countries; read at the start of the service and again on SIGHUP. */

import type { Grant } from '@tapeloom/core/entitlement/plan';
import type { WithdrawalTerms } from '@tapeloom/core/entitlement/withdrawal';

export interface Offer {
  readonly id: string;
  /** The name shown to buyers. */
  readonly name: string;
  readonly billing: 'monthly' | 'once';
  readonly grants: readonly Grant['plan'][];
}

export interface Price {
  readonly offer: string;
  /** In the currency's minor unit. */
  readonly amountMinor: number;
  readonly interval: 'month' | null;
  /** Present if it differs from the common text. */
  readonly waiver?: Waiver;
  /** Absent: the default for the offer's billing. */
  readonly withdrawal?: WithdrawalTerms;
}

/** The text by which a buyer waives the right of withdrawal. */
export interface Waiver {
  readonly version: string;
  readonly text: string;
}

export interface OfferBook {
  readonly offers: readonly Offer[];
  /** One for each offer. */
  readonly prices: readonly Price[];
  /** ISO 4217, three capital letters. */
  readonly currency: string;
  readonly taxIncluded: boolean;
  readonly countries: readonly { readonly code: string; readonly provider: string }[];
  /** The current text for every price without its own; older versions are not accepted. */
  readonly waiver: Waiver;
  /** By the buyer's country, two capital letters; null: there is no sale there. */
  providerOf(country: string): string | null;
}

/** As in the built-in waiver: a one-time purchase gives full access at once; a subscription is charged for its use. */
export const TERMS_OF_PURCHASE: WithdrawalTerms = { days: 14, lostAt: 'access', refund: 'all' };
export const TERMS_OF_SUBSCRIPTION: WithdrawalTerms = { days: 14, lostAt: 'never', refund: 'rest' };

/** The text that a buyer at this price must accept. */
export function waiverOf(book: Pick<OfferBook, 'waiver'>, price: Price): Waiver {
  return price.waiver ?? book.waiver;
}

export function withdrawalTermsOf({ interval, withdrawal }: Price): WithdrawalTerms {
  return withdrawal ?? (interval === null ? TERMS_OF_PURCHASE : TERMS_OF_SUBSCRIPTION);
}
