/** Orders in words: the state, and what comes next. */

import type { OrderView } from '../../api/portal-shapes.ts';
import { moneyText } from '../../components/number-text.ts';
import { dayOf } from '../../components/time-text.ts';
import type { Holding } from '../plans/holding.ts';

export interface StateWord {
  readonly word: string;
  readonly kind: 'ok' | 'warn' | 'danger' | 'plain';
}

const STATE_WORDS: Readonly<Record<OrderView['state'], StateWord>> = {
  open: { word: 'Not confirmed', kind: 'warn' },
  paid: { word: 'Paid', kind: 'ok' },
  past_due: { word: 'Renewal failed', kind: 'danger' },
  cancelled: { word: 'Cancelled', kind: 'plain' },
  ended: { word: 'Ended', kind: 'plain' },
  refunded: { word: 'Refunded', kind: 'plain' },
  disputed: { word: 'Disputed', kind: 'danger' },
  failed: { word: 'Not paid', kind: 'plain' },
};

export function stateWord({ state, withdrawn }: Pick<OrderView, 'state' | 'withdrawn'>): StateWord {
  return withdrawn === null ? STATE_WORDS[state] : { word: 'Withdrawn', kind: 'plain' };
}

/** For an order without the provider's confirmation, which does not tell whether it was paid. */
export function waitingWords(isGivenUp: boolean): {
  readonly title: string;
  readonly text: string;
} {
  return isGivenUp
    ? {
        title: 'The provider has not confirmed a payment yet.',
        text: 'With some banks it takes a day. You get an e-mail when it is confirmed.',
      }
    : {
        title: 'Waiting for the provider’s confirmation.',
        text: 'This page updates automatically.',
      };
}

/** What the account holds of an offer, and the next date. */
export function holdingSentence(name: string, holding: Holding): string {
  if (holding.by === 'gift') return `${name} is yours, without an end date.`;
  if (holding.by === 'trial')
    return `${name} is yours until ${dayOf(holding.until)}, at no charge.`;
  const { order, until } = holding;
  if (order.interval === null) {
    return `${name} is yours for life, since ${dayOf(order.paidAt ?? order.createdAt)}.`;
  }
  if (order.state === 'past_due') {
    return declinedSentence(name, order, until ?? order.endsAt);
  }
  if (order.state === 'cancelled') {
    return `${name} is cancelled and stays active until ${dayOf(order.paidUntil!)}. Nothing is charged again.`;
  }
  const price = moneyText(order.amountMinor, order.currency);
  const tax = order.taxIncluded ? 'tax included' : 'plus tax';
  return `${name} renews on ${dayOf(order.paidUntil!)} for ${price} a month, ${tax}.`;
}

/** A declined renewal, and until when the rights last. */
export function declinedSentence(
  name: string,
  { paidUntil }: Pick<OrderView, 'paidUntil'>,
  last: string | null,
): string {
  const end = last === null ? '' : ` ${name} stays active until ${dayOf(last)}.`;
  return `The renewal of ${name} was declined on ${dayOf(paidUntil!)}.${end}`;
}

/** The cancel button's label; null: there is nothing to cancel. */
export function cancelWord(order: OrderView, name: string): string | null {
  if (order.interval === null || order.state === 'cancelled') return null;
  return order.state === 'paid'
    ? `Cancel, active until ${dayOf(order.paidUntil!)}`
    : `Cancel ${name}`;
}

/** The question before cancelling. A failed renewal leaves no paid period. */
export function cancelText({ state, paidUntil }: OrderView, name: string): string {
  return state === 'past_due'
    ? `${name} ends now, because its renewal was not paid. Nothing more is charged.`
    : `${name} stays active until ${dayOf(paidUntil!)}. Nothing is charged after today.`;
}

export function cancelledText({ state, paidUntil }: OrderView, name: string): string {
  return state === 'cancelled'
    ? `${name} stays active until ${dayOf(paidUntil!)}.`
    : `${name} is off.`;
}

/** The label of the button that withdraws a cancellation; null: there is none. */
export function keepWord(order: OrderView, name: string): string | null {
  return order.state === 'cancelled' ? `Keep ${name} after ${dayOf(order.paidUntil!)}` : null;
}
