/** The payment providers that the settings enable. This loads none of their code. */

import { ConfigError } from '../config/config.ts';
import type { PaymentSettings } from '../config/payment-settings.ts';
import type { OfferBook } from './offer-book.ts';
import type { PROVIDER_NAMES } from './offers.ts';

type ProviderName = (typeof PROVIDER_NAMES)[number];

/** The setting that enables a provider; null: none is needed. */
const VARIABLES: Readonly<Record<ProviderName, string | null>> = {
  test: null,
  stripe: 'TAPELOOM_STRIPE_KEY',
  paddle: 'TAPELOOM_PADDLE_KEY',
};

/** Throws `ConfigError` when the offers name a provider that is not enabled. */
export function requireProviders(offers: OfferBook, settings: PaymentSettings): void {
  const missing = missingProviders(offers, settings);
  if (missing.length > 0) throw new ConfigError(missing.map(({ fault }) => fault));
}

/** Providers that the offers name but the settings do not enable. */
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
