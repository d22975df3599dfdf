/**
 * Webhook signatures of the provider `test`: `Tapeloom-Signature: t=<unix seconds>,v1=<hex>`, HMAC-SHA256 of the
 * seconds, a dot and the raw bytes of the body. A signature is valid for five minutes before and after its time, so a
 * captured webhook cannot be replayed later.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { isSigned, secondsOf, signatureBy } from '../billing/webhook-signatures.ts';

export const SIGNATURE_HEADER = 'tapeloom-signature';
const SIGNATURE = /^t=([1-9]\d{0,11}),v1=([0-9a-f]{64})$/;

export function signatureOf(secret: Uint8Array, body: Uint8Array, now: EpochNs): string {
  const seconds = secondsOf(now);
  return `t=${seconds},v1=${signatureBy(secret, seconds, '.', body)}`;
}

/** Whether any of these secrets fits. */
export function isSignedBy(
  secrets: readonly Uint8Array[],
  signature: string | readonly string[] | undefined,
  body: Uint8Array,
  now: EpochNs,
): boolean {
  const [, time, hex] = (typeof signature === 'string' && SIGNATURE.exec(signature)) || [];
  if (time === undefined || hex === undefined) return false;
  const given = { seconds: Number(time), signatures: [Buffer.from(hex, 'hex')] };
  return isSigned(secrets, given, '.', body, now);
}
