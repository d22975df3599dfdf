/**
 * How many streams an account may have begun that nobody has computed yet. What is computed already costs
 * nothing, nor does what moves because of us. All that a plan allows at once is a small part of the
 * allowance, which comes back within a minute: only who opens and drops streams all the time meets it.
 */

import type { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../auth/caller.ts';
import { MemoryAllowances } from './memory-allowances.ts';

/** So often a minute an account may begin all the subscriptions it may have. */
export const TIMES_PER_MINUTE = 8;
/** Somebody who tries one parameter after the other on the smallest plan. */
export const PER_MINUTE_MIN = 60;

/** Topics kept for an account that may come back, for each subscription that it may have. */
export const IDLE_TOPICS_PER_SUBSCRIPTION = 2;

export interface OpenRefusal {
  readonly code: 'RATE_LIMITED';
  readonly message: string;
}

export class ColdOpens {
  readonly #allowances = new MemoryAllowances();
  readonly #clock: Pick<Clock, 'now'>;

  /** `clock` is real time. */
  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Why this caller may not have another stream begun now; null when it may. */
  take({ accountId, entitlements }: Caller): OpenRefusal | null {
    const limits = opensPerMinute(entitlements);
    const verdict = this.#allowances.take(this.#clock.now(), accountId, limits);
    if (verdict.granted) return null;
    const { limit, retryAfterSeconds } = verdict;
    return {
      code: 'RATE_LIMITED',
      message:
        `The account may start ${limit} new streams a minute; ` +
        `the next one is possible in ${retryAfterSeconds} s.`,
    };
  }
}

/** How many streams that it has left are kept for this caller's account, for when it comes back. */
export function idleTopicsOf({ entitlements }: Caller): number {
  const { limit, testLimit } = entitlements.counted('maxSubscriptions');
  return IDLE_TOPICS_PER_SUBSCRIPTION * (limit ?? testLimit ?? 0);
}

function opensPerMinute(entitlements: Entitlements) {
  const { limit, testLimit } = entitlements.counted('maxSubscriptions');
  return { limit: perMinute(limit), testLimit: perMinute(testLimit) };
}

function perMinute(subscriptions: number | null): number | null {
  if (subscriptions === null) return null;
  return Math.max(PER_MINUTE_MIN, TIMES_PER_MINUTE * subscriptions);
}
