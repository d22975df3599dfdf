/** The offer that remains to be bought by a customer who wanted both and has bought one. */

import { paymentStateAt } from '@tapeloom/core/entitlement/payment';
import { GRANTABLE, type Grant } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { OrderRecord } from '../accounts/orders/orders-store.ts';

/** Null: none is bought, or the account has both. */
export function otherHalf(
  orders: readonly OrderRecord[],
  grants: readonly Grant[],
  now: EpochNs,
): Grant['plan'] | null {
  const running = orders.filter((order) => order.withdrawnAt === null && isRunning(order, now));
  const bought = (plan: Grant['plan']) => running.find((order) => order.grants.includes(plan));
  // An operator's temporary grant does not prevent the purchase.
  const given = (plan: Grant['plan']) =>
    grants.some((grant) => grant.plan === plan && grant.until === null);
  const left = GRANTABLE.find((plan) => bought(plan) === undefined && !given(plan));
  const first = GRANTABLE.map(bought).find((order) => order !== undefined);
  if (left === undefined || first === undefined) return null;
  // A customer who had both and let one end has not forgotten to buy it.
  return orders.some((order) => order.grants.includes(left) && wasHadWith(order, first))
    ? null
    : left;
}

function wasHadWith({ paidAt, paidUntil, createdAt }: OrderRecord, first: OrderRecord): boolean {
  const last = paidUntil !== null && paidUntil > createdAt ? paidUntil : createdAt;
  return paidAt !== null && last >= first.createdAt;
}

function isRunning(order: OrderRecord, now: EpochNs): boolean {
  return ['paid', 'past_due', 'cancelled'].includes(paymentStateAt(order, now));
}
