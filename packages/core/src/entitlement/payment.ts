/**
 * The grants of a payment. They depend only on the provider's newest state, so neither the order, the number nor the
 * delay of notifications matters.
 */

import type { EpochNs } from '../numbers.ts';
import { DAY_NS_BIG } from '../units.ts';
import type { Grant } from './plan.ts';

/** A subscription renews until it is cancelled; a purchase is paid once and never ends. */
export type PaymentKind = 'subscription' | 'purchase';

export const PAYMENT_STATES = [
  /** Started but not paid; also while the provider waits for the bank's confirmation. */
  'open',
  'paid',
  /** A renewal failed; the provider tries again. */
  'past_due',
  /** Paid and not to be renewed: it ends at `paidUntil`. */
  'cancelled',
  /** It was paid and is over. */
  'ended',
  'refunded',
  /** The buyer's bank took the money back, or demands it. After a dispute that was won it is `paid` again. */
  'disputed',
  /** Never paid and no longer payable: declined for good, given up, or closed. */
  'failed',
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/**
 * How long rights outlast the paid period of a renewing subscription: seven days. A card may be declined once, and the
 * provider may report a renewal late.
 */
export const PAYMENT_GRACE_NS = 7n * DAY_NS_BIG;

export interface Payment {
  readonly kind: PaymentKind;
  readonly state: PaymentState;
  /** When it was first paid; null: never. */
  readonly paidAt: EpochNs | null;
  /** The end of the paid period; null: never paid, or a purchase, which has no end. */
  readonly paidUntil: EpochNs | null;
  readonly cancelAtPeriodEnd: boolean;
}

export function grantsOfPayment(
  plans: readonly Grant['plan'][],
  payment: Payment,
): readonly Grant[] {
  const end = endOfRights(payment);
  return end === 'none' ? [] : plans.map((plan) => ({ plan, until: end }));
}

/** The state to display. A period that has passed is over, even if the provider has not reported that yet. */
export function paymentStateAt(payment: Payment, now: EpochNs): PaymentState {
  const { kind, state, paidUntil } = payment;
  if (kind !== 'subscription' || paidUntil === null) return state;
  if (willEnd(payment) && (state === 'paid' || state === 'cancelled')) {
    return paidUntil <= now ? 'ended' : 'cancelled';
  }
  return state === 'paid' && paidUntil + PAYMENT_GRACE_NS <= now ? 'past_due' : state;
}

/** When it ends for good, if decided; null: it renews, never ends, or has not started. */
export function paymentEndsAt(payment: Payment): EpochNs | null {
  return payment.kind === 'subscription' && willEnd(payment) ? payment.paidUntil : null;
}

/** Whether the provider may still charge: a subscription may continue there even after a refund or a dispute. */
export function mayCharge({ kind, state }: Payment): boolean {
  return kind === 'purchase' ? state === 'open' : state !== 'ended' && state !== 'failed';
}

/** Whether it was cancelled: the paid period is the last. */
export function willEnd({ state, cancelAtPeriodEnd }: Payment): boolean {
  return cancelAtPeriodEnd || state === 'cancelled';
}

function endOfRights(payment: Payment): EpochNs | null | 'none' {
  const { kind, state, paidUntil } = payment;
  switch (state) {
    case 'paid':
    case 'past_due':
    case 'cancelled':
      if (kind === 'purchase') return state === 'paid' ? null : 'none';
      if (paidUntil === null) return 'none';
      return willEnd(payment) ? paidUntil : ((paidUntil + PAYMENT_GRACE_NS) as EpochNs);
    case 'open':
    case 'ended':
    case 'refunded':
    case 'disputed':
    case 'failed':
      return 'none';
    default:
      return state satisfies never;
  }
}
