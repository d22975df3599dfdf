/** Charges at Stripe: invoices as receipts, and refunds, once for a key. */

import type Stripe from 'stripe';
import {
  RECEIPTS_MAX,
  type Receipt,
  type RefundOutcome,
  RefundRejectedError,
  type RefundWish,
} from '../payment-provider.ts';
import { idempotencyKey } from './stripe-client.ts';
import { hear, intentOfInvoice, knownSession } from './stripe-hearing.ts';
import { isDisputed } from './stripe-payment.ts';
import {
  amountOf,
  booleanOf,
  currencyOf,
  expanded,
  idOf,
  instantOf,
  listOf,
  ORDER_FIELD,
  orderOf,
  REFUND_FIELD,
  unknownValue,
} from './stripe-shapes.ts';

/** Charges of one customer: two years of months, declined ones included. */
const CHARGES_MAX = 300;
const PAGE_MAX = 100;

export async function listReceipts(api: Stripe, ref: string): Promise<readonly Receipt[]> {
  const session = await knownSession(api, ref);
  if (session.status !== 'complete') return [];
  const subscription = idOf(session.subscription);
  if (subscription === null) return receiptOfPurchase(session);
  const asked = { subscription, limit: RECEIPTS_MAX, expand: ['data.payments'] };
  const invoices = listOf(await api.invoices.list(asked), 'invoices');
  const refunded = new Map<string, number>();
  for (const charge of await chargesOf(api, session)) {
    const intent = idOf(charge.payment_intent);
    const before = intent === null ? undefined : refunded.get(intent);
    const given = givenBackOf(charge);
    if (intent !== null) refunded.set(intent, (before ?? 0) + given);
  }
  return invoices.flatMap((invoice) => {
    const intent = intentOfInvoice(invoice);
    return receiptOfInvoice(invoice, (intent === null ? undefined : refunded.get(intent)) ?? 0);
  });
}

/** Stripe's sum may still include a refund that failed later. */
function givenBackOf({ amount_refunded, refunds }: Stripe.Charge): number {
  const sum = amountOf(amount_refunded, 'charge.amount_refunded');
  if (refunds == null || refunds.has_more) return sum;
  const isGiven = ({ status }: Stripe.Refund) => status !== 'failed' && status !== 'canceled';
  const given = refunds.data.filter(isGiven).reduce((all, { amount }) => all + amount, 0);
  return Math.min(sum, given);
}

/** Refunds from the charge by which `fetch` judges. */
export async function refundNewest(
  api: Stripe,
  ref: string,
  { key, amountMinor }: RefundWish,
): Promise<RefundOutcome> {
  const session = await knownSession(api, ref);
  const { charge, disputes } = await hear(api, session);
  if (charge === null) return 'nothing';
  // Read after the charge: a concurrent refund with this key is found here, or has the same idempotency key at Stripe.
  const known = await refundByKey(api, session, key);
  if (known !== null) return outcomeOf(known);
  const captured = amountOf(charge.amount_captured, 'charge.amount_captured');
  // The buyer must not get the same money from the bank and from us; Stripe rejects that too.
  if (isDisputed(disputes.filter((one) => idOf(one.charge) === charge.id))) return 'nothing';
  const left = captured - amountOf(charge.amount_refunded, 'charge.amount_refunded');
  if (left <= 0) return 'nothing';
  const refund = await api.refunds.create(
    {
      charge: charge.id,
      amount: Math.min(amountMinor ?? left, left),
      reason: 'requested_by_customer',
      metadata: { [REFUND_FIELD]: key, [ORDER_FIELD]: orderOf(session) ?? '' },
    },
    { idempotencyKey: idempotencyKey('refund', ref, key) },
  );
  return outcomeOf(refund);
}

/** Stripe forgets idempotency keys after a day or so, but not the refunds. */
async function refundByKey(
  api: Stripe,
  session: Stripe.Checkout.Session,
  key: string,
): Promise<Stripe.Refund | null> {
  for (const { refunds } of await chargesOf(api, session)) {
    for (const refund of refunds?.data ?? []) {
      if (refund.metadata?.[REFUND_FIELD] === key) return refund;
    }
  }
  return null;
}

function outcomeOf({ id, status, failure_reason }: Stripe.Refund): RefundOutcome {
  switch (status) {
    case 'succeeded':
      return 'done';
    case 'pending':
    case 'requires_action':
      return 'pending';
    case 'failed':
    case 'canceled':
      // The operator has the money again and must find another way.
      throw new RefundRejectedError(
        `the refund ${id} is ${status} at stripe: ${failure_reason ?? '?'}`,
      );
    default:
      throw unknownValue('refund.status', status);
  }
}

function chargesOf(api: Stripe, session: Stripe.Checkout.Session): Promise<Stripe.Charge[]> {
  const customer = idOf(session.customer);
  if (customer === null) throw unknownValue('session.customer', null);
  return api.charges
    .list({ customer, limit: PAGE_MAX, expand: ['data.refunds'] })
    .autoPagingToArray({ limit: CHARGES_MAX });
}

function receiptOfPurchase(session: Stripe.Checkout.Session): readonly Receipt[] {
  const intent = expanded(session.payment_intent, 'session.payment_intent');
  const charge = intent && expanded(intent.latest_charge, 'payment_intent.latest_charge');
  if (charge === null || charge.status === 'failed') return [];
  const refunded = amountOf(charge.amount_refunded, 'charge.amount_refunded');
  const invoice = expanded(session.invoice, 'session.invoice');
  const receipts = invoice === null ? [] : receiptOfInvoice(invoice, refunded);
  if (receipts.length > 0) return receipts;
  const isRefunded = booleanOf(charge.refunded, 'charge.refunded');
  return [
    {
      id: charge.id,
      at: instantOf(charge.created, 'charge.created'),
      totalMinor: amountOf(charge.amount, 'charge.amount'),
      taxMinor: null,
      refundedMinor: refunded,
      currency: currencyOf(charge.currency, 'charge.currency'),
      state: isRefunded ? 'refunded' : charge.status === 'pending' ? 'open' : 'paid',
      url: pageOf(charge.receipt_url),
    },
  ];
}

/** Empty for a draft or a voided invoice. */
function receiptOfInvoice(invoice: Stripe.Invoice, refunded: number): readonly Receipt[] {
  const { id, created, total, total_taxes, status_transitions: when } = invoice;
  const totalMinor = Math.max(0, total);
  const refundedMinor = Math.min(refunded, totalMinor);
  const state = receiptState(invoice, totalMinor > 0 && refundedMinor === totalMinor);
  if (state === null) return [];
  const taxes = total_taxes?.reduce((sum, { amount }) => sum + amount, 0) ?? null;
  return [
    {
      id,
      at: instantOf(when?.paid_at ?? when?.finalized_at ?? created, 'invoice.created'),
      totalMinor: amountOf(totalMinor, 'invoice.total'),
      taxMinor: taxes === null ? null : amountOf(taxes, 'invoice.total_taxes'),
      refundedMinor,
      currency: currencyOf(invoice.currency, 'invoice.currency'),
      state,
      url: pageOf(invoice.hosted_invoice_url),
    },
  ];
}

function receiptState({ status }: Stripe.Invoice, isRefunded: boolean): Receipt['state'] | null {
  switch (status) {
    case 'paid':
      return isRefunded ? 'refunded' : 'paid';
    case 'open':
      return 'open';
    case 'uncollectible':
      return 'failed';
    case 'draft':
    case 'void':
      return null;
    default:
      throw unknownValue('invoice.status', status);
  }
}

function pageOf(url: string | null | undefined): string | null {
  return typeof url === 'string' && url.startsWith('https://') ? url : null;
}
