/** Opens the adapters of Stripe and Paddle according to the settings; an SDK that is not used is never loaded. */

import type { PaymentSettings } from '../config/payment-settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log/log.ts';
import type { PaymentProvider } from './payment-provider.ts';

export async function openStripe(
  settings: PaymentSettings,
  clock: Clock,
  log: Log,
): Promise<PaymentProvider | null> {
  const { stripeKey: key, stripeWebhookSecrets, stripeTax, stripeUrl: url } = settings;
  if (key === null) return null;
  const { stripeProvider } = await import('./stripe/stripe-provider.ts');
  return stripeProvider({
    key,
    webhookSecrets: stripeWebhookSecrets,
    isTaxAutomatic: stripeTax === 'automatic',
    url,
    clock,
    log,
  });
}

export async function openPaddle(
  settings: PaymentSettings,
  publicUrl: () => string,
  clock: Clock,
  log: Log,
): Promise<PaymentProvider | null> {
  const { paddleKey: key, paddleClientToken: clientToken } = settings;
  if (key === null || clientToken === null) return null;
  const { paddleProvider } = await import('./paddle/paddle-provider.ts');
  const { paddleWebhookSecrets: webhookSecrets, paddleUrl: url } = settings;
  return paddleProvider({ key, webhookSecrets, clientToken, url, publicUrl, clock, log });
}
