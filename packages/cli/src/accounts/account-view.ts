/** Renders accounts as text and as JSON. */

import { type Grant, type Plan, planAt } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AccountRecord } from '@tapeloom/server/accounts/keys/keys-store';
import { tableText } from '../table-text.ts';
import { timeJson, timeText } from './time-text.ts';

export function accountJson(account: AccountRecord, now: EpochNs): Record<string, unknown> {
  return {
    id: account.id,
    name: account.name,
    plan: planAt(account.grants, now),
    grants: account.grants.map(({ plan, until }) => ({ plan, until: timeJson(until) })),
    createdAt: timeJson(account.createdAt),
    suspendedAt: timeJson(account.suspendedAt),
  };
}

export interface ListedAccount {
  readonly account: AccountRecord;
  /** The owner's address; null when the account has no owner. */
  readonly email: string | null;
}

export function accountsTable(accounts: readonly ListedAccount[], now: EpochNs): string {
  return tableText(
    [
      { title: 'name' },
      { title: 'owner' },
      { title: 'plan' },
      { title: 'until' },
      { title: 'state' },
      { title: 'created' },
      { title: 'id' },
    ],
    accounts.map(({ account, email }) => [
      account.name,
      email ?? '-',
      planAt(account.grants, now),
      untilText(account.grants, now),
      account.suspendedAt === null ? 'active' : 'suspended',
      timeText(account.createdAt),
      account.id,
    ]),
  );
}

/** When the present plan ends or changes: the first end of a grant in force. */
function untilText(grants: readonly Grant[], now: EpochNs): string {
  const ends = grants.flatMap(({ until }) => (until !== null && now < until ? [until] : []));
  if (ends.length === 0) return '-';
  return timeText(ends.reduce((first, end) => (end < first ? end : first)));
}

/** The grants that make a plan, all ending at `until`. */
export function grantsOf(plan: Plan, until: EpochNs | null): readonly Grant[] {
  switch (plan) {
    case 'sandbox':
      return [];
    case 'live':
    case 'history':
      return [{ plan, until }];
    case 'live_history':
      return [
        { plan: 'live', until },
        { plan: 'history', until },
      ];
    default:
      return plan satisfies never;
  }
}
