/**
 * Paddle's webhooks: `Paddle-Signature: ts=<unix seconds>;h1=<hex>`, HMAC-SHA256 of the seconds, a colon and the raw
 * bytes of the body. While a secret changes, either side may have two, so any of ours may fit any of theirs. Verified
 * by hand: the SDK needs a string, uses the machine's clock, and supports one secret and one `h1`.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { ProviderEvent, WebhookHeaders } from '../payment-provider.ts';
import { type GivenSignatures, isSigned, secondsOf, signatureBy } from '../webhook-signatures.ts';
import { instantOf } from './paddle-fields.ts';

export const SIGNATURE_HEADER = 'paddle-signature';
const SIGNATURES_MAX = 4;
const SIGNATURE = new RegExp(`^ts=([1-9]\\d{0,11})((?:;h1=[0-9a-f]{64}){1,${SIGNATURES_MAX}})$`);
const EVENT_ID = /^evt_[a-z\d]{26}$/;

export function readPaddleWebhook(
  secrets: readonly string[],
  headers: WebhookHeaders,
  body: Uint8Array,
  now: EpochNs,
): ProviderEvent | null {
  const given = signaturesOf(headers[SIGNATURE_HEADER]);
  return given !== null && isSigned(secrets, given, ':', body, now) ? eventOf(body) : null;
}

export function paddleSignature(secrets: readonly string[], body: Uint8Array, now: EpochNs) {
  const seconds = secondsOf(now);
  const signatures = secrets.map((secret) => signatureBy(secret, seconds, ':', body));
  return [`ts=${seconds}`, ...signatures.map((hex) => `h1=${hex}`)].join(';');
}

/** The object that an event concerns. An adjustment includes its transaction, which saves a request. */
export function eventObject(data: Readonly<Record<string, unknown>>): string | null {
  const { id, transaction_id: transaction = data.transactionId } = data;
  const ref = typeof id === 'string' && id.startsWith('adj_') ? transaction : id;
  return typeof ref === 'string' && ref !== '' ? ref : null;
}

function signaturesOf(header: string | readonly string[] | undefined): GivenSignatures | null {
  const [, seconds, list] = (typeof header === 'string' && SIGNATURE.exec(header)) || [];
  if (seconds === undefined || list === undefined) return null;
  const parts = list.slice(1).split(';');
  const signatures = parts.map((part) => Buffer.from(part.slice('h1='.length), 'hex'));
  return { seconds: Number(seconds), signatures };
}

/** The signature is Paddle's, but a body that cannot be read is rejected. */
function eventOf(body: Uint8Array): ProviderEvent | null {
  try {
    const event: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const { event_id: id, occurred_at: at, data } = (event ?? {}) as Record<string, unknown>;
    if (typeof id !== 'string' || !EVENT_ID.test(id)) return null;
    if (typeof data !== 'object' || data === null) return null;
    const objectRef = eventObject(data as Record<string, unknown>);
    return objectRef === null ? null : { id, objectRef, at: instantOf('occurred_at', at) };
  } catch {
    return null;
  }
}
