/** What is left of a month's budget for the key that asks: what both of its limits leave. */

import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { Budget, MonthUsage } from '../usage/usage-store.ts';

/** What is used and what running work has reserved is taken off; never below 0. */
export function remainingBudget(
  { used, reserved, tests }: MonthUsage,
  budget: Budget,
  { limit, testLimit }: CountedLimit,
): number {
  const ofAll = limit === null ? Infinity : limit - used[budget] - reserved[budget];
  const ofTests =
    testLimit === null ? Infinity : testLimit - tests.used[budget] - tests.reserved[budget];
  return Math.max(0, Math.min(ofAll, ofTests));
}
