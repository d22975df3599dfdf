/**
 * What a read of history costs: reserved of the month's compute budget before the work starts, then
 * settled with what was really read, or given back. Each happens once; a reservation that saw neither,
 * because the process died, ends by itself.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { nextRenewal, periodOf } from '@tapeloom/core/quota/month';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import type { Done, OnceRefused } from '../../accounts/store/once.ts';
import { ProblemError } from '../server/problem-error.ts';

/** Far longer than anything needs from its reservation to its settlement. */
const RESERVED_FOR_NS = 600_000_000_000n;
const SECOND_NS = 1_000_000_000n;

export interface ComputeBudget {
  readonly budgets: Pick<
    AccountStore,
    'reserve' | 'settle' | 'settleOnce' | 'voidReservation' | 'usageOf'
  >;
  /** The accounts' time. */
  accountsNow(): EpochNs;
}

export interface ComputeCharge {
  settle(units: number, historyItems: number): Promise<void>;
  /** Settles and remembers what was done; or neither, and says why. */
  settleOnce(units: number, done: Done): Promise<OnceRefused | null>;
  giveBack(): Promise<void>;
}

/** Throws `QUOTA_EXCEEDED` when the month has not so many units left; `id` is used once. */
export async function reserveCompute(
  { budgets, accountsNow }: ComputeBudget,
  id: string,
  { accountId, keyId, entitlements }: Caller,
  units: number,
): Promise<ComputeCharge> {
  const now = accountsNow();
  const verdict = await budgets.reserve(now, {
    id,
    accountId,
    keyId,
    budget: 'computeUnits',
    amount: units,
    ...entitlements.counted('computeBudget'),
    period: periodOf(now),
    expiresAt: (now + RESERVED_FOR_NS) as EpochNs,
  });
  if (!verdict.granted) throw overBudget(now, units, verdict.remaining);
  return {
    settle: async (amount, historyItems) => {
      await budgets.settle(accountsNow(), id, { amount, historyItems });
    },
    settleOnce: (amount, done) => budgets.settleOnce(accountsNow(), id, { amount }, done),
    giveBack: async () => {
      await budgets.voidReservation(accountsNow(), id);
    },
  };
}

/** Seconds until budgets renew, not above them but for the last one. */
export function secondsToRenewal(now: EpochNs): number {
  return Math.max(1, Number((nextRenewal(now) - now) / SECOND_NS));
}

function overBudget(
  now: EpochNs,
  computeUnits: number,
  remainingComputeUnits: number,
): ProblemError {
  const detail = `It costs ${computeUnits} compute units; ${remainingComputeUnits} are left this month.`;
  return new ProblemError('QUOTA_EXCEEDED', detail, {
    status: 429,
    headers: { 'retry-after': String(secondsToRenewal(now)) },
    members: { computeUnits, remainingComputeUnits },
  });
}
