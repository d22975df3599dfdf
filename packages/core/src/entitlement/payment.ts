/**
 * What a payment grants. It is a function of what the provider says last and of nothing else, so it does not matter
 * in which order, how often or how late we heard of it.
 */

import type { EpochNs } from '../numbers.ts';
import { DAY_NS_BIG } from '../units.ts';
import type { Grant } from './plan.ts';

/** A subscription renews until it is cancelled; a purchase is paid once and never ends. */
export type PaymentKind = 'subscription' | 'purchase';

export const PAYMENT_STATES = [
  /** Begun, and not paid yet; also while the provider waits for the bank's confirmation. */
  'open',
  'paid',
  /** A renewal failed; the provider tries again. */
  'past_due',
  /** Paid, and it will not renew: it ends at `paidUntil`. */
  'cancelled',
  /** It was paid once and is over. */
  'ended',
  'refunded',
  /** The buyer's bank took the money back, or asks for it. A dispute that was won is `paid` again. */
  'disputed',
  /** Never paid, and it cannot be any more: declined for good, given up, or closed. */
  'failed',
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/**
 * How long rights outlast the period that is paid for, while it renews: a card may be declined once, and a provider
 * may be late to say that it was not. Seven days.
 */
export const PAYMENT_GRACE_NS = 7n * DAY_NS_BIG;

export interface Payment {
  readonly kind: PaymentKind;
  readonly state: PaymentState;
  /** When it was paid first; null: never yet. */
  readonly paidAt: EpochNs | null;
  /** The end of the period that is paid for; null: never paid, or a purchase, which has no end. */
  readonly paidUntil: EpochNs | null;
  readonly cancelAtPeriodEnd: boolean;
}

/** What a payment for these plans grants. */
export function grantsOfPayment(
  plans: readonly Grant['plan'][],
  payment: Payment,
): readonly Grant[] {
  const end = endOfRights(payment);
  return end === 'none' ? [] : plans.map((plan) => ({ plan, until: end }));
}

/** What is shown of it: a period that has passed is over, whether or not the provider said so yet. */
export function paymentStateAt(payment: Payment, now: EpochNs): PaymentState {
  const { kind, state, paidUntil } = payment;
  if (kind !== 'subscription' || paidUntil === null) return state;
  if (willEnd(payment) && (state === 'paid' || state === 'cancelled')) {
    return paidUntil <= now ? 'ended' : 'cancelled';
  }
  return state === 'paid' && paidUntil + PAYMENT_GRACE_NS <= now ? 'past_due' : state;
}

/** When it ends for good, as far as that is decided; null: it renews, or it never ends, or nothing has begun. */
export function paymentEndsAt(payment: Payment): EpochNs | null {
  return payment.kind === 'subscription' && willEnd(payment) ? payment.paidUntil : null;
}

/**
 * Whether the provider may still ask for money, now or later. A subscription whose last payment was taken back may
 * go on there all the same.
 */
export function mayCharge({ kind, state }: Payment): boolean {
  return kind === 'purchase' ? state === 'open' : state !== 'ended' && state !== 'failed';
}

/** Whether it was cancelled: the period that is paid for is the last. */
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
