/**
 * The payment page of the provider `test`, at `/pay/test/<ref>`: the purchase, its price, and a button for every
 * possible outcome. Below it are the receipts and the card's page. The address grants access, so it cannot be guessed.
 * A button pressed twice acts once, and a page revisited by the back button shows the present state.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { escapeHtml } from '../pages/page-document.ts';
import type { PageAnswer, PageRequest, PageRoute } from '../pages/page-route.ts';
import { CARD_PAGE, cardPage, RECEIPT_PAGES, receiptPage } from './customer-pages.ts';
import { type Content, countryText, dayText, moneyText, over, page } from './page-content.ts';
import { BUYER_CHANGES, type BuyerChange, monthsAfter, type TestPayment } from './test-payment.ts';
import type { TestPayments } from './test-payments.ts';
import { PAYMENT_PAGES } from './test-provider.ts';

const REFRESH_S = 2;
const REF = /^pay_[0-9a-f]{32}$/;
const REF_LENGTH = 36;

export function paymentPages(payments: TestPayments): PageRoute {
  return {
    below: PAYMENT_PAGES,
    takesForms: true,
    handle: (request) => answer(payments, request),
  };
}

async function answer(payments: TestPayments, request: PageRequest): Promise<PageAnswer> {
  const below = request.path.slice(PAYMENT_PAGES.length);
  const ref = below.slice(0, REF_LENGTH);
  const rest = below.slice(REF_LENGTH);
  const payment = REF.test(ref) ? payments.find(ref) : null;
  if (payment === null) return page(request, UNKNOWN);
  if (payments.reach !== 'up') return page(request, DOWN);
  if (rest === CARD_PAGE) return cardPage(request, payments, payment);
  if (rest.startsWith(RECEIPT_PAGES)) {
    return receiptPage(request, payment, rest.slice(RECEIPT_PAGES.length));
  }
  if (rest !== '') return page(request, UNKNOWN);
  if (request.method === 'GET') return page(request, shown(payment, payments.clock.now()));
  const action = request.form.get('action') ?? '';
  if (!Object.hasOwn(BUYER_CHANGES, action)) return page(request, NO_SUCH_BUTTON);
  // A buyer's change is never rejected.
  const after = (await payments.change(ref, BUYER_CHANGES[action as BuyerChange])) as TestPayment;
  return { seeOther: nextOf(after, request.path) };
}

/** The buyer's next page: away when the payment is decided, else the same page. */
function nextOf({ state, confirmAt, returnUrl, backUrl }: TestPayment, here: string): string {
  if (state === 'failed') return backUrl;
  return state === 'open' && confirmAt === null ? here : returnUrl;
}

function shown(payment: TestPayment, now: EpochNs): Content {
  const { state, confirmAt, returnUrl, backUrl } = payment;
  if (state === 'open') return confirmAt === null ? asked(payment, now) : waiting(payment);
  if (state === 'failed') {
    const text = 'This checkout is closed. Nothing was charged.';
    return over('Checkout closed', text, 'Back to the plans', backUrl);
  }
  const text = `${priceText(payment)} for ${payment.offerName} was paid. It is paid once only.`;
  return over('Already paid', text, 'Back to your orders', returnUrl);
}

function asked(payment: TestPayment, now: EpochNs): Content {
  const { offerName, kind } = payment;
  const price = escapeHtml(priceText(payment));
  const isMonthly = kind === 'subscription';
  const name = escapeHtml(offerName);
  const next = dayText(monthsAfter(now, 1));
  const terms = isMonthly
    ? `${price} again on ${next} and every month after it, until you cancel.`
    : 'Paid once, for life.';
  const notice = payment.isDeclined
    ? '<p class="notice danger" role="alert"><span><b>Your card was declined.</b> <span class="muted">Nothing was charged. Try again, or cancel.</span></span></p>\n'
    : '';
  return {
    title: `Pay for ${offerName}`,
    body: `${notice}<section class="card">
<div class="card-head"><h1>Pay for <bdi>${name}</bdi></h1><span class="badge warn">Test, no money moves</span></div>
<div class="card-body">
<div class="sum-row"><span><bdi>${name}</bdi>, ${isMonthly ? 'monthly' : 'once'}</span><span>${price}</span></div>
<div class="sum-row muted"><span>Billing country</span><span>${escapeHtml(countryText(payment.country))}</span></div>
<div class="sum-row total"><span>Due today</span><span>${price}</span></div>
<p class="small muted">${terms}</p>
<form method="post" class="pay-acts">
<button class="btn primary lg block" name="action" value="pay">Order and pay ${price}${isMonthly ? ' a month' : ''}</button>
<button class="btn secondary block" name="action" value="slow">Order and pay, confirmed after 20 s</button>
<button class="btn secondary block" name="action" value="decline">Let the card be declined</button>
<button class="btn ghost block" name="action" value="cancel">Cancel and go back</button>
</form>
</div>
</section>`,
  };
}

function waiting({ returnUrl }: TestPayment): Content {
  const text = 'The bank confirms this payment in less than 20 seconds. You need not wait here.';
  const content = over('Waiting for the bank', text, 'Back to your orders', returnUrl);
  return { ...content, refreshSeconds: REFRESH_S };
}

const UNKNOWN: Content = {
  ...over('No such payment', 'This address belongs to no payment.', 'Plans', '/plans'),
  status: 404,
};
const DOWN: Content = {
  ...over(
    'Payments are not available',
    'The provider does not answer. Nothing was charged.',
    'Back to your orders',
    '/orders',
  ),
  status: 503,
};
const NO_SUCH_BUTTON: Content = {
  ...over('Nothing was done', 'The form had no button of this page.', 'Plans', '/plans'),
  status: 400,
};

function priceText({ amountMinor, currency }: TestPayment): string {
  return moneyText(amountMinor, currency);
}
