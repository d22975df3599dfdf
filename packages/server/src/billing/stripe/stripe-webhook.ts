/**
 * Stripe's webhooks: `Stripe-Signature: t=<unix seconds>,v1=<hex>`, HMAC-SHA256 of the seconds, a dot and the raw
 * bytes. During a change of the secret Stripe signs with both; any of ours may fit. Verified by hand: the SDK decodes
 * the bytes before hashing, so two bodies can share a signature; it supports one secret and accepts times in the
 * future.
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
  /** Any of them is accepted: two during a change. */
  readonly secrets: readonly string[];
  /** Events of the other mode, live or test, concern other money. */
  readonly isLive: boolean;
}

/** Null: not signed by Stripe, or not usable. */
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

/** Signs as Stripe does. */
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

/** Reads only fields that every API version has: the object itself is requested anyway. */
function eventOf(body: Uint8Array, isLive: boolean): ProviderEvent | null {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return null;
  }
  return providerEventOf(event, isLive);
}

/** Reads an event of a webhook or of the list. */
export function providerEventOf(event: unknown, isLive: boolean): ProviderEvent | null {
  if (event === null || typeof event !== 'object') return null;
  const { object, id, created, livemode, data } = event as Readonly<Record<string, unknown>>;
  if (object !== 'event' || livemode !== isLive) return null;
  if (typeof id !== 'string' || !EVENT_ID.test(id)) return null;
  if (!Number.isSafeInteger(created) || (created as number) < 0) return null;
  const about = (data as { readonly object?: { readonly id?: unknown } | null } | null)?.object?.id;
  // Events about objects without an id are not about ours.
  const isRef = typeof about === 'string' && about !== '' && about.length <= REF_LENGTH_MAX;
  const at = (BigInt(created as number) * SECOND_NS_BIG) as EpochNs;
  return { id, objectRef: isRef ? about : id, at };
}
