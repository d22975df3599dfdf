/**
 * Requests that are to be done once, however often they come: what the store is told of one, and what it
 * says of one that came before. An idempotency key belongs to the API key that sent it. Only what was done
 * is remembered, for 24 hours, in the transaction that did it.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, HOUR_NS_BIG } from '@tapeloom/core/units';

/** How long what was done is remembered: 24 hours. */
export const REMEMBERED_NS = DAY_NS_BIG;
/** Of a page of history: far longer than a client asks again for one that did not reach it. */
export const PAGE_REMEMBERED_NS = HOUR_NS_BIG;
/**
 * How the request of a page begins. Pages are not counted among those below: each leaves a reservation for a day
 * anyway, and how many there can be follows from the allowance of requests.
 */
export const PAGE_REQUEST = 'page ';
/** How many such requests are remembered of an account at a time; further ones are refused, not forgotten. */
export const REMEMBERED_MAX = 1_000;

export interface OnceRequest {
  /** As the client sent it. */
  readonly idempotencyKey: string;
  /** A digest of all that is asked for. */
  readonly request: string;
}

export type OnceRefused =
  /** `answer`: what was remembered of it. */
  | { readonly refused: 'done-before'; readonly answer: string }
  /** The idempotency key came with something else. */
  | { readonly refused: 'another-request' }
  /** There is room again at `until`. */
  | { readonly refused: 'too-many-remembered'; readonly until: EpochNs };

/** A request that has been done, to be remembered. */
export interface Done {
  readonly accountId: string;
  readonly keyId: string;
  readonly once: OnceRequest;
  readonly answer: string;
  readonly expiresAt: EpochNs;
}
