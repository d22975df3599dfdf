/** `GET /v1/pricing`: prices, the countries served, and the current text of the waiver. Public. */

import { WITHDRAWAL_DAYS_MAX } from '@tapeloom/core/entitlement/withdrawal';
import type { OfferBook } from '../../billing/offer-book.ts';
import { OFFER_IDS, PROVIDER_NAMES, type Pricing, pricingOf } from '../../billing/offers.ts';
import { namedObject, Type } from '../contract/schema.ts';
import { defineRoute, EncodedJson, PUBLIC_CACHE_CONTROL, type Route } from '../server/route.ts';

const WAIVER = {
  version: Type.String({ description: 'A checkout must name the current one.' }),
  text: Type.String({ description: 'Paragraphs, with an empty line between.' }),
};

const PricingView = namedObject('Pricing', {
  currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.' }),
  taxIncluded: Type.Boolean({ description: 'Whether prices are what a consumer pays.' }),
  prices: Type.Array(
    namedObject('Price', {
      offer: Type.Enum(OFFER_IDS, { title: 'OfferId' }),
      amountMinor: Type.Integer({
        minimum: 1,
        description: "In the currency's smallest unit: 7900 is 79.00 EUR.",
      }),
      interval: Type.Union(
        [Type.Enum(['month'] as const, { title: 'BillingInterval' }), Type.Null()],
        {
          description: 'How often it is charged; null: once.',
        },
      ),
      waiver: Type.Optional(
        namedObject('Waiver', WAIVER, {
          description: 'What a customer at this price agrees to, where it is another text.',
        }),
      ),
      withdrawal: namedObject(
        'WithdrawalRight',
        {
          days: Type.Integer({
            minimum: 0,
            maximum: WITHDRAWAL_DAYS_MAX,
            description: 'Whole days after the day of the contract; 0: there is no right.',
          }),
          lostAt: Type.Enum(['access', 'never'] as const, {
            title: 'WithdrawalLostAt',
            description: '`access`: the right is lost as soon as access is provided.',
          }),
          refund: Type.Enum(['rest', 'all'] as const, {
            title: 'WithdrawalRefund',
            description: '`rest`: what is still to come of the period that is paid for.',
          }),
        },
        { description: 'The right of withdrawal.' },
      ),
    }),
  ),
  countries: Type.Array(
    namedObject('Country', {
      code: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.' }),
      provider: Type.Enum(PROVIDER_NAMES, {
        title: 'PaymentProvider',
        description: 'Who takes the payment there.',
      }),
    }),
    { description: 'Where it can be bought.' },
  ),
  waiver: namedObject('Waiver', WAIVER, {
    description:
      'What a customer agrees to so that access begins at once, at every price without a text of its own.',
  }),
});

export function pricingRoute(book: () => OfferBook): Route {
  // Requested without a key, so it is encoded once for each book.
  let encoded: { readonly of: OfferBook; readonly json: EncodedJson } | null = null;
  const answer = () => {
    const of = book();
    if (encoded?.of !== of) encoded = { of, json: new EncodedJson(JSON.stringify(pricingOf(of))) };
    return encoded.json;
  };
  return defineRoute({
    method: 'GET',
    path: '/v1/pricing',
    operationId: 'getPricing',
    summary: 'Prices, the countries that are served, and the text of the waiver.',
    description:
      'Amounts are in the smallest unit of the currency. A checkout needs the version of the waiver that stands here.',
    access: 'public',
    cacheControl: PUBLIC_CACHE_CONTROL,
    answer: Type.Unsafe<Pricing>(PricingView),
    handle: answer,
  });
}
