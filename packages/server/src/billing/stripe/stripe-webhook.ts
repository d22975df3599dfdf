/**
 * What Stripe sends by itself, believed only with its signature: `Stripe-Signature: t=<unix seconds>,v1=<hex>`,
 * HMAC-SHA256 of the seconds, a dot and the raw bytes. While a secret is rolled Stripe signs with the old one and the new
 * one, and we accept any of ours. Not by the SDK: it decodes the bytes before it hashes them, so that two bodies can have one
 * signature, knows one secret, and takes what comes from the future.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { ProviderEvent, WebhookHeaders } from '../payment-provider.ts';
import { type GivenSignatures, isSigned, signatureBy } from '../webhook-signatures.ts';

export const SIGNATURE_HEADER = 'stripe-signature';
const HEADER_LENGTH_MAX = 2_048;
const PART = /^([a-z0-9]{1,8})=([0-9a-f]{1,128})$/;
const SECONDS = /^[1-9]\d{0,11}$/;
const SIGNATURE = /^[0-9a-f]{64}$/;
const EVENT_ID = /^evt_[0-9A-Za-z_]{1,250}$/;
const REF_LENGTH_MAX = 255;

export interface WebhookTrust {
  /** Any of them signs: two while one takes the place of the other. */
  readonly secrets: readonly string[];
  /** Events of the other mode are about other money. */
  readonly isLive: boolean;
}

/** Null: nobody's, or nothing that we can use. */
export function readStripeWebhook(
  { secrets, isLive }: WebhookTrust,
  headers: WebhookHeaders,
  body: Uint8Array,
  now: EpochNs,
): ProviderEvent | null {
  const given = signaturesOf(headers[SIGNATURE_HEADER]);
  if (given === null || !isSigned(secrets, given, '.', body, now)) return null;
  return eventOf(body, isLive);
}

/** As Stripe signs. */
export function stripeSignature(
  secrets: readonly string[],
  body: Uint8Array,
  seconds: number,
): string {
  const digests = secrets.map((secret) => signatureBy(secret, seconds, '.', body));
  return [`t=${seconds}`, ...digests.map((digest) => `v1=${digest}`)].join(',');
}

function signaturesOf(header: string | readonly string[] | undefined): GivenSignatures | null {
  if (typeof header !== 'string' || header.length > HEADER_LENGTH_MAX) return null;
  let seconds: number | null = null;
  const signatures: Buffer[] = [];
  for (const part of header.split(',')) {
    const [, scheme, value] = PART.exec(part) ?? [];
    if (scheme === undefined || value === undefined) return null;
    if (scheme === 't') {
      if (seconds !== null || !SECONDS.test(value)) return null;
      seconds = Number(value);
    } else if (scheme === 'v1') {
      if (!SIGNATURE.test(value)) return null;
      signatures.push(Buffer.from(value, 'hex'));
    }
  }
  return seconds === null ? null : { seconds, signatures };
}

/** Of the body only what every version of the API has: what it is about is asked for anyway. */
function eventOf(body: Uint8Array, isLive: boolean): ProviderEvent | null {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return null;
  }
  return providerEventOf(event, isLive);
}

/** As webhooks have it, and as events are listed. */
export function providerEventOf(event: unknown, isLive: boolean): ProviderEvent | null {
  if (event === null || typeof event !== 'object') return null;
  const { object, id, created, livemode, data } = event as Readonly<Record<string, unknown>>;
  if (object !== 'event' || livemode !== isLive) return null;
  if (typeof id !== 'string' || !EVENT_ID.test(id)) return null;
  if (!Number.isSafeInteger(created) || (created as number) < 0) return null;
  const about = (data as { readonly object?: { readonly id?: unknown } | null } | null)?.object?.id;
  // Events about things without a name are about nothing of ours.
  const isRef = typeof about === 'string' && about !== '' && about.length <= REF_LENGTH_MAX;
  const at = (BigInt(created as number) * SECOND_NS_BIG) as EpochNs;
  return { id, objectRef: isRef ? about : id, at };
}
