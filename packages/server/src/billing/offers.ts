/** The offers. Their grants and billing are part of the product; prices, countries and waiver are the operator's. */

import { GRANTABLE, type Grant, PLANS, type Plan } from '@tapeloom/core/entitlement/plan';
import { type Offer, type OfferBook, type Price, withdrawalTermsOf } from './offer-book.ts';

export type OfferId = Grant['plan'];
export const OFFER_IDS: readonly OfferId[] = GRANTABLE;

/** `live` is a subscription; `history` is paid once, for life. */
export const OFFERS: readonly (Offer & { readonly id: OfferId })[] = [
  { id: 'live', name: 'Live', billing: 'monthly', grants: ['live'] },
  { id: 'history', name: 'Historical', billing: 'once', grants: ['history'] },
];

/** All payment providers; the table of countries names no other. */
export const PROVIDER_NAMES = ['test', 'stripe', 'paddle'] as const;

/** The operator's part: the response of `GET /v1/pricing`, and the content of the file. */
export type Pricing = Omit<OfferBook, 'offers' | 'providerOf'>;

export function offerBook(pricing: Pricing): OfferBook {
  const providers = new Map(pricing.countries.map(({ code, provider }) => [code, provider]));
  return {
    ...pricing,
    offers: OFFERS,
    providerOf: (country) => providers.get(country) ?? null,
  };
}

export function pricingOf({
  currency,
  taxIncluded,
  prices,
  countries,
  waiver,
}: OfferBook): Pricing {
  return {
    currency,
    taxIncluded,
    prices: prices.map((price) => ({ ...price, withdrawal: withdrawalTermsOf(price) })),
    countries,
    waiver,
  };
}

/** How often an offer is charged; null: once. */
export function intervalOf(offer: OfferId): Price['interval'] {
  return OFFERS.find(({ id }) => id === offer)!.billing === 'monthly' ? 'month' : null;
}

/** The offers that together make a plan; none for the free one. */
function offersOf(plan: Plan): readonly OfferId[] {
  if (plan === 'live_history') return OFFER_IDS;
  return plan === 'sandbox' ? [] : [plan];
}

export const PLAN_OFFERS: readonly { readonly plan: Plan; readonly offers: readonly OfferId[] }[] =
  PLANS.map((plan) => ({ plan, offers: offersOf(plan) }));
