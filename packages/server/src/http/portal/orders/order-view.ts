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
  until: Instant('From when on it may not be any more'),
  amountMinor: Type.Integer({
    description: 'What comes back of the price by now; tax on top of it comes back as well.',
  }),
});

const Withdrawn = namedObject('Withdrawal', {
  at: Instant('When it was declared'),
  amountMinor: Type.Integer({ description: 'What comes back of the price.' }),
  state: Type.Enum(WITHDRAWAL_STATES, {
    title: 'WithdrawalState',
    description:
      '`open`: the provider is asked. `pending`: it decides about the money. `by_hand`: we give the money back ' +
      'ourselves. `done`: all is settled.',
  }),
  mailedAt: orNull(Instant('When the receipt was mailed')),
  settledAt: orNull(Instant('When the money was given back, or it was clear that none is due')),
});

export const OrderView = namedObject('Order', {
  id: Type.String(),
  offer: Type.String({ description: 'Its id in `GET /v1/offers`.' }),
  state: Type.Enum(PAYMENT_STATES, {
    title: 'OrderState',
    description:
      '`open`: not paid yet, or the confirmation is awaited. `past_due`: a renewal failed, and is tried again. ' +
      '`cancelled`: it ends with its period. `failed`: it was never paid, and cannot be any more.',
  }),
  amountMinor: Type.Integer({ description: "The price, in the currency's minor unit." }),
  currency: Type.String(),
  interval: Type.Union([Type.Enum(['month'] as const, { title: 'BillingInterval' }), Type.Null()], {
    description: 'How often it is charged; null: once.',
  }),
  country: Type.String(),
  payUrl: Type.Union([Type.String(), Type.Null()], {
    description:
      'The payment page of an order that is not paid yet; null: there is nothing to pay.',
  }),
  billTo: Type.Union([BillToView, Type.Null()], {
    description: 'Whom it is billed to, as the buyer gave it; null: the buyer gave nothing.',
  }),
  provider: Type.String({ description: 'Who takes the payment.' }),
  createdAt: Instant('When it was placed'),
  paidAt: orNull(Instant('When it was paid first')),
  paidUntil: orNull(Instant('The end of the period that is paid for')),
  endsAt: orNull(
    Instant('When its rights end, as things stand; null: they renew, never end, or ended already'),
  ),
  waiverVersion: Type.String({ description: 'The version of the waiver that was accepted.' }),
  taxIncluded: Type.Boolean({ description: 'Whether the price includes tax.' }),
  withdrawal: Type.Union([Withdrawable, Type.Null()], {
    description: 'What holds if it is withdrawn from now; null: it may not be.',
  }),
  withdrawn: Type.Union([Withdrawn, Type.Null()], {
    description: 'That it was withdrawn from, and what became of it.',
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
