/**
 * `GET /v1/usage`: this month's limits, use and remainder. A live key gets the account's, over all keys. A test key
 * gets the sandbox's limits, the use by test keys, and the remainder under both limits.
 */

import type { CountedField, Entitlements } from '@tapeloom/core/entitlement/entitlements';
import { PLANS } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { nextRenewal, periodOf } from '@tapeloom/core/quota/month';
import type { Static } from 'typebox';
import { remainingBudget } from '../../accounts/limits/remaining-budget.ts';
import type { Budget, MonthUsage } from '../../accounts/usage/usage-store.ts';
import { whenKnown } from '../../platform/waiting/when-known.ts';
import { Instant } from '../contract/instant-schema.ts';
import { namedObject, Type } from '../contract/schema.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { LIMITS_FIELDS } from './limits-view.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const UsageView = namedObject('Usage', {
  period: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}$', description: 'The month, in UTC.' }),
  resetsAt: Instant('The start of the next month'),
  plan: Type.Enum(PLANS, { title: 'PlanId' }),
  limits: namedObject('PlanLimits', LIMITS_FIELDS, {
    description: 'The limits of the account; for a test key the limits of the sandbox.',
  }),
  used: namedObject(
    'UsageCounts',
    {
      computeUnits: Count('Compute units.'),
      historyItems: Count('Results received by history queries.'),
      exportBytes: Count('Bytes of exports.'),
      restRequests: Count('REST requests before this request.'),
    },
    { description: 'The usage of all keys; for a test key the usage of all test keys.' },
  ),
  remaining: namedObject(
    'UsageRemaining',
    {
      computeUnits: Count('Compute units, without those that running work has reserved.'),
      exportBytes: Count('Bytes of exports, without those that running work has reserved.'),
    },
    {
      description:
        'The rest of the budgets of the account; for a test key the lesser of what the account and its ' +
        'test keys have left.',
    },
  ),
});

export type UsageOf = (
  now: EpochNs,
  accountId: string,
  period: string,
) => Promise<MonthUsage> | MonthUsage;

export function usageRoute(usageOf: UsageOf): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/usage',
    operationId: 'getUsage',
    summary: "The account's limits and usage this month.",
    description:
      'The usage counts all keys. A test key gets the limits of the sandbox and the usage of test keys. ' +
      'Budgets renew at the start of a month, in UTC.',
    access: 'key',
    answer: UsageView,
    handle: ({ caller: { accountId, entitlements }, now }) =>
      whenKnown(usageOf(now, accountId, periodOf(now)), (usage) =>
        usageView(now, usage, entitlements),
      ),
  });
}

/** This month's use, as a caller with these rights sees it. */
export function usageView(
  now: EpochNs,
  usage: MonthUsage,
  entitlements: Entitlements,
): Static<typeof UsageView> {
  const { plan, limits, isTest } = entitlements;
  const remaining = (budget: Budget, field: CountedField) =>
    remainingBudget(usage, budget, entitlements.counted(field));
  return {
    period: periodOf(now),
    resetsAt: nextRenewal(now).toString(),
    plan,
    limits,
    used: isTest ? usage.tests.used : usage.used,
    remaining: {
      computeUnits: remaining('computeUnits', 'computeBudget'),
      exportBytes: remaining('exportBytes', 'exportBytes'),
    },
  };
}
