/** The read-only checks of `tapeloom billing doctor` for Stripe: the key, and the account's readiness to sell. */

import Stripe from 'stripe';
import type { Finding } from '../payment-provider.ts';
import { type StripeClient, stripeFault } from './stripe-client.ts';
import { STRIPE_EVENTS } from './stripe-events.ts';
import { listOf } from './stripe-shapes.ts';

const WEBHOOK_PATH = '/v1/webhooks/stripe';
const ENDPOINTS_MAX = 100;
const KEY = /^(sk|rk)_(live|test)_/;

export interface Examined {
  readonly key: string;
  readonly webhookSecrets: readonly string[];
  readonly isTaxAutomatic: boolean;
}

export async function examineStripe(
  { api, isLive }: StripeClient,
  { key, webhookSecrets, isTaxAutomatic }: Examined,
): Promise<readonly Finding[]> {
  const examinations: (readonly [string, () => Promise<Finding>])[] = [
    ['account', () => account(api)],
    ['checkouts', () => checkouts(api)],
    ['events', () => events(api)],
    ['webhook endpoint', () => webhooks(api, isLive)],
    ['customer portal', () => portal(api)],
  ];
  if (isTaxAutomatic) examinations.push(['tax', () => tax(api)]);
  const findings: Finding[] = [keyFinding(key), secretsFinding(webhookSecrets)];
  for (const [what, examine] of examinations) findings.push(await tried(what, examine));
  return findings;
}

/** A key may lack permissions that only the doctor needs; that is only a warning. */
async function tried(what: string, examine: () => Promise<Finding>): Promise<Finding> {
  try {
    return await examine();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const isKeptOut = error instanceof Stripe.errors.StripePermissionError;
    const isOptional = ['account', 'webhook endpoint', 'customer portal', 'tax'].includes(what);
    const detail = `Stripe ${stripeFault(error)}`;
    return { what, outcome: isKeptOut && isOptional ? 'warning' : 'fault', detail };
  }
}

function keyFinding(key: string): Finding {
  const [, kind, mode] = KEY.exec(key) ?? [];
  if (kind === undefined) {
    return { what: 'key', outcome: 'fault', detail: 'it is neither sk_… nor rk_…' };
  }
  const kept = kind === 'rk' ? 'restricted' : 'unrestricted: a restricted one is enough';
  const money = mode === 'live' ? 'live, money moves' : 'test mode, no money moves';
  return { what: 'key', outcome: kind === 'rk' ? 'ok' : 'warning', detail: `${money}; ${kept}` };
}

function secretsFinding(secrets: readonly string[]): Finding {
  const what = 'webhook secrets';
  if (secrets.length === 0) {
    return { what, outcome: 'fault', detail: 'there is none, so every webhook is refused' };
  }
  const isNamed = secrets.every((secret) => secret.startsWith('whsec_'));
  const count = `${secrets.length} in use`;
  return isNamed
    ? { what, outcome: 'ok', detail: count }
    : { what, outcome: 'warning', detail: `${count}; Stripe's begin with whsec_` };
}

async function account(api: Stripe): Promise<Finding> {
  const { id, country, charges_enabled, details_submitted } = await api.accounts.retrieve(null);
  const detail = `${id}${country === undefined ? '' : ` in ${country}`}`;
  if (charges_enabled) return { what: 'account', outcome: 'ok', detail };
  const why = details_submitted ? 'Stripe has not enabled charges' : 'its details are missing';
  return { what: 'account', outcome: 'fault', detail: `${detail}: ${why}` };
}

async function checkouts(api: Stripe): Promise<Finding> {
  const [newest] = listOf(await api.checkout.sessions.list({ limit: 1 }), 'sessions');
  const detail = newest === undefined ? 'there is none yet' : `the newest is ${newest.status}`;
  return { what: 'checkouts', outcome: 'ok', detail };
}

async function events(api: Stripe): Promise<Finding> {
  const asked = { limit: 1, types: [...STRIPE_EVENTS], delivery_success: false };
  const [missed] = listOf(await api.events.list(asked), 'events');
  if (missed === undefined) {
    return { what: 'events', outcome: 'ok', detail: 'none is undelivered' };
  }
  const detail = `${missed.id} (${missed.type}) was not delivered to its webhook yet`;
  return { what: 'events', outcome: 'warning', detail };
}

async function webhooks(api: Stripe, isLive: boolean): Promise<Finding> {
  const what = 'webhook endpoint';
  const endpoints = listOf(await api.webhookEndpoints.list({ limit: ENDPOINTS_MAX }), 'endpoints');
  const ours = endpoints.filter(({ url }) => url.endsWith(WEBHOOK_PATH));
  const endpoint = ours.find(({ status }) => status === 'enabled') ?? ours.at(0);
  if (endpoint === undefined) {
    const detail = `none of ${endpoints.length} ends with ${WEBHOOK_PATH}; changes are seen late`;
    return { what, outcome: 'warning', detail };
  }
  const { url, status, enabled_events: enabled, livemode } = endpoint;
  if (status !== 'enabled') return { what, outcome: 'fault', detail: `${url} is ${status}` };
  if (livemode !== isLive) {
    const detail = `${url} belongs to the other mode (live or test)`;
    return { what, outcome: 'fault', detail };
  }
  const missing = STRIPE_EVENTS.filter((type) => !enabled.includes('*') && !enabled.includes(type));
  if (missing.length === 0) return { what, outcome: 'ok', detail: `${url} gets what it needs` };
  return { what, outcome: 'warning', detail: `${url} does not get ${missing.join(', ')}` };
}

async function portal(api: Stripe): Promise<Finding> {
  const what = 'customer portal';
  const asked = { active: true, is_default: true, limit: 1 };
  const [settings] = listOf(await api.billingPortal.configurations.list(asked), 'configurations');
  if (settings === undefined) {
    const detail = 'it was never saved at Stripe, so customers have no page for their card';
    return { what, outcome: 'warning', detail };
  }
  const { subscription_update: change, subscription_pause: pause } = settings.features;
  const extra = [change?.enabled ? 'change plans' : null, pause?.enabled ? 'pause' : null];
  const wrong = extra.filter((one) => one !== null);
  if (wrong.length === 0) return { what, outcome: 'ok', detail: 'customers change cards there' };
  const detail = `customers can ${wrong.join(' and ')} there, which is not sold here`;
  return { what, outcome: 'warning', detail };
}

async function tax(api: Stripe): Promise<Finding> {
  const { status, status_details: details } = await api.tax.settings.retrieve();
  if (status === 'active') return { what: 'tax', outcome: 'ok', detail: 'Stripe Tax is active' };
  const missing = details.pending?.missing_fields?.join(', ') ?? 'no reason said';
  return { what: 'tax', outcome: 'fault', detail: `Stripe Tax is ${status}: ${missing}` };
}
