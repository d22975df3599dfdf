/** The part of a month's budget that is left for the calling key: the smaller remainder of its two limits. */

import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { Budget, MonthUsage } from '../usage/usage-store.ts';

/** Used and reserved amounts are subtracted; never below 0. */
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
