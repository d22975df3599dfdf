/**
 * The amounts taken back from a transaction. Paddle never changes a completed transaction: refunds and chargebacks are
 * adjustments beside it, and a chargeback that the seller won is another adjustment that reverses the first.
 */

import type { Adjustment } from '@paddle/paddle-node-sdk';
import { fieldFault, minorOf } from './paddle-fields.ts';

export interface TakenBack {
  /** Completed refunds, tax included. */
  readonly refundedMinor: number;
  /** Refunds that Paddle has not decided yet. */
  readonly pendingMinor: number;
  /** A chargeback, or the bank's warning of one, that was not reversed. */
  readonly isDisputed: boolean;
  readonly disputedMinor: number;
}

const STATUSES: readonly string[] = ['pending_approval', 'approved', 'rejected', 'reversed'];
const REVERSAL_OF = {
  chargeback: 'chargeback_reverse',
  chargeback_warning: 'chargeback_warning_reverse',
} as const;
/** A credit lowers what a customer owes later; it refunds nothing of this charge. */
const ACTIONS: readonly string[] = [
  'credit',
  'credit_reverse',
  'refund',
  ...Object.entries(REVERSAL_OF).flat(),
];

export function takenBack(adjustments: readonly Adjustment[]): TakenBack {
  for (const { action, status } of adjustments) {
    if (!ACTIONS.includes(action)) throw fieldFault('adjustment.action', action);
    if (!STATUSES.includes(status)) throw fieldFault('adjustment.status', status);
  }
  const refunds = adjustments.filter(({ action }) => action === 'refund');
  const disputes = Object.entries(REVERSAL_OF).flatMap(([action, reversal]) =>
    standing(adjustments, action, reversal),
  );
  return {
    refundedMinor: sum(refunds.filter(({ status }) => status === 'approved')),
    pendingMinor: sum(refunds.filter(({ status }) => status === 'pending_approval')),
    isDisputed: disputes.length > 0,
    disputedMinor: sum(disputes),
  };
}

/** Paddle marks reversed adjustments; a reversal whose mark is not there yet counts too. */
function standing(adjustments: readonly Adjustment[], action: string, reversal: string) {
  const made = adjustments.filter((one) => one.action === action && one.status !== 'rejected');
  const open = made.filter(({ status }) => status !== 'reversed');
  const isReversal = (one: Adjustment) => one.action === reversal && one.status !== 'rejected';
  const unmarked = adjustments.filter(isReversal).length - (made.length - open.length);
  return open.slice(Math.max(unmarked, 0));
}

function sum(adjustments: readonly Adjustment[]): number {
  return adjustments.reduce(
    (total, { totals }) => total + minorOf('adjustment.totals.total', totals.total),
    0,
  );
}
