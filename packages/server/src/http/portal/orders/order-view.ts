/** The buyer's view of an order. */

import {
  PAYMENT_GRACE_NS,
  PAYMENT_STATES,
  type PaymentState,
  paymentEndsAt,
  paymentStateAt,
} from '@tapeloom/core/entitlement/payment';
import { judgeWithdrawal } from '@tapeloom/core/entitlement/withdrawal';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Static, TString } from 'typebox';
import type { OrderRecord } from '../../../accounts/orders/orders-store.ts';
import {
  WITHDRAWAL_STATES,
  type WithdrawalRecord,
} from '../../../accounts/orders/withdrawals-store.ts';
import { Instant } from '../../contract/instant-schema.ts';
import { namedObject, Type } from '../../contract/schema.ts';
import { BillToView } from './bill-to-body.ts';

function orNull(instant: TString) {
  return Type.Union([instant, Type.Null()]);
}

const Withdrawable = namedObject('PossibleWithdrawal', {
  until: Instant('First instant at which withdrawal is no longer possible'),
  amountMinor: Type.Integer({
    description:
      'The part of the price that the buyer gets back now. Tax on top of it is paid back as well.',
  }),
});

const Withdrawn = namedObject('Withdrawal', {
  at: Instant('Time of the declaration'),
  amountMinor: Type.Integer({ description: 'The part of the price that the buyer gets back.' }),
  state: Type.Enum(WITHDRAWAL_STATES, {
    title: 'WithdrawalState',
    description:
      '`open`: the service requests the refund from the provider. `pending`: the provider decides ' +
      'about the money. `by_hand`: we pay the money back ourselves. `done`: the withdrawal is settled.',
  }),
  mailedAt: orNull(Instant('Time at which the receipt was mailed')),
  settledAt: orNull(
    Instant('Time at which the money was paid back, or it was clear that none is due'),
  ),
});

export const OrderView = namedObject('Order', {
  id: Type.String(),
  offer: Type.String({ description: 'The id of the offer in `GET /v1/offers`.' }),
  state: Type.Enum(PAYMENT_STATES, {
    title: 'OrderState',
    description:
      '`open`: not paid yet, or the confirmation is pending. `past_due`: a renewal failed, and the ' +
      'provider tries again. `cancelled`: the order ends with its period. `failed`: the order was never ' +
      'paid and can no longer be paid.',
  }),
  amountMinor: Type.Integer({ description: 'The price, in the smallest unit of the currency.' }),
  currency: Type.String(),
  interval: Type.Union([Type.Enum(['month'] as const, { title: 'BillingInterval' }), Type.Null()], {
    description: 'How often the price is charged; null: once.',
  }),
  country: Type.String(),
  payUrl: Type.Union([Type.String(), Type.Null()], {
    description:
      'The payment page of an order that is not paid yet; null: there is nothing to pay.',
  }),
  billTo: Type.Union([BillToView, Type.Null()], {
    description: 'The buyer on the bill, as the buyer stated it; null: the buyer stated nothing.',
  }),
  provider: Type.String({ description: 'The payment provider.' }),
  createdAt: Instant('Time of the order'),
  paidAt: orNull(Instant('Time of the first payment')),
  paidUntil: orNull(Instant('End of the paid period')),
  endsAt: orNull(
    Instant('The end of its rights as things stand (null: they renew, never end or have ended)'),
  ),
  waiverVersion: Type.String({ description: 'The version of the waiver that was accepted.' }),
  taxIncluded: Type.Boolean({ description: 'Whether the price includes tax.' }),
  withdrawal: Type.Union([Withdrawable, Type.Null()], {
    description: 'The terms of a withdrawal now; null: withdrawal is not possible.',
  }),
  withdrawn: Type.Union([Withdrawn, Type.Null()], {
    description: 'The withdrawal from the order, and its state.',
  }),
});

export function viewOrder(
  order: OrderRecord,
  now: EpochNs,
  withdrawal: WithdrawalRecord | null,
): Static<typeof OrderView> {
  const state = paymentStateAt(order, now);
  return {
    id: order.id,
    offer: order.offer,
    state,
    amountMinor: order.amountMinor,
    currency: order.currency,
    interval: order.kind === 'subscription' ? 'month' : null,
    country: order.country,
    billTo: order.billTo,
    payUrl: state === 'open' && order.withdrawnAt === null && order.url !== '' ? order.url : null,
    provider: order.provider,
    createdAt: order.createdAt.toString(),
    paidAt: order.paidAt?.toString() ?? null,
    paidUntil: order.paidUntil?.toString() ?? null,
    endsAt: endsAt(order, state)?.toString() ?? null,
    waiverVersion: order.waiverVersion,
    taxIncluded: order.taxIncluded,
    withdrawal: withdrawable(order, now),
    withdrawn: withdrawal === null ? null : viewWithdrawal(withdrawal),
  };
}

function withdrawable(order: OrderRecord, now: EpochNs): Static<typeof Withdrawable> | null {
  const verdict = judgeWithdrawal(order, now);
  if (!verdict.may) return null;
  return { until: verdict.until.toString(), amountMinor: verdict.amountMinor };
}

function viewWithdrawal(withdrawal: WithdrawalRecord): Static<typeof Withdrawn> {
  const { at, amountMinor, state, toldAt, refundedAt } = withdrawal;
  return {
    at: at.toString(),
    amountMinor,
    state,
    mailedAt: toldAt?.toString() ?? null,
    settledAt: refundedAt?.toString() ?? null,
  };
}

function endsAt(order: OrderRecord, state: PaymentState): bigint | null {
  if (state === 'cancelled' || state === 'ended') return paymentEndsAt(order);
  if (state !== 'past_due' || order.paidUntil === null) return null;
  return paymentEndsAt(order) ?? order.paidUntil + PAYMENT_GRACE_NS;
}
