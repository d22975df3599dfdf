/**
 * How the provider `test` signs what it sends: `Tapeloom-Signature: t=<unix seconds>,v1=<hex>`, HMAC-SHA256 of
 * the seconds, a dot and the raw bytes of the body. A signature is good for five minutes before and after its
 * time, so what somebody caught cannot be sent again for ever.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';

export const SIGNATURE_HEADER = 'tapeloom-signature';
const SIGNATURE = /^t=([1-9]\d{0,11}),v1=([0-9a-f]{64})$/;
const TOLERANCE_S = 300;
const SECOND_NS = 1_000_000_000n;

export function signatureOf(secret: Uint8Array, body: Uint8Array, now: EpochNs): string {
  const seconds = Number(now / SECOND_NS);
  return `t=${seconds},v1=${digest(secret, seconds, body).toString('hex')}`;
}

/** By any of these secrets; all are tried, so that how long it takes tells nothing. */
export function isSignedBy(
  secrets: readonly Uint8Array[],
  signature: string | readonly string[] | undefined,
  body: Uint8Array,
  now: EpochNs,
): boolean {
  const [, time, hex] = (typeof signature === 'string' && SIGNATURE.exec(signature)) || [];
  if (time === undefined || hex === undefined) return false;
  const seconds = Number(time);
  const given = Buffer.from(hex, 'hex');
  const isSigned = secrets
    .map((secret) => timingSafeEqual(digest(secret, seconds, body), given))
    .includes(true);
  if (!isSigned) return false;
  return Math.abs(Number(now / SECOND_NS) - seconds) <= TOLERANCE_S;
}

function digest(secret: Uint8Array, seconds: number, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
}
