/** What is left to buy for somebody who wanted both offers and has bought one of them. */

import { paymentStateAt } from '@tapeloom/core/entitlement/payment';
import { GRANTABLE, type Grant } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { OrderRecord } from '../accounts/orders/orders-store.ts';

/** Null: none is bought, or both are had. */
export function otherHalf(
  orders: readonly OrderRecord[],
  grants: readonly Grant[],
  now: EpochNs,
): Grant['plan'] | null {
  const bought = (plan: Grant['plan']) =>
    orders.some(
      (order) => order.grants.includes(plan) && order.withdrawnAt === null && isRunning(order, now),
    );
  // What an operator gave for a while does not stand in the way of buying it.
  const had = (plan: Grant['plan']) =>
    bought(plan) || grants.some((grant) => grant.plan === plan && grant.until === null);
  if (!GRANTABLE.some(bought)) return null;
  return GRANTABLE.find((plan) => !had(plan)) ?? null;
}

function isRunning(order: OrderRecord, now: EpochNs): boolean {
  return ['paid', 'past_due', 'cancelled'].includes(paymentStateAt(order, now));
}
