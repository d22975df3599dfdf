/** Receipts of an order, the provider's customer page, and dropping an unpaid checkout. */

import { judgeWithdrawal } from '@tapeloom/core/entitlement/withdrawal';
import type { Billing } from '../../../billing/billing.ts';
import { RECEIPT_STATES, RECEIPTS_MAX, type Receipt } from '../../../billing/payment-provider.ts';
import { Instant } from '../../contract/instant-schema.ts';
import { closedObject, namedObject, Type } from '../../contract/schema.ts';
import { ProblemError } from '../../server/problems/problem-error.ts';
import { defineRoute, type Route } from '../../server/route.ts';
import { CONFLICT, UNKNOWN_ORDER, UPSTREAM, unknownOrder, upstream } from './order-problems.ts';
import { OrderView, viewOrder } from './order-view.ts';

const ReceiptView = namedObject('Receipt', {
  id: Type.String({ description: 'The number of the receipt at the provider.' }),
  at: Instant('Time of the charge'),
  totalMinor: Type.Integer({
    description: 'The total with tax, in the smallest unit of the currency.',
  }),
  taxMinor: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The part of the total that is tax; null: the provider does not state it.',
  }),
  refundedMinor: Type.Integer({ description: 'The part of the total that was paid back.' }),
  currency: Type.String(),
  state: Type.Enum(RECEIPT_STATES, {
    description: '`open`: not paid yet. `refunded`: the whole total was paid back.',
  }),
  url: Type.Union([Type.String(), Type.Null()], {
    description: 'The address of a page or a PDF at the provider; null: there is none.',
  }),
});

export function receiptsRoutes(billing: () => Billing): readonly Route[] {
  return [receiptsRoute(billing), providerPortalRoute(billing), dropRoute(billing)];
}

function receiptsRoute(billing: () => Billing): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/orders/:id/receipts',
    operationId: 'listReceipts',
    summary: 'The charges for an order, the newest first.',
    description:
      `The payment provider lists them, at most ${RECEIPTS_MAX}. The service requests the list at most ` +
      'every 30 seconds.',
    access: 'session',
    answer: closedObject({ receipts: Type.Array(ReceiptView) }),
    errors: [UNKNOWN_ORDER, UPSTREAM],
    handle: async ({ params, session }) => {
      const asked = billing().receipts.receiptsOf(session.accountId, params.id!);
      const receipts = await upstream(asked, 'Nothing was changed.');
      if (receipts === null) throw unknownOrder();
      return { receipts: receipts.map(viewReceipt) };
    },
  });
}

function providerPortalRoute(billing: () => Billing): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/orders/:id/provider-portal',
    operationId: 'openProviderPortal',
    summary:
      "The address of the provider's page on which the buyer changes the card or the billing address.",
    description: 'The address is for this visit and valid for a short time.',
    access: 'session',
    // The owner of a suspended account may still change the card that pays.
    isForSuspended: true,
    answer: closedObject({ url: Type.String() }),
    errors: [UNKNOWN_ORDER, CONFLICT, UPSTREAM],
    handle: async ({ params, session }) => {
      const asked = billing().receipts.portalOf(session.accountId, params.id!);
      const page = await upstream(asked, 'Nothing was changed.');
      if ('url' in page) return page;
      if (page.refused === 'not-found') throw unknownOrder();
      throw new ProblemError('CONFLICT', 'The provider has no such page for this order.');
    },
  });
}

function dropRoute(billing: () => Billing): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/orders/:id/drop',
    operationId: 'dropOrder',
    summary: 'Gives up an unpaid order.',
    description:
      'The checkout is closed and can no longer be paid. A repeated request changes nothing.',
    access: 'session',
    isForSuspended: true,
    answer: OrderView,
    errors: [UNKNOWN_ORDER, CONFLICT, UPSTREAM],
    handle: async ({ params, session, now }) => {
      const asked = billing().drop(session.accountId, params.id!);
      const order = await upstream(asked, 'The order shows its current state.');
      if (!('refused' in order)) return viewOrder(order, now, null);
      if (order.refused === 'not-found') throw unknownOrder();
      if (order.refused === 'paid') throw new ProblemError('CONFLICT', PAID);
      const known = await billing().orderOf(session.accountId, params.id!);
      const mayWithdraw = known !== null && judgeWithdrawal(known, now).may;
      throw new ProblemError('CONFLICT', mayWithdraw ? WITHDRAW_INSTEAD : CONFIRMING);
    },
  });
}

const PAID = 'This order is paid, so it cannot be abandoned. Cancel it instead.';
const CONFIRMING = 'A payment for this order is waiting for the bank and cannot be stopped.';
const WITHDRAW_INSTEAD = `${CONFIRMING} Withdraw from the contract instead: you get the full amount back.`;

function viewReceipt({ at, ...receipt }: Receipt) {
  return { ...receipt, at: at.toString() };
}
