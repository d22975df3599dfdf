/**
 * `GET /v1/portal/usage`: the data of `GET /v1/usage` for a live key, and the data of the dashboard: thirteen months,
 * the days and the keys of one of them, and what is open now.
 */

import { ENVIRONMENTS, KEY_STATES, keyStateAt } from '@tapeloom/core/entitlement/key-rights';
import type { EpochNs } from '@tapeloom/core/numbers';
import { periodBefore, periodOf } from '@tapeloom/core/quota/month';

import type { Static } from 'typebox';
import type { OpenNow } from '../../accounts/limits/open-now.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import {
  KEYS_REPORTED_MAX,
  type NamedKeyUsage,
  type UsageCounts,
} from '../../accounts/usage/usage-store.ts';
import { dayText } from '../../platform/refusal-answer.ts';
import { closedObject, namedObject, Type } from '../contract/schema.ts';
import { type UsageOf, UsageView, usageView } from '../routes/usage-route.ts';
import { invalidParameters } from '../server/problems/problem-error.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { sessionEntitlements } from './sessions/session-entitlements.ts';

const MONTHS_SHOWN = 13;
const NOTHING: UsageCounts = { computeUnits: 0, historyItems: 0, exportBytes: 0, restRequests: 0 };

const Period = Type.String({
  pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$',
  description: 'A month, in UTC.',
});
const Count = Type.Integer({ minimum: 0 });

const KeyUsageView = namedObject('KeyUsage', {
  keyId: Type.String(),
  name: Type.String(),
  hint: Type.String(),
  environment: Type.Enum(ENVIRONMENTS, { title: 'Environment' }),
  state: Type.Enum(KEY_STATES, { title: 'KeyState' }),
  used: UsageView.properties.used,
});

const PortalUsageView = namedObject('PortalUsage', {
  ...UsageView.properties,
  months: Type.Array(closedObject({ period: Period, used: UsageView.properties.used }), {
    description: 'Thirteen months, the oldest first; the last one is this month.',
  }),
  reportPeriod: Type.String({ description: 'The month of `days`, `byKey` and `byPortal`.' }),
  days: Type.Array(
    closedObject({
      day: Type.String({ format: 'date' }),
      used: closedObject({ computeUnits: Count, exportBytes: Count }),
    }),
    { description: 'The days with a charge.' },
  ),
  byKey: Type.Array(KeyUsageView, {
    description: `The keys with the most usage first, at most ${KEYS_REPORTED_MAX}.`,
  }),
  byPortal: namedObject('UsageCounts', UsageView.properties.used.properties, {
    description: "The usage of the portal's own charts.",
  }),
  hasStreamed: Type.Boolean({
    description: 'Whether the account has ever streamed an object, by a key or in the portal.',
  }),
  open: closedObject(
    { connections: Count, subscriptions: Count, customConfigs: Count },
    {
      description: 'The open connections, subscriptions and custom configurations of the account.',
    },
  ),
});

export interface PortalUsageFacts {
  store(): AccountStore;
  readonly usageOf: UsageOf;
  /** The open connections and subscriptions of the account, over all keys. */
  openNow(now: EpochNs, accountId: string): Promise<OpenNow>;
}

export function portalUsageRoute(facts: PortalUsageFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/usage',
    operationId: 'getPortalUsage',
    summary: "The account's limits and usage.",
    description: 'With `period`, the days and keys are those of another of the thirteen months.',
    access: 'session',
    query: closedObject({ period: Type.Optional(Period) }),
    answer: PortalUsageView,
    handle: async ({ query, session: { accountId }, now }) => {
      const period = periodOf(now);
      const reportPeriod = query.period ?? period;
      requireShown(reportPeriod, now);
      const store = facts.store();
      const entitlements = await sessionEntitlements(store, accountId, now);
      const [usage, months, days, keys, open, marks] = await Promise.all([
        facts.usageOf(now, accountId, period),
        store.usageMonths(accountId, periodBefore(now, MONTHS_SHOWN - 1)),
        store.usageDays(accountId, reportPeriod),
        store.usageByNamedKey(accountId, reportPeriod),
        facts.openNow(now, accountId),
        store.people.marksOf(accountId),
      ]);
      const byPeriod = new Map(months.map((month) => [month.period, month.used]));
      byPeriod.set(period, usage.used);
      return {
        ...usageView(now, usage, entitlements),
        months: shownPeriods(now).map((one) => ({
          period: one,
          used: { ...(byPeriod.get(one) ?? NOTHING) },
        })),
        reportPeriod,
        days: days.map(({ day, used }) => ({ day: dayText(day), used: { ...used } })),
        byKey: keys.flatMap((key) => viewKeyUsage(key, now)),
        byPortal: keys.filter(({ key }) => key === null).reduce(sum, { ...NOTHING }),
        hasStreamed: marks.has('streamed'),
        open: { ...open },
      };
    },
  });
}

/** The oldest first. */
function shownPeriods(now: EpochNs): string[] {
  return Array.from({ length: MONTHS_SHOWN }, (_, index) =>
    periodBefore(now, MONTHS_SHOWN - 1 - index),
  );
}

function requireShown(period: string, now: EpochNs): void {
  const shown = shownPeriods(now);
  if (shown.includes(period)) return;
  const message = `must be a month from ${shown[0]} to ${shown.at(-1)}`;
  throw invalidParameters([{ path: '/period', message }]);
}

function viewKeyUsage({ key, used }: NamedKeyUsage, now: EpochNs): Static<typeof KeyUsageView>[] {
  if (key === null) return [];
  const { id, name, hint, environment } = key;
  const state = keyStateAt(key, now);
  return [{ keyId: id, name, hint, environment, state, used: { ...used } }];
}

function sum(total: UsageCounts, { used }: NamedKeyUsage): UsageCounts {
  return {
    computeUnits: total.computeUnits + used.computeUnits,
    historyItems: total.historyItems + used.historyItems,
    exportBytes: total.exportBytes + used.exportBytes,
    restRequests: total.restRequests + used.restRequests,
  };
}
