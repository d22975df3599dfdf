/**
 * Idempotent requests: what the store receives of one, and what it returns for a repeated one. An idempotency key
 * belongs to the API key that sent it. Completed work is remembered by its transaction, for 24 hours (a page: an hour).
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, HOUR_NS_BIG } from '@tapeloom/core/units';

/** How long completed work is remembered. */
export const REMEMBERED_NS = DAY_NS_BIG;
/** For a page of history: far longer than a client repeats a request for a page that it did not receive. */
export const PAGE_REMEMBERED_NS = HOUR_NS_BIG;
/**
 * The prefix of a page request. Pages do not count towards the limit below: each leaves a reservation for a day anyway,
 * and the request allowance limits their number.
 */
export const PAGE_REQUEST = 'page ';
/** How many such requests an account may have remembered; further ones are rejected, none is forgotten. */
export const REMEMBERED_MAX = 1_000;

export interface OnceRequest {
  readonly idempotencyKey: string;
  /** A digest of the whole request. */
  readonly request: string;
}

export type OnceRefused =
  /** `answer`: the remembered result. */
  | { readonly refused: 'done-before'; readonly answer: string }
  /** The idempotency key was used for a different request. */
  | { readonly refused: 'another-request' }
  /** A slot is free again at `until`. */
  | { readonly refused: 'too-many-remembered'; readonly until: EpochNs };

export interface Done {
  readonly accountId: string;
  readonly keyId: string;
  readonly once: OnceRequest;
  readonly answer: string;
  readonly expiresAt: EpochNs;
}
