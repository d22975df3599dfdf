/**
 * Charges as receipts for a customer. Paddle's invoices are PDFs at addresses that are valid for an hour. Each address
 * is a separate request, so only the newest few are requested; Paddle's customer page has all.
 */

import type { Transaction } from '@paddle/paddle-node-sdk';
import { RECEIPTS_MAX, type Receipt } from '../payment-provider.ts';
import { type PaddleApi, PaddleRefusal } from './paddle-api.ts';
import { fieldFault, instantOf, minorOf } from './paddle-fields.ts';
import { isAllRefunded, type PaddlePayment, takenBackOf, totalOf } from './paddle-payment.ts';

const INVOICES_MAX = 3;

export async function paddleReceipts(
  api: PaddleApi,
  payment: PaddlePayment,
  signal: AbortSignal,
): Promise<readonly Receipt[]> {
  const { checkout, running } = payment;
  const transactions = (running?.transactions ?? [checkout]).filter(isCharge);
  return Promise.all(
    transactions.slice(0, RECEIPTS_MAX).map(async (transaction, index) => {
      const url = index < INVOICES_MAX ? await invoiceOf(api, transaction, signal) : null;
      return receiptOf(transaction, payment, url);
    }),
  );
}

/** A change of the card is a transaction over zero. */
function isCharge(transaction: Transaction): boolean {
  const { status } = transaction;
  const isAsked = status !== 'draft' && status !== 'ready' && status !== 'canceled';
  return isAsked && totalOf(transaction) > 0;
}

function receiptOf(transaction: Transaction, payment: PaddlePayment, url: string | null): Receipt {
  const taken = takenBackOf(transaction, payment.adjustments);
  const tax = transaction.details?.totals?.grandTotalTax;
  const totalMinor = totalOf(transaction);
  return {
    id: transaction.id,
    at: instantOf('transaction.created_at', transaction.billedAt ?? transaction.createdAt),
    totalMinor,
    taxMinor: tax === undefined || tax === null ? null : minorOf('grand_total_tax', tax),
    refundedMinor: Math.min(taken.refundedMinor, totalMinor),
    currency: transaction.currencyCode,
    state: isAllRefunded(transaction, taken) ? 'refunded' : stateOf(transaction),
    url,
  };
}

function stateOf({ status }: Transaction): Receipt['state'] {
  switch (status) {
    case 'paid':
    case 'completed':
      return 'paid';
    case 'past_due':
      return 'failed';
    case 'draft':
    case 'ready':
    case 'billed':
    case 'canceled':
      return 'open';
    default:
      throw fieldFault('transaction.status', status satisfies never);
  }
}

async function invoiceOf(api: PaddleApi, { id, status }: Transaction, signal: AbortSignal) {
  if (status !== 'completed' && status !== 'billed') return null;
  try {
    const { url } = await api.ask('make an invoice', signal, (paddle) =>
      paddle.transactions.getInvoicePDF(id, { disposition: 'inline' }),
    );
    return isSecure(url) ? url : null;
  } catch (error) {
    // A receipt without its PDF is better than none.
    if (error instanceof PaddleRefusal) return null;
    throw error;
  }
}

function isSecure(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && new URL(url).protocol === 'https:';
}
