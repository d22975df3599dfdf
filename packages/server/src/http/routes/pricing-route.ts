/** `GET /v1/pricing`: prices, the countries served, and the current text of the waiver. Public. */

import { WITHDRAWAL_DAYS_MAX } from '@tapeloom/core/entitlement/withdrawal';
import type { OfferBook } from '../../billing/offer-book.ts';
import { OFFER_IDS, PROVIDER_NAMES, type Pricing, pricingOf } from '../../billing/offers.ts';
import { namedObject, Type } from '../contract/schema.ts';
import { defineRoute, EncodedJson, PUBLIC_CACHE_CONTROL, type Route } from '../server/route.ts';

const WAIVER = {
  version: Type.String({
    description: 'The version of the text. A checkout must name the current one.',
  }),
  text: Type.String({ description: 'Paragraphs, separated by an empty line.' }),
};

const PricingView = namedObject('Pricing', {
  currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.' }),
  taxIncluded: Type.Boolean({
    description: 'Whether prices include tax: a consumer then pays exactly these amounts.',
  }),
  prices: Type.Array(
    namedObject('Price', {
      offer: Type.Enum(OFFER_IDS, { title: 'OfferId' }),
      amountMinor: Type.Integer({
        minimum: 1,
        description: 'The price in the smallest unit of the currency: 7900 is 79.00 EUR.',
      }),
      interval: Type.Union(
        [Type.Enum(['month'] as const, { title: 'BillingInterval' }), Type.Null()],
        {
          description: 'How often the price is charged; null: once.',
        },
      ),
      waiver: Type.Optional(
        namedObject('Waiver', WAIVER, {
          description: 'The waiver that a customer at this price agrees to, if its text differs.',
        }),
      ),
      withdrawal: namedObject(
        'WithdrawalRight',
        {
          days: Type.Integer({
            minimum: 0,
            maximum: WITHDRAWAL_DAYS_MAX,
            description:
              'Whole days after the day of the contract; 0: there is no right of withdrawal.',
          }),
          lostAt: Type.Enum(['access', 'never'] as const, {
            title: 'WithdrawalLostAt',
            description: '`access`: the right is lost as soon as access is provided.',
          }),
          refund: Type.Enum(['rest', 'all'] as const, {
            title: 'WithdrawalRefund',
            description:
              '`rest`: the customer gets back the part for the remaining time of the paid period.',
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
        description: 'The payment provider in this country.',
      }),
    }),
    { description: 'The countries in which the offers can be bought.' },
  ),
  waiver: namedObject('Waiver', WAIVER, {
    description:
      'The waiver that a customer agrees to so that access begins at once, for every price without a text of its own.',
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
    summary:
      'The prices, the countries in which payments are available, and the text of the waiver.',
    description:
      'Amounts are in the smallest unit of the currency. A checkout needs the version of the waiver in this response.',
    access: 'public',
    cacheControl: PUBLIC_CACHE_CONTROL,
    answer: Type.Unsafe<Pricing>(PricingView),
    handle: answer,
  });
}
