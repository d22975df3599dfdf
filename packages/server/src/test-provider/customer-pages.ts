/**
 * A customer's pages at the provider `test` after paying: a printable receipt for each charge, and the page where a
 * subscription's card is changed. A working card pays a declined renewal at once.
 */

import { escapeHtml } from '../pages/page-document.ts';
import type { PageAnswer, PageRequest } from '../pages/page-route.ts';
import {
  type Content,
  countryText,
  dayText,
  moneyText,
  over,
  page,
  sumRow,
} from './page-content.ts';
import { CARD_CHANGES, type CardChange, isRunning, type TestPayment } from './test-payment.ts';
import type { TestPayments } from './test-payments.ts';

/** Below the payment page. */
export const CARD_PAGE = '/card';
export const RECEIPT_PAGES = '/receipts/';
const BILLING = '/orders';

export function receiptPage(request: PageRequest, payment: TestPayment, id: string): PageAnswer {
  const charge = payment.charges.find((one) => one.id === id && !one.isFailed);
  if (charge === undefined || request.method !== 'GET') return page(request, NO_RECEIPT);
  const { offerName, kind, currency, country, orderId } = payment;
  const money = (amountMinor: number) => moneyText(amountMinor, currency);
  const refunded =
    charge.refundedMinor === 0 ? '' : sumRow('Refunded', money(charge.refundedMinor));
  return page(request, {
    title: `Receipt ${id}`,
    body: `<section class="card">
<div class="card-head"><h1>Receipt</h1><span class="badge warn">Test, no money moved</span></div>
<div class="card-body">
${sumRow('Number', id)}
${sumRow('Paid on', dayText(charge.at))}
${sumRow('Order', orderId)}
${billedRows(payment)}${sumRow('Billing country', countryText(country))}
${sumRow(`${offerName}, ${kind === 'subscription' ? 'one month' : 'once, for life'}`, money(charge.totalMinor), '')}
${sumRow('Tax included', money(0))}
${refunded}
${sumRow('Total paid', money(charge.totalMinor - charge.refundedMinor), 'total')}
<div class="no-print"><a class="btn secondary block" href="${BILLING}">Back to Billing</a></div>
</div>
</section>`,
  });
}

/** The billing details, if the buyer entered any, one row per line. */
function billedRows({ billTo = null }: TestPayment): string {
  if (billTo === null) return '';
  const lines = [billTo.name, ...billTo.address.split('\n')].filter((line) => line !== '');
  const rows = lines.map((line, index) => sumRow(index === 0 ? 'Billed to' : '', line));
  if (billTo.taxId !== null) rows.push(sumRow('Tax id', billTo.taxId));
  return `${rows.join('\n')}\n`;
}

export async function cardPage(
  request: PageRequest,
  payments: TestPayments,
  payment: TestPayment,
): Promise<PageAnswer> {
  if (payment.kind !== 'subscription' || !isRunning(payment)) return page(request, NO_CARD);
  if (request.method === 'GET') return page(request, cardContent(payment));
  const action = request.form.get('action') ?? '';
  if (!Object.hasOwn(CARD_CHANGES, action)) return page(request, NO_SUCH_BUTTON);
  await payments.change(payment.ref, CARD_CHANGES[action as CardChange]);
  return { seeOther: request.path };
}

function cardContent(payment: TestPayment): Content {
  const { offerName, isCardBroken, state, amountMinor, currency } = payment;
  const isOverdue = state === 'past_due';
  const price = moneyText(amountMinor, currency);
  const next = payment.paidUntil === null ? '' : ` on ${dayText(payment.paidUntil)}`;
  const says = isOverdue
    ? `The last renewal was declined. A card that works pays ${price} at once.`
    : isCardBroken
      ? `The card on file will be declined at the next renewal${next}.`
      : `The card on file works. ${state === 'cancelled' ? 'Nothing is charged again.' : `It is charged again${next}.`}`;
  return {
    title: `Card for ${offerName}`,
    body: `<section class="card">
<div class="card-head"><h1>Card for <bdi>${escapeHtml(offerName)}</bdi></h1><span class="badge warn">Test, no money moves</span></div>
<div class="card-body">
<p>${escapeHtml(says)}</p>
<form method="post" class="pay-acts">
<button class="btn primary lg block" name="action" value="works">Use a card that works</button>
<button class="btn secondary block" name="action" value="declines">Use a card that will be declined</button>
<a class="btn ghost block" href="${BILLING}">Back to Billing</a>
</form>
</div>
</section>`,
  };
}

const NO_RECEIPT: Content = {
  ...over('No such receipt', 'This address belongs to no receipt.', 'Billing', BILLING),
  status: 404,
};
const NO_CARD: Content = {
  ...over('No card is charged', 'Nothing more is charged for this order.', 'Billing', BILLING),
  status: 404,
};
const NO_SUCH_BUTTON: Content = {
  ...over('Nothing was done', 'The form had no button of this page.', 'Billing', BILLING),
  status: 400,
};
