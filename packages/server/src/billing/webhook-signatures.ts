/**
 * Signatures of webhooks: HMAC-SHA256 of the signing time in seconds, a mark and the raw bytes of the body. While a
 * secret changes, either side may have two, so any of ours may fit any of theirs. A signature is valid for five minutes
 * before and after its time, so a captured webhook cannot be replayed later.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';

const TOLERANCE_S = 300;

type Secret = string | Uint8Array;

/** The separator between the seconds and the body. */
export type Mark = '.' | ':';

export interface GivenSignatures {
  readonly seconds: number;
  /** 32 bytes each. */
  readonly signatures: readonly Uint8Array[];
}

/** Every secret is tried with every signature, so that the duration reveals nothing. */
export function isSigned(
  secrets: readonly Secret[],
  { seconds, signatures }: GivenSignatures,
  mark: Mark,
  body: Uint8Array,
  now: EpochNs,
): boolean {
  const isKnown = secrets
    .map((secret) => digestOf(secret, seconds, mark, body))
    .flatMap((wanted) => signatures.map((given) => timingSafeEqual(wanted, given)))
    .includes(true);
  return isKnown && Math.abs(secondsOf(now) - seconds) <= TOLERANCE_S;
}

export function signatureBy(secret: Secret, seconds: number, mark: Mark, body: Uint8Array): string {
  return digestOf(secret, seconds, mark, body).toString('hex');
}

export function secondsOf(now: EpochNs): number {
  return Number(now / SECOND_NS_BIG);
}

function digestOf(secret: Secret, seconds: number, mark: Mark, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${seconds}${mark}`).update(body).digest();
}
