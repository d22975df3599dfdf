/** The offers and terms used when the operator names no file. */

import { TERMS_OF_PURCHASE, TERMS_OF_SUBSCRIPTION, type Waiver } from './offer-book.ts';
import type { Pricing } from './offers.ts';

const EUROPEAN_UNION = [
  ...['AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU'],
  ...['IE', 'IT', 'LT', 'LU', 'LV', 'MT', 'NL', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK'],
];
const OTHERS = ['AU', 'CA', 'CH', 'GB', 'IS', 'JP', 'LI', 'NO', 'NZ', 'SG', 'US'];

const WAIVER_VERSION = '2026-11-2';
const OF_HISTORY =
  'Historical is digital content that is not supplied on a physical medium: I acknowledge that I lose my right of withdrawal as soon as access to it is provided.';
const OF_LIVE =
  'Live is a digital service: I acknowledge that I lose my right of withdrawal once the service has been fully performed. If I withdraw before, I pay the part of the price that corresponds to what was provided until then.';

/** A buyer agrees only to the text of the chosen offers. */
function waiver(...ofOffers: readonly string[]): Waiver {
  const text = [...WAIVER_BEGINNING, ...ofOffers, WAIVER_END].join('\n\n');
  return { version: WAIVER_VERSION, text };
}

const WAIVER_BEGINNING = [
  'As a consumer you have the right to withdraw from this contract within 14 days of the day on which it is concluded, without giving any reason.',
  'I expressly ask that the service begins at once, before the withdrawal period has ended.',
];
const WAIVER_END =
  'This text, its version and the time of my agreement are kept with the order and sent to me by e-mail.';

export const DEFAULT_PRICING: Pricing = {
  currency: 'EUR',
  taxIncluded: true,
  prices: [
    {
      offer: 'live',
      amountMinor: 79_00,
      interval: 'month',
      waiver: waiver(OF_LIVE),
      withdrawal: TERMS_OF_SUBSCRIPTION,
    },
    {
      offer: 'history',
      amountMinor: 490_00,
      interval: null,
      waiver: waiver(OF_HISTORY),
      withdrawal: TERMS_OF_PURCHASE,
    },
  ],
  countries: [...EUROPEAN_UNION, ...OTHERS].sort().map((code) => ({ code, provider: 'test' })),
  waiver: waiver(OF_HISTORY, OF_LIVE),
};
