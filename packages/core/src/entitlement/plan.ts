/**
 * What each plan grants. An account holds grants, each forever or until an instant. Its plan follows from the grants in
 * force, and is `sandbox` without any. All limits apply to the whole account; 0: the plan does not include it.
 */

import type { EpochNs } from '../numbers.ts';
import { GIB } from '../units.ts';

export const PLANS = ['sandbox', 'live', 'history', 'live_history'] as const;
export type Plan = (typeof PLANS)[number];

export const PLAN_NAMES: Readonly<Record<Plan, string>> = {
  sandbox: 'Sandbox',
  live: 'Live',
  history: 'Historical',
  live_history: 'Live + Historical',
};

/** The plans that can be granted; together they are `live_history`. */
export const GRANTABLE = ['live', 'history'] as const;

export interface Grant {
  readonly plan: (typeof GRANTABLE)[number];
  /** The first instant at which it no longer holds; null: it never ends. */
  readonly until: EpochNs | null;
}

export interface PlanLimits {
  /** Compute units a month. */
  readonly computeBudget: number;
  /** Bytes of exports a month. */
  readonly exportBytes: number;
  readonly restPerMinute: number;
  readonly historyDays: number;
  readonly delaySeconds: number;
  readonly maxConnections: number;
  readonly maxSubscriptions: number;
  readonly maxCustomConfigs: number;
  readonly realtime: boolean;
}

/** Days of history that stand for everything available. */
export const HISTORY_DAYS_ALL = 36_500;
const DELAY_SECONDS = 600;

export const PLAN_LIMITS: Readonly<Record<Plan, PlanLimits>> = {
  sandbox: {
    computeBudget: 50_000_000,
    exportBytes: 0,
    restPerMinute: 60,
    historyDays: 7,
    delaySeconds: DELAY_SECONDS,
    maxConnections: 1,
    maxSubscriptions: 2,
    maxCustomConfigs: 1,
    realtime: false,
  },
  live: {
    computeBudget: 0,
    exportBytes: 0,
    restPerMinute: 300,
    historyDays: 0,
    delaySeconds: 0,
    maxConnections: 5,
    maxSubscriptions: 50,
    maxCustomConfigs: 25,
    realtime: true,
  },
  history: {
    computeBudget: 20_000_000_000,
    exportBytes: 20 * GIB,
    restPerMinute: 1_200,
    historyDays: HISTORY_DAYS_ALL,
    delaySeconds: DELAY_SECONDS,
    maxConnections: 1,
    maxSubscriptions: 2,
    maxCustomConfigs: 1,
    realtime: false,
  },
  live_history: {
    computeBudget: 20_000_000_000,
    exportBytes: 20 * GIB,
    restPerMinute: 1_200,
    historyDays: HISTORY_DAYS_ALL,
    delaySeconds: 0,
    maxConnections: 5,
    maxSubscriptions: 50,
    maxCustomConfigs: 25,
    realtime: true,
  },
};

/** The plan that these grants give at an instant. */
export function planAt(grants: readonly Grant[], now: EpochNs): Plan {
  const holds = (plan: Grant['plan']) =>
    grants.some((grant) => grant.plan === plan && (grant.until === null || now < grant.until));
  if (holds('live')) return holds('history') ? 'live_history' : 'live';
  return holds('history') ? 'history' : 'sandbox';
}
