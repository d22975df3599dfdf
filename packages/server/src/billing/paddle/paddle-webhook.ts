/**
 * What Paddle sends: `Paddle-Signature: ts=<unix seconds>;h1=<hex>`, HMAC-SHA256 of the seconds, a colon and the raw
 * bytes of the body. While a secret is changed there are two of them, here or there, so any of ours may fit any of
 * theirs. Verified by hand: the SDK wants a string, believes the machine's clock, and knows one secret and one `h1`.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { ProviderEvent, WebhookHeaders } from '../payment-provider.ts';
import { instantOf } from './paddle-fields.ts';

export const SIGNATURE_HEADER = 'paddle-signature';
const SIGNATURES_MAX = 4;
const SIGNATURE = new RegExp(`^ts=([1-9]\\d{0,11})((?:;h1=[0-9a-f]{64}){1,${SIGNATURES_MAX}})$`);
const EVENT_ID = /^evt_[a-z\d]{26}$/;
const TOLERANCE_S = 300;
const SECOND_NS = 1_000_000_000n;

export function readPaddleWebhook(
  secrets: readonly string[],
  headers: WebhookHeaders,
  body: Uint8Array,
  now: EpochNs,
): ProviderEvent | null {
  return isSigned(secrets, headers[SIGNATURE_HEADER], body, now) ? eventOf(body) : null;
}

export function paddleSignature(secrets: readonly string[], body: Uint8Array, now: EpochNs) {
  const seconds = String(now / SECOND_NS);
  const signatures = secrets.map((secret) => digest(secret, seconds, body).toString('hex'));
  return [`ts=${seconds}`, ...signatures.map((hex) => `h1=${hex}`)].join(';');
}

/** What an event is about. The transaction of an adjustment stands in it, which spares us a question. */
export function eventObject(data: Readonly<Record<string, unknown>>): string | null {
  const { id, transaction_id: transaction = data.transactionId } = data;
  const ref = typeof id === 'string' && id.startsWith('adj_') ? transaction : id;
  return typeof ref === 'string' && ref !== '' ? ref : null;
}

function isSigned(
  secrets: readonly string[],
  signature: string | readonly string[] | undefined,
  body: Uint8Array,
  now: EpochNs,
): boolean {
  const [, seconds, list] = (typeof signature === 'string' && SIGNATURE.exec(signature)) || [];
  if (seconds === undefined || list === undefined) return false;
  const given = list
    .slice(1)
    .split(';')
    .map((part) => Buffer.from(part.slice('h1='.length), 'hex'));
  let isKnown = false;
  for (const secret of secrets) {
    const wanted = digest(secret, seconds, body);
    for (const one of given) isKnown = timingSafeEqual(wanted, one) || isKnown;
  }
  return isKnown && Math.abs(Number(now / SECOND_NS) - Number(seconds)) <= TOLERANCE_S;
}

function digest(secret: string, seconds: string, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${seconds}:`).update(body).digest();
}

/** Signed, so Paddle's; what cannot be read all the same is not taken. */
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
