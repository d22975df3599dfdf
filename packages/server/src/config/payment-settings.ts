/**
 * The settings of payment providers: API keys, webhook secrets and addresses. Keys and secrets are never shown.
 * Settings that belong together must be set together, or the start stops with the name of the missing one.
 */

import { isLoopbackUrl, isOrigin } from './public-address.ts';
import { listOf, oneOf, type Setting, secretText, text } from './setting.ts';

export const STRIPE_TAXES = ['off', 'automatic'] as const;
/** The current secret, and during a rotation its successor. */
const WEBHOOK_SECRETS_MAX = 2;
const STRIPE_KEY = /^(?:sk|rk)_(?:live|test)_[0-9A-Za-z_]{8,240}$/;
const STRIPE_WEBHOOK_SECRET = /^whsec_[0-9A-Za-z+/=_-]{8,240}$/;
/** Older keys have no prefix. */
const PADDLE_KEY = /^(?:pdl_(?:live|sdbx)_apikey_)?[0-9A-Za-z_]{20,240}$/;
const PADDLE_WEBHOOK_SECRET = /^pdl_ntfset_[0-9A-Za-z_+/=-]{8,240}$/;
const PADDLE_CLIENT_TOKEN = /^(?:live|test)_[0-9A-Za-z]{8,240}$/;

export interface PaymentSettings {
  /** Null: Stripe is not used. */
  readonly stripeKey: string | null;
  readonly stripeWebhookSecrets: readonly string[];
  /** `automatic`: Stripe Tax computes tax, and asks for VAT ids. */
  readonly stripeTax: (typeof STRIPE_TAXES)[number];
  readonly stripeUrl: string;
  /** Null: Paddle is not used. */
  readonly paddleKey: string | null;
  readonly paddleWebhookSecrets: readonly string[];
  /** For the page on which Paddle's checkout opens; it is public. */
  readonly paddleClientToken: string | null;
  /** Null: the sandbox or the live address, depending on the key. */
  readonly paddleUrl: string | null;
}

const STRIPE_KEY_ACCEPTS =
  'a Stripe secret or restricted key: sk_live_…, sk_test_…, rk_live_… or rk_test_…';
const STRIPE_SECRETS_ACCEPTS =
  'one signing secret (whsec_…), or two separated by a comma while you rotate them';
const PADDLE_KEY_ACCEPTS = 'a Paddle API key: pdl_live_apikey_… or pdl_sdbx_apikey_…';
const PADDLE_SECRETS_ACCEPTS =
  'one secret key of a notification destination (pdl_ntfset_…), or two separated by a comma while you rotate them';
const PADDLE_TOKEN_ACCEPTS = 'a Paddle client-side token: live_… or test_…';
const API_URL_ACCEPTS = 'an https address without a path (http is accepted for this machine only)';

export const PAYMENT_SETTINGS: {
  readonly [K in keyof PaymentSettings]: Setting<PaymentSettings[K]>;
} = {
  stripeKey: {
    ...secretText<string | null>(
      { variable: 'TAPELOOM_STRIPE_KEY', fallback: null },
      STRIPE_KEY_ACCEPTS,
      (value) => STRIPE_KEY.test(value),
    ),
    fileVariable: 'TAPELOOM_STRIPE_KEY_FILE',
  },
  stripeWebhookSecrets: {
    ...secretList('TAPELOOM_STRIPE_WEBHOOK_SECRETS', STRIPE_SECRETS_ACCEPTS, STRIPE_WEBHOOK_SECRET),
    fileVariable: 'TAPELOOM_STRIPE_WEBHOOK_SECRETS_FILE',
  },
  stripeTax: oneOf({ variable: 'TAPELOOM_STRIPE_TAX', fallback: 'off' }, STRIPE_TAXES),
  stripeUrl: text(
    { variable: 'TAPELOOM_STRIPE_URL', fallback: 'https://api.stripe.com' },
    API_URL_ACCEPTS,
    isApiUrl,
  ),
  paddleKey: {
    ...secretText<string | null>(
      { variable: 'TAPELOOM_PADDLE_KEY', fallback: null },
      PADDLE_KEY_ACCEPTS,
      (value) => PADDLE_KEY.test(value),
    ),
    fileVariable: 'TAPELOOM_PADDLE_KEY_FILE',
  },
  paddleWebhookSecrets: {
    ...secretList('TAPELOOM_PADDLE_WEBHOOK_SECRETS', PADDLE_SECRETS_ACCEPTS, PADDLE_WEBHOOK_SECRET),
    fileVariable: 'TAPELOOM_PADDLE_WEBHOOK_SECRETS_FILE',
  },
  // Not secret, but an API key may be put here by mistake.
  paddleClientToken: secretText<string | null>(
    { variable: 'TAPELOOM_PADDLE_CLIENT_TOKEN', fallback: null },
    PADDLE_TOKEN_ACCEPTS,
    (value) => PADDLE_CLIENT_TOKEN.test(value),
  ),
  paddleUrl: text<string | null>(
    { variable: 'TAPELOOM_PADDLE_URL', fallback: null },
    API_URL_ACCEPTS,
    isApiUrl,
  ),
};

/** Incomplete sets of settings, one sentence each. */
export function paymentSettingsFaults(settings: PaymentSettings): readonly string[] {
  const { stripeKey, stripeWebhookSecrets, paddleKey, paddleWebhookSecrets } = settings;
  const { paddleClientToken } = settings;
  const faults: string[] = [];
  const together = (given: readonly (readonly [string, boolean, string])[]) => {
    const [isThere] = given.filter(([, isSet]) => isSet);
    if (isThere === undefined) return;
    for (const [variable, isSet, accepts] of given) {
      if (!isSet)
        faults.push(`${variable} is required when ${isThere[0]} is set. It must be ${accepts}.`);
    }
  };
  together([
    ['TAPELOOM_STRIPE_KEY', stripeKey !== null, STRIPE_KEY_ACCEPTS],
    ['TAPELOOM_STRIPE_WEBHOOK_SECRETS', stripeWebhookSecrets.length > 0, STRIPE_SECRETS_ACCEPTS],
  ]);
  together([
    ['TAPELOOM_PADDLE_KEY', paddleKey !== null, PADDLE_KEY_ACCEPTS],
    ['TAPELOOM_PADDLE_WEBHOOK_SECRETS', paddleWebhookSecrets.length > 0, PADDLE_SECRETS_ACCEPTS],
    ['TAPELOOM_PADDLE_CLIENT_TOKEN', paddleClientToken !== null, PADDLE_TOKEN_ACCEPTS],
  ]);
  const isLive = isPaddleLive(paddleKey);
  if (isLive !== null && paddleClientToken !== null) {
    if (paddleClientToken.startsWith('live_') !== isLive) {
      faults.push(
        `TAPELOOM_PADDLE_CLIENT_TOKEN belongs to the ${isLive ? 'sandbox' : 'live account'}, but TAPELOOM_PADDLE_KEY to the ${isLive ? 'live account' : 'sandbox'}. Use both from the same account.`,
      );
    }
  }
  return faults;
}

/** Whether real money moves with this key. */
export function isStripeLive(key: string): boolean {
  return key.startsWith('sk_live_') || key.startsWith('rk_live_');
}

/** Null: there is no key, or it does not show that. */
export function isPaddleLive(key: string | null): boolean | null {
  if (key === null || !key.startsWith('pdl_')) return null;
  return key.startsWith('pdl_live_');
}

/** Each secret once; invalid ones are not shown. */
function secretList(variable: string, accepts: string, form: RegExp): Setting<readonly string[]> {
  const list = listOf<string>({ variable, fallback: [] }, accepts, (item) =>
    form.test(item) ? item : null,
  );
  return {
    ...list,
    isSecret: true,
    read: (raw) => {
      const secrets = list.read(raw);
      const isCounted = secrets !== undefined && new Set(secrets).size === secrets.length;
      return isCounted && secrets.length <= WEBHOOK_SECRETS_MAX ? secrets : undefined;
    },
  };
}

function isApiUrl(value: string): boolean {
  return isOrigin(value) && (value.startsWith('https:') || isLoopbackUrl(value));
}
