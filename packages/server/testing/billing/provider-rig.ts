/**
 * A simulated payment provider: the buyer on its page, passing time, its staff and the buyer's bank, and ways of being
 * unreachable. It also contains what all suites over rigs share.
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

/** `down`: unreachable, or reports a failure. `silent`: no response. `cut`: processed, but the response is lost. */
export type Reach = 'up' | 'down' | 'silent' | 'cut';

/**
 * Signed webhooks that do not concern us: `not-json` and `no-event` cannot be parsed; `unknown-kind` is of a kind that
 * no adapter handles; `unknown-object` is about an object that was never bought here; `other-mode` is of the test mode
 * for a live key, or vice versa.
 */
export const ODD_WEBHOOKS = [
  'not-json',
  'no-event',
  'unknown-kind',
  'unknown-object',
  'other-mode',
] as const;
export type OddWebhook = (typeof ODD_WEBHOOKS)[number];

/** Malformed responses: an HTML page, an empty body, and a field with another name or type. */
export const GARBLES = ['html', 'empty', 'renamed'] as const;
export type Garble = (typeof GARBLES)[number];

/**
 * A thousand histories run over a rig within seconds, without a socket if possible. Its state only grows. Every action
 * may be called in any state, and rejects if the provider would.
 */
export interface ProviderRig extends AsyncDisposable {
  /** Uses the currently valid secrets: read it again after `rotateSecret`. */
  readonly provider: PaymentProvider;
  now(): EpochNs;
  /** Advances time, with everything the provider does by itself. */
  pass(ms: number): Promise<void>;
  /** The buyer pays, and the bank accepts at once. */
  pay(ref: string): Promise<void>;
  /** The provider's staff refund the newest charge; null: all that is left. */
  refund(ref: string, amountMinor: number | null): Promise<void>;
  /** The buyer's bank disputes the newest charge (`open`), or decides. */
  dispute(ref: string, outcome: 'open' | 'won' | 'lost'): Promise<void>;
  /** Rejects this many webhooks before one is accepted. */
  refuseWebhooks(times: number): void;
  /** All webhooks sent so far, oldest first, rejected ones included. */
  sent(): Promise<readonly SentWebhook[]>;
  /** Signed now, with the present secret; null: this provider has no such webhook. */
  oddWebhook(kind: OddWebhook): SentWebhook | null;
  /** The provider signs with a new secret from now on; we accept the new one and its predecessor. */
  rotateSecret(): Promise<void>;
  reach(reach: Reach): void;
  /** Responses have this shape from now on; null: the normal one. Absent: the adapter parses nothing. */
  garble?(how: Garble | null): void;
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

/** If the provider counts revisions, the count has grown. */
export function assertLater(after: ProviderObject, before: ProviderObject): void {
  if (after.revision === null) assert.equal(before.revision, null);
  else assert.ok(before.revision !== null && after.revision > before.revision);
}

/** Our reference of the webhook's object; null: unsigned, or not about our objects. */
async function refOf(rig: ProviderRig, { headers, body }: SentWebhook): Promise<string | null> {
  const event = rig.provider.readWebhook(headers, body, rig.now());
  return event === null ? null : rig.provider.locate(event.objectRef, NEVER);
}

export async function webhookOf(rig: ProviderRig, ref: string): Promise<SentWebhook> {
  for (const webhook of (await rig.sent()).toReversed()) {
    if ((await refOf(rig, webhook)) === ref) return webhook;
  }
  return assert.fail('nothing was sent');
}
