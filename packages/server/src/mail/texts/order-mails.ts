/** Mails about orders. The buyer keeps the confirmation: it has the order, the price and the accepted text. */

import type { EndCause } from '@tapeloom/core/entitlement/payment-news';
import type { EpochNs } from '@tapeloom/core/numbers';
import { shownText } from '@tapeloom/core/person/plain-text';
import type { MailText } from '../mailer.ts';
import { mailText } from './mail-text.ts';
import { momentText, moneyText } from './mail-values.ts';

export interface ConfirmedOrder {
  readonly orderId: string;
  /** The public name: `Live`. */
  readonly offer: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly taxIncluded: boolean;
  readonly interval: 'month' | null;
  readonly paidAt: EpochNs;
  readonly billTo: BilledTo | null;
  /** Null: paid for good. */
  readonly paidUntil: EpochNs | null;
  readonly waiver: {
    readonly version: string;
    readonly text: string;
    readonly acceptedAt: EpochNs;
  };
  readonly ordersLink: string;
}

export interface BilledTo {
  readonly name: string;
  readonly address: string;
  readonly taxId: string | null;
}

export function orderConfirmedMail(order: ConfirmedOrder): MailText {
  const price = moneyText(order.amountMinor, order.currency);
  const every = order.interval === null ? 'once' : `a ${order.interval}`;
  const tax = order.taxIncluded ? 'tax included' : 'plus tax';
  const offer = shownText(order.offer);
  const version = shownText(order.waiver.version);
  return mailText({
    subject: 'Your Tapeloom order is confirmed',
    heading: `${offer} is active`,
    lead: ['Your payment arrived. Your rights are active, on open connections too.'],
    facts: [
      ['Order', shownText(order.orderId)],
      ['Offer', offer],
      ['Price', `${price} ${every}, ${tax}`],
      ...billedFacts(order.billTo),
      ['Paid', momentText(order.paidAt)],
      ...(order.paidUntil === null ? [] : ([['Paid until', momentText(order.paidUntil)]] as const)),
      ['Agreed to', `${momentText(order.waiver.acceptedAt)}, version ${version}`],
    ],
    action: { label: 'See your orders', link: order.ordersLink },
    document: {
      title: `What you agreed to (version ${version})`,
      text: order.waiver.text.split('\n').map(shownText).join('\n'),
    },
    closing: ['Keep this mail: it confirms the contract and what you agreed to.'],
  });
}

/** The common fields of mails about a running or ended order. */
export interface OrderMail {
  readonly orderId: string;
  readonly offer: string;
  readonly ordersLink: string;
}

/** The newest charge, as its provider lists it. */
export interface ChargedReceipt {
  readonly at: EpochNs;
  readonly totalMinor: number;
  readonly taxMinor: number | null;
  readonly currency: string;
  readonly url: string | null;
}

export function paymentFailedMail({
  orderId,
  offer,
  failedAt,
  endsAt,
  ordersLink,
}: OrderMail & {
  readonly failedAt: EpochNs;
  /** When the rights end without a payment. */
  readonly endsAt: EpochNs;
}): MailText {
  const what = shownText(offer);
  return mailText({
    subject: 'Your renewal was declined',
    heading: 'Your renewal was declined',
    lead: [
      `The payment for ${what} failed on ${momentText(failedAt)}. We try again automatically.`,
      `${what} stays active until ${momentText(endsAt)}. If your card has expired or was replaced, update it before then.`,
    ],
    facts: [['Order', shownText(orderId)]],
    action: { label: 'Update your card', link: ordersLink },
    closing: ['If you have already paid, there is nothing to do.'],
  });
}

export function orderCancelledMail(order: OrderMail & { readonly endsAt: EpochNs }): MailText {
  const what = shownText(order.offer);
  return mailText({
    subject: 'Your subscription is cancelled',
    heading: `${what} is cancelled`,
    lead: [
      `${what} stays active until ${momentText(order.endsAt)}. Nothing is charged again.`,
      'You can undo the cancellation until then.',
    ],
    facts: [
      ['Order', shownText(order.orderId)],
      ['Ends', momentText(order.endsAt)],
    ],
    action: { label: 'See your orders', link: order.ordersLink },
    closing: [
      'If this was not you, undo the cancellation, and sign out everywhere else under Account.',
    ],
  });
}

export function orderRenewedMail(
  order: OrderMail &
    Pick<ConfirmedOrder, 'amountMinor' | 'currency' | 'taxIncluded' | 'billTo'> & {
      readonly paidUntil: EpochNs;
      /** Null: the provider failed, or lists none. */
      readonly receipt: ChargedReceipt | null;
    },
): MailText {
  const what = shownText(order.offer);
  const { receipt } = order;
  const price = moneyText(order.amountMinor, order.currency);
  const tax = order.taxIncluded ? 'tax included' : 'plus tax';
  const hasReceiptPage = receipt !== null && receipt.url !== null;
  return mailText({
    subject: 'Your subscription is renewed',
    heading: `${what} is renewed`,
    lead: [`Your payment arrived. ${what} is paid until ${momentText(order.paidUntil)}.`],
    facts: [
      ['Order', shownText(order.orderId)],
      ['Offer', what],
      ['Price', `${price} a month, ${tax}`],
      ...billedFacts(order.billTo),
      ...(receipt === null ? [] : chargeFacts(receipt)),
      ['Paid until', momentText(order.paidUntil)],
    ],
    action: {
      label: hasReceiptPage ? 'Open the receipt' : 'See your receipts',
      link: hasReceiptPage ? receipt.url! : order.ordersLink,
    },
    closing: ['All receipts are under Billing.'],
  });
}

function billedFacts(billTo: BilledTo | null): readonly (readonly [string, string])[] {
  if (billTo === null) return [];
  const { name, address, taxId } = billTo;
  const lines = [name, ...address.split('\n')].map(shownText).filter((line) => line !== '');
  return [
    ['Billed to', lines.join(', ')],
    ...(taxId === null ? [] : [['Tax id', shownText(taxId)] as const]),
  ];
}

function chargeFacts({ at, totalMinor, taxMinor, currency }: ChargedReceipt) {
  const total = moneyText(totalMinor, currency);
  const tax = taxMinor === null ? '' : `, of which ${moneyText(taxMinor, currency)} is tax`;
  return [
    ['Charged', `${total}${tax}`],
    ['Charged on', momentText(at)],
  ] as const;
}

const ENDED: Readonly<Record<EndCause, { readonly subject: string; readonly why: string }>> = {
  refunded: {
    subject: 'Your order was refunded and has ended',
    why: 'The payment was refunded.',
  },
  disputed: {
    subject: 'Your order has ended: its payment is disputed',
    why: 'Your bank disputed or reversed the payment. If the dispute is resolved in our favour, your rights return.',
  },
  over: {
    subject: 'Your order has ended',
    why: 'Its subscription or payment ended at the payment provider. Nothing is charged again.',
  },
};

export function orderEndedMail(
  order: OrderMail & { readonly endedAt: EpochNs; readonly cause: EndCause },
): MailText {
  const what = shownText(order.offer);
  const { subject, why } = ENDED[order.cause];
  return mailText({
    subject,
    heading: `${what} has ended`,
    lead: [
      why,
      `Since ${momentText(order.endedAt)} your account no longer has ${what}. Your keys stay, with the rights of your present plan.`,
    ],
    facts: [['Order', shownText(order.orderId)]],
    action: { label: 'See your orders', link: order.ordersLink },
    closing: ['You can buy it again at any time.'],
  });
}
