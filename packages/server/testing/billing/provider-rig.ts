/**
 * What happens at a payment provider, played: the buyer on its page, time that passes, its staff and the buyer's
 * bank, and the ways in which it cannot be reached. What all suites over rigs need stands here too.
 */

import assert from 'node:assert/strict';
import type { EpochNs } from '@tapeloom/core/numbers';
import type {
  CheckoutStart,
  PaymentProvider,
  ProviderObject,
  WebhookHeaders,
} from '../../src/billing/payment-provider.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const NEVER: AbortSignal = new AbortController().signal;

export interface SentWebhook {
  readonly headers: WebhookHeaders;
  readonly body: Uint8Array;
}

/**
 * `down`: it cannot be reached, or says that it failed. `silent`: it does not answer. `cut`: it does what it is
 * asked, and the answer is lost on the way.
 */
export type Reach = 'up' | 'down' | 'silent' | 'cut';

/**
 * Webhooks with a good signature that are nothing to us: `not-json` and `no-event` cannot be read; `unknown-kind` is
 * of a kind that no adapter waits for; `unknown-object` is about something that was never bought here;
 * `other-mode` is of the test mode for a live key, or the other way round.
 */
export const ODD_WEBHOOKS = [
  'not-json',
  'no-event',
  'unknown-kind',
  'unknown-object',
  'other-mode',
] as const;
export type OddWebhook = (typeof ODD_WEBHOOKS)[number];

/** Answers whose shape is not the agreed one: a page of HTML, nothing, and a field that has another name or type. */
export const GARBLES = ['html', 'empty', 'renamed'] as const;
export type Garble = (typeof GARBLES)[number];

/**
 * A thousand histories are played over a rig within seconds: where it can, it answers without a socket. All it keeps
 * may grow; all that it does may be asked for in any state, and rejects where the provider would refuse it.
 */
export interface ProviderRig extends AsyncDisposable {
  /** With the secrets that are valid now: ask for it anew after `rotateSecret`. */
  readonly provider: PaymentProvider;
  now(): EpochNs;
  /** Time passes, and the provider does what it does by itself meanwhile. */
  pass(ms: number): Promise<void>;
  /** The buyer pays, and the bank says yes at once. */
  pay(ref: string): Promise<void>;
  /** The provider's staff give money of the newest charge back; null: all that is left. */
  refund(ref: string, amountMinor: number | null): Promise<void>;
  /** The buyer's bank asks for the newest charge back (`open`), and what came of it. */
  dispute(ref: string, outcome: 'open' | 'won' | 'lost'): Promise<void>;
  /** A webhook is refused this many times before it is taken. */
  refuseWebhooks(times: number): void;
  /** All that the provider has sent, the oldest first, the refused ones too. */
  sent(): Promise<readonly SentWebhook[]>;
  /** Signed now, with the secret that is in use; null: there is no such thing at this provider. */
  oddWebhook(kind: OddWebhook): SentWebhook | null;
  /** The provider signs with a new secret from now on, and we know the new one and the one before it. */
  rotateSecret(): Promise<void>;
  reach(reach: Reach): void;
  /** Answers have this shape from now on; null: the agreed one. Not there: nothing is parsed. */
  garble?(how: Garble | null): void;
  /** How many checkouts there are for an order. */
  checkouts(orderId: string): Promise<number>;
  /** Another customer of the same provider. */
  other(): Promise<ProviderRig>;
}

let orders = 0;

export function checkout(kind: CheckoutStart['kind'] = 'subscription'): CheckoutStart {
  orders += 1;
  return {
    orderId: `ord_contract_${orders}`,
    accountId: 'acc_contract',
    email: 'buyer@example.com',
    kind,
    offer: kind === 'subscription' ? 'live' : 'history',
    offerName: kind === 'subscription' ? 'Live' : 'Historical',
    amountMinor: 7_900,
    currency: 'EUR',
    taxIncluded: true,
    country: 'DE',
    returnUrl: 'https://tapeloom.example.com/orders?order=1',
    backUrl: 'https://tapeloom.example.com/plans',
  };
}

export async function started(rig: ProviderRig, kind?: CheckoutStart['kind']): Promise<string> {
  return (await rig.provider.startCheckout(checkout(kind), NEVER)).ref;
}

export async function paid(rig: ProviderRig, kind?: CheckoutStart['kind']): Promise<string> {
  const ref = await started(rig, kind);
  await rig.pay(ref);
  return ref;
}

export async function fetched(rig: ProviderRig, ref: string): Promise<ProviderObject> {
  const object = await rig.provider.fetch(ref, NEVER);
  assert.ok(object !== null, ref);
  assert.equal(object.ref, ref);
  return object;
}

export async function stateOf(rig: ProviderRig, ref: string): Promise<ProviderObject['state']> {
  return (await fetched(rig, ref)).state;
}

/** Who counts changes has counted some. */
export function assertLater(after: ProviderObject, before: ProviderObject): void {
  if (after.revision === null) assert.equal(before.revision, null);
  else assert.ok(before.revision !== null && after.revision > before.revision);
}

/** Our reference of what a webhook is about; null: it is not signed, or about nothing of ours. */
async function refOf(rig: ProviderRig, { headers, body }: SentWebhook): Promise<string | null> {
  const event = rig.provider.readWebhook(headers, body, rig.now());
  return event === null ? null : rig.provider.locate(event.objectRef, NEVER);
}

/** The newest webhook about this payment. */
export async function webhookOf(rig: ProviderRig, ref: string): Promise<SentWebhook> {
  for (const webhook of (await rig.sent()).toReversed()) {
    if ((await refOf(rig, webhook)) === ref) return webhook;
  }
  return assert.fail('nothing was sent');
}
