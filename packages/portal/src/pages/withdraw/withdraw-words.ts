/** Withdrawals in words: the possible ones, their effects, and their results. */

import type { PortalError } from '../../api/portal-error.ts';
import type { OrderView } from '../../api/portal-shapes.ts';
import { moneyText } from '../../components/number-text.ts';
import { dayText, millisecondsOf } from '../../components/time-text.ts';

/** The button's label; null: not offered. An unpaid order is given up instead, which is quicker and enough. */
export function withdrawWord(order: Pick<OrderView, 'withdrawal' | 'state'>): string | null {
  const { withdrawal } = order;
  if (withdrawal === null || isUnpaid(order)) return null;
  return `Withdraw from contract, until ${lastDay(withdrawal.until)}`;
}

/** Unpaid, or not confirmed by the bank yet. */
export function isUnpaid({ state }: Pick<OrderView, 'state'>): boolean {
  return state === 'open';
}

/** The right ends when its last day is over everywhere, twelve hours after its end in UTC. */
const HALF_DAY_MS = 12 * 3_600_000;

export function lastDay(until: string): string {
  return dayText(millisecondsOf(until) - HALF_DAY_MS - 1);
}

/** `€79.00 a month, tax included` */
export function priceSentence(
  order: Pick<OrderView, 'amountMinor' | 'currency' | 'interval' | 'taxIncluded'>,
): string {
  const every = order.interval === null ? 'once' : 'a month';
  const tax = order.taxIncluded ? 'tax included' : 'plus tax';
  return `${moneyText(order.amountMinor, order.currency)} ${every}, ${tax}`;
}

export function effectText(order: OrderView, name: string): readonly string[] {
  const amount = order.withdrawal?.amountMinor ?? 0;
  if (order.state === 'open') {
    return [
      `The order for ${name} ends, and its payment page closes.`,
      'If a payment is already on its way, you get all of it back.',
    ];
  }
  return [
    `${name} ends at once, on open connections too. Keys, usage and your other purchases stay.`,
    moneyBackText(order, amount),
    'Nothing more is charged for it.',
  ];
}

function moneyBackText(order: OrderView, amountMinor: number): string {
  if (amountMinor === 0) return 'The period you paid for is over, so there is nothing to refund.';
  const money = moneyText(amountMinor, order.currency);
  const tax = order.taxIncluded ? '' : ' and the tax on it';
  const of = moneyText(order.amountMinor, order.currency);
  return amountMinor < order.amountMinor
    ? `You get ${money} of ${of}${tax} back the way you paid: the part for the time still to come, as of now.`
    : `You get ${money}${tax} back the way you paid.`;
}

export function withdrawnText({ withdrawn, currency }: OrderView): string | null {
  if (withdrawn === null) return null;
  const { amountMinor, state } = withdrawn;
  const money = moneyText(amountMinor, currency);
  if (state === 'done') {
    return amountMinor === 0 ? 'All is settled.' : `${money} was refunded the way you paid.`;
  }
  if (amountMinor === 0) return 'We inform the payment provider that the contract has ended.';
  if (state === 'pending') return `${money} is being refunded by the payment provider.`;
  if (state === 'by_hand') return `${money} is being refunded; we do it by hand.`;
  return `${money} is being refunded; we have requested it from the payment provider.`;
}

export const NAME_FAULT =
  'This name cannot be used. Use letters, spaces and common marks, at most 200 characters; or leave it empty.';

/** Why a declaration failed, or a contract cannot be shown, and what to do: our own words for any service error. */
export function withdrawFailure({ code, status }: Pick<PortalError, 'code' | 'status'>): string {
  if (code === 'UNREACHABLE')
    return 'The service did not respond. Check your connection and try again.';
  if (status === 404 || status === 400)
    return 'This account has no such order. Choose one under Billing.';
  if (code === 'CONFLICT')
    return 'You can no longer withdraw from this contract. Billing shows its state.';
  if (code === 'RATE_LIMITED') return 'There were too many requests. Try again in a minute.';
  return 'The service failed. Try again; if it fails again, declare your withdrawal by e-mail. The address is in the imprint.';
}

/** Why a running order has no right of withdrawal. */
export function noRightText(order: OrderView, name: string): string {
  return order.interval === null
    ? `For ${name} the right of withdrawal ended when access was provided, as you agreed when you ordered.`
    : `For ${name} the time for withdrawing is over. You can cancel it under Billing; it then ends with the month you paid for.`;
}
