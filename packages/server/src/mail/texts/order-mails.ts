/** Mails about orders. The confirmation is what a buyer keeps: order, price, and the text that was agreed to. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { shownText } from '@tapeloom/core/person/plain-text';
import type { MailText } from '../mailer.ts';
import { mailText } from './mail-text.ts';
import { momentText, moneyText } from './mail-values.ts';

export interface ConfirmedOrder {
  readonly orderId: string;
  /** As people know it: `Live`. */
  readonly offer: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly taxIncluded: boolean;
  readonly interval: 'month' | null;
  readonly paidAt: EpochNs;
  /** Until when it is paid; null: for good. */
  readonly paidUntil: EpochNs | null;
  readonly waiver: {
    readonly version: string;
    readonly text: string;
    readonly acceptedAt: EpochNs;
  };
  /** The orders' page in the portal. */
  readonly ordersLink: string;
}

export function orderConfirmedMail(order: ConfirmedOrder): MailText {
  const price = moneyText(order.amountMinor, order.currency);
  const every = order.interval === null ? 'once' : `a ${order.interval}`;
  const tax = order.taxIncluded ? 'tax included' : 'plus tax';
  const offer = shownText(order.offer);
  const version = shownText(order.waiver.version);
  return mailText({
    subject: 'Your Tapeloom order is confirmed',
    heading: `${offer} is on`,
    lead: ['Your payment arrived, and the rights are there, on open connections too.'],
    facts: [
      ['Order', shownText(order.orderId)],
      ['What', offer],
      ['Price', `${price} ${every}, ${tax}`],
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

export function paymentFailedMail({
  offer,
  failedAt,
  endsAt,
  ordersLink,
}: {
  readonly offer: string;
  readonly failedAt: EpochNs;
  /** When the rights end if nothing is paid until then. */
  readonly endsAt: EpochNs;
  readonly ordersLink: string;
}): MailText {
  const what = shownText(offer);
  return mailText({
    subject: 'Your payment to Tapeloom failed',
    heading: 'Your payment failed',
    lead: [
      `The payment for ${what} failed on ${momentText(failedAt)}.`,
      `${what} stays on until ${momentText(endsAt)}. Pay until then and nothing changes.`,
    ],
    action: { label: 'Look at the order', link: ordersLink },
    closing: ['Already paid? Then there is nothing to do.'],
  });
}
