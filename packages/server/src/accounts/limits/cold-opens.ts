/**
 * Limits how many topics an account may open per minute. A stream whose topic is computed already costs nothing, and
 * neither does a move by the service. All subscriptions of a plan use a small part of the allowance, which refills
 * within a minute. Only an account that keeps opening and dropping streams meets the limit.
 */

import type { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../auth/caller.ts';
import { MemoryAllowances } from './memory-allowances.ts';

/** How often per minute an account may start all its subscriptions. */
export const TIMES_PER_MINUTE = 8;
/** Enough to try one parameter after the other on the smallest plan. */
export const PER_MINUTE_MIN = 60;

/** Idle topics kept for an account's return, for each subscription that it may have. */
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

  /** Why this caller may not start another stream now; null when it may. */
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

/** How many streams that this account has left are kept for its return. */
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
