/** Which payment providers are in use, by the settings. Nothing of theirs is loaded for it. */

import { ConfigError } from '../config/config.ts';
import type { PaymentSettings } from '../config/payment-settings.ts';
import type { OfferBook } from './offer-book.ts';
import type { PROVIDER_NAMES } from './offers.ts';

type ProviderName = (typeof PROVIDER_NAMES)[number];

/** What a provider is not in use without; null: nothing. */
const VARIABLES: Readonly<Record<ProviderName, string | null>> = {
  test: null,
  stripe: 'TAPELOOM_STRIPE_KEY',
  paddle: 'TAPELOOM_PADDLE_KEY',
};

/** Throws `ConfigError` when somebody would be sold to by a provider that is not there. */
export function requireProviders(offers: OfferBook, settings: PaymentSettings): void {
  const names = new Set(configuredProviders(settings));
  const faults: string[] = [];
  for (const [name, variable] of Object.entries(VARIABLES)) {
    if (names.has(name as ProviderName)) continue;
    const countries = offers.countries.filter(({ provider }) => provider === name);
    if (countries.length === 0) continue;
    const codes = countries.map(({ code }) => code).join(', ');
    faults.push(`${variable} is needed: TAPELOOM_OFFERS names ${name} for ${codes}`);
  }
  if (faults.length > 0) throw new ConfigError(faults);
}

function configuredProviders(settings: PaymentSettings): readonly ProviderName[] {
  const { stripeKey, paddleKey } = settings;
  return [
    'test',
    ...(stripeKey === null ? [] : (['stripe'] as const)),
    ...(paddleKey === null ? [] : (['paddle'] as const)),
  ];
}
