/** The buyer's view of orders, and ending one. An order of another account is unknown. */

import type { Billing } from '../../../billing/billing.ts';
import { namedObject, Type } from '../../contract/schema.ts';
import { ProblemError } from '../../server/problems/problem-error.ts';
import { defineRoute, type Route } from '../../server/route.ts';
import { CONFLICT, UNKNOWN_ORDER, UPSTREAM, unknownOrder, upstream } from './order-problems.ts';
import { OrderView, viewOrder } from './order-view.ts';

export function ordersRoutes(billing: () => Billing): readonly Route[] {
  return [
    listRoute(billing),
    showRoute(billing),
    endingRoute(billing, {
      verb: 'cancel',
      operationId: 'cancelOrder',
      summary: 'Cancels a subscription: it ends with the paid period.',
      isCancelled: true,
    }),
    endingRoute(billing, {
      verb: 'keep',
      operationId: 'keepOrder',
      summary: 'Keeps a cancelled subscription: it renews after all.',
      isCancelled: false,
    }),
  ];
}

function listRoute(billing: () => Billing): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/orders',
    operationId: 'listOrders',
    summary: 'All orders of the account, the newest first.',
    description: 'The orders have the states that the payment provider reported last.',
    access: 'session',
    answer: namedObject('OrderList', { orders: Type.Array(OrderView) }),
    handle: async ({ session, now }) => {
      const orders = await billing().ordersOf(session.accountId);
      const withdrawals = await billing().withdrawals.withdrawalsOf(session.accountId);
      const of = new Map(withdrawals.map((withdrawal) => [withdrawal.orderId, withdrawal]));
      return { orders: orders.map((order) => viewOrder(order, now, of.get(order.id) ?? null)) };
    },
  });
}

function showRoute(billing: () => Billing): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/orders/:id',
    operationId: 'getOrder',
    summary: 'One order.',
    description: 'The path has the id of the order. An order of another account is not found.',
    access: 'session',
    answer: OrderView,
    errors: [UNKNOWN_ORDER],
    handle: async ({ params, session, now }) => {
      const order = await billing().orderOf(session.accountId, params.id!);
      if (order === null) throw unknownOrder();
      return viewOrder(order, now, await billing().withdrawals.withdrawalOf(order));
    },
  });
}

interface Ending {
  readonly verb: 'cancel' | 'keep';
  readonly operationId: string;
  readonly summary: string;
  readonly isCancelled: boolean;
}

function endingRoute(
  billing: () => Billing,
  { verb, operationId, summary, isCancelled }: Ending,
): Route {
  return defineRoute({
    method: 'POST',
    path: `/v1/portal/orders/:id/${verb}`,
    operationId,
    summary,
    description: 'A repeated request changes nothing.',
    access: 'session',
    // The owner of a suspended account may stop paying.
    ...(isCancelled ? { isForSuspended: true } : {}),
    answer: OrderView,
    errors: [UNKNOWN_ORDER, CONFLICT, UPSTREAM],
    handle: async ({ params, session, now }) => {
      if (!isCancelled && (await billing().isLeaving(session.accountId))) throw leaving();
      const asked = billing().setCancelled(session.accountId, params.id!, isCancelled);
      const order = await upstream(asked, 'The order shows its current state.');
      if (!('refused' in order)) return viewOrder(order, now, null);
      if (order.refused === 'not-found') throw unknownOrder();
      throw new ProblemError('CONFLICT', `Only a running subscription can be ${PAST[verb]}.`);
    },
  });
}

/** Nothing is charged for an account that is to be deleted. */
function leaving(): ProblemError {
  return new ProblemError(
    'CONFLICT',
    'The account is scheduled for deletion, so nothing renews. Withdraw the deletion first.',
  );
}

const PAST = { cancel: 'cancelled', keep: 'kept' } as const;
