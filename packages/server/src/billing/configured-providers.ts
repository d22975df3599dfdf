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
  const missing = missingProviders(offers, settings);
  if (missing.length > 0) throw new ConfigError(missing.map(({ fault }) => fault));
}

/** Who is to sell, and is not in use. */
export function missingProviders(
  offers: OfferBook,
  settings: PaymentSettings,
): readonly { readonly provider: string; readonly fault: string }[] {
  const names = new Set(configuredProviders(settings));
  return Object.entries(VARIABLES).flatMap(([provider, variable]) => {
    if (names.has(provider as ProviderName)) return [];
    const countries = offers.countries.filter((one) => one.provider === provider);
    if (countries.length === 0) return [];
    const codes = countries.map(({ code }) => code).join(', ');
    const fault = `${variable} is required: TAPELOOM_OFFERS names ${provider} for ${codes}.`;
    return [{ provider, fault }];
  });
}

function configuredProviders(settings: PaymentSettings): readonly ProviderName[] {
  const { stripeKey, paddleKey } = settings;
  return [
    'test',
    ...(stripeKey === null ? [] : (['stripe'] as const)),
    ...(paddleKey === null ? [] : (['paddle'] as const)),
  ];
}
