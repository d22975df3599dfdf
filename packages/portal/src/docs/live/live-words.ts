/** Messages of a live part: its share of the plan, its delay, and its failures. */

import { PLAN_LIMITS } from '@tapeloom/core/entitlement/plan';
import { PortalError } from '../../api/portal-error.ts';
import type { Plan } from '../../api/portal-shapes.ts';
import { counted } from '../../components/number-text.ts';

const MINUTE_SECONDS = 60;

export interface Taken {
  readonly plan: Plan;
  readonly subscriptions: number;
  readonly isCustom: boolean;
}

export function costText({ plan, subscriptions, isCustom }: Taken): string {
  const { maxConnections, maxSubscriptions, maxCustomConfigs } = PLAN_LIMITS[plan];
  const parts = [
    `1 of ${counted(maxConnections, 'connection')}`,
    `${subscriptions} of ${counted(maxSubscriptions, 'subscription')}`,
    `${isCustom ? 1 : 0} of ${counted(maxCustomConfigs, 'custom configuration')}`,
  ];
  return `An open stream uses ${parts.join(', ')} of your plan. It costs no compute units.`;
}

/** Null: the data is current. */
export function delayText(plan: Plan): string | null {
  const { delaySeconds } = PLAN_LIMITS[plan];
  if (delaySeconds === 0) return null;
  return `${delaySeconds / MINUTE_SECONDS} minutes late`;
}

/** What happened, and what to do. */
export function failureText(error: unknown): string {
  if (error instanceof PortalError) {
    return error.status === 401 ? SIGNED_OUT : error.message;
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words = FAILURES[code];
  if (words !== undefined) return words;
  return error instanceof Error ? error.message : String(error);
}

const SIGNED_OUT = 'You are signed out. Sign in, then open the stream again.';

const FAILURES: Readonly<Record<string, string>> = {
  TOO_MANY_CONNECTIONS:
    'All connections of your plan are in use. Close one, in another tab or program, and try again.',
  QUOTA_EXCEEDED:
    'Other programs use all subscriptions or custom configurations of your plan. Close one, or leave all parameters at their defaults.',
  UNAUTHORIZED: SIGNED_OUT,
  KEY_REVOKED: SIGNED_OUT,
  ENTITLEMENTS_CHANGED: 'Your plan has changed. Open the stream again.',
};
