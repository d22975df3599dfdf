/** What can be bought, for how much, and where; it is read once, at the start of the service. */

import type { Grant } from '@tapeloom/core/entitlement/plan';

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
  /** The current one; there is no buying by an older one. */
  readonly waiver: Waiver;
  /** By the country of the buyer, two capital letters; null: nobody takes money there. */
  providerOf(country: string): string | null;
}
