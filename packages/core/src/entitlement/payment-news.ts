/**
 * What the buyer must be notified of when a payment changes. It compares only the states before and after, so several
 * changes at once give the same news as one after the other.
 */

import type { EpochNs } from '../numbers.ts';
import { DAY_NS_BIG } from '../units.ts';
import { type Payment, paymentEndsAt, willEnd } from './payment.ts';

/** A provider may correct the end of a period by hours; a renewal moves it by weeks. */
const RENEWAL_NS_MIN = DAY_NS_BIG;

/** Why rights ended. `over`: the provider or the operator ended the payment. */
export const END_CAUSES = ['refunded', 'disputed', 'over'] as const;
export type EndCause = (typeof END_CAUSES)[number];

export type PaymentNews =
  /** It will not renew and stays active until `endsAt`. */
  | { readonly t: 'cancelled'; readonly endsAt: EpochNs }
  /** Another period was paid. */
  | { readonly t: 'renewed'; readonly paidUntil: EpochNs }
  /** Its rights ended, and no cancellation had announced that. */
  | { readonly t: 'ended'; readonly cause: EndCause };

export function paymentNews(before: Payment, after: Payment): readonly PaymentNews[] {
  const news: PaymentNews[] = [];
  // A payment that was never paid has no rights that could renew or end.
  if (before.paidAt === null) return news;
  const { paidUntil } = after;
  const isLater =
    before.paidUntil !== null &&
    paidUntil !== null &&
    paidUntil - before.paidUntil >= RENEWAL_NS_MIN;
  if (isLater && isRunning(after)) news.push({ t: 'renewed', paidUntil });
  const endsAt = paymentEndsAt(after);
  if (isRunning(after) && endsAt !== null && !willEnd(before))
    news.push({ t: 'cancelled', endsAt });
  const cause = endCause(after);
  const wasRunning = isRunning(before);
  if (wasRunning && cause !== null && !(cause === 'over' && willEnd(before))) {
    news.push({ t: 'ended', cause });
  }
  return news;
}

function isRunning({ state }: Payment): boolean {
  return state === 'paid' || state === 'past_due' || state === 'cancelled';
}

function endCause({ state }: Payment): EndCause | null {
  if (state === 'ended' || state === 'failed') return 'over';
  return state === 'refunded' || state === 'disputed' ? state : null;
}
