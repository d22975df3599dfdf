/** Renders orders and payment events as text and as JSON. */

import { paymentStateAt } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import type {
  ConsentRecord,
  OrderRecord,
  PaymentEventRecord,
} from '@tapeloom/server/accounts/orders/orders-store';
import { timeJson, timeText } from '../accounts/time-text.ts';
import { factsText, tableText } from '../table-text.ts';

export function orderJson(order: OrderRecord, now: EpochNs): Record<string, unknown> {
  return {
    id: order.id,
    accountId: order.accountId,
    offer: order.offer,
    kind: order.kind,
    state: paymentStateAt(order, now),
    providerState: order.state,
    amountMinor: order.amountMinor,
    currency: order.currency,
    country: order.country,
    provider: order.provider,
    ref: order.ref,
    waiverVersion: order.waiverVersion,
    createdAt: timeJson(order.createdAt),
    paidAt: timeJson(order.paidAt),
    paidUntil: timeJson(order.paidUntil),
    cancelAtPeriodEnd: order.cancelAtPeriodEnd,
    revision: order.revision,
    lookedAt: timeJson(order.lookedAt),
    lookAt: timeJson(order.lookAt),
    confirmedAt: timeJson(order.confirmedAt),
    writtenOffAt: timeJson(order.writtenOffAt),
    withdrawnAt: timeJson(order.withdrawnAt),
  };
}

export function eventJson(event: PaymentEventRecord): Record<string, unknown> {
  return {
    id: event.id,
    provider: event.provider,
    ref: event.objectRef,
    state: event.state,
    at: timeJson(event.at),
    receivedAt: timeJson(event.receivedAt),
    attempts: event.attempts,
    tryAt: timeJson(event.tryAt),
    fault: event.fault,
  };
}

export function consentJson(consent: ConsentRecord): Record<string, unknown> {
  const { waiverVersion, textSha256, address, at } = consent;
  return { waiverVersion, textSha256, address, at: timeJson(at) };
}

/** `names`: account names by account id. */
export function ordersTable(
  orders: readonly OrderRecord[],
  names: ReadonlyMap<string, string>,
  now: EpochNs,
): string {
  return tableText(
    [
      { title: 'order' },
      { title: 'account' },
      { title: 'offer' },
      { title: 'state' },
      { title: 'price', isNumber: true },
      { title: 'provider' },
      { title: 'placed' },
      { title: 'paid until' },
    ],
    orders.map((order) => [
      order.id,
      names.get(order.accountId) ?? order.accountId,
      order.offer,
      order.withdrawnAt === null ? paymentStateAt(order, now) : 'withdrawn',
      priceText(order),
      order.provider,
      timeText(order.createdAt),
      order.paidUntil === null ? '-' : timeText(order.paidUntil),
    ]),
  );
}

export function orderFacts(
  order: OrderRecord,
  consent: ConsentRecord | null,
  account: string,
  now: EpochNs,
): string {
  const state = paymentStateAt(order, now);
  const when = (instant: EpochNs | null) => (instant === null ? '-' : timeText(instant));
  return factsText([
    ['order', order.id],
    ['account', account],
    ['offer', `${order.offer}, a ${order.kind} that grants ${order.grants.join(' and ')}`],
    ['state', state === order.state ? state : `${state} (${order.provider} says ${order.state})`],
    ['price', `${priceText(order)}${order.kind === 'subscription' ? ' a month' : ''}`],
    ['country', order.country],
    ['provider', `${order.provider}, ${order.ref}`],
    ['placed', when(order.createdAt)],
    ['paid', when(order.paidAt)],
    ['paid until', when(order.paidUntil)],
    ['renews', renewsText(order)],
    ['revision', order.revision < 0 ? 'nothing received yet' : String(order.revision)],
    ['last checked', when(order.lookedAt)],
    ['next check', when(order.lookAt)],
    ['confirmed', order.confirmedAt === null ? 'no mail yet' : `mailed ${when(order.confirmedAt)}`],
    ...(order.writtenOffAt === null
      ? []
      : ([['written off', when(order.writtenOffAt)]] as [string, string][])),
    ...consentFacts(consent),
  ]);
}

export function eventsTable(events: readonly PaymentEventRecord[]): string {
  return tableText(
    [
      { title: 'event' },
      { title: 'received' },
      { title: 'state' },
      { title: 'attempts', isNumber: true },
      { title: 'fault' },
    ],
    events.map(({ id, receivedAt, state, attempts, fault }) => [
      id,
      timeText(receivedAt),
      state,
      String(attempts),
      fault ?? '-',
    ]),
  );
}

function consentFacts(consent: ConsentRecord | null): [string, string][] {
  if (consent === null) return [];
  const { waiverVersion, at, address, textSha256 } = consent;
  return [
    ['waiver', `version ${waiverVersion}, accepted ${timeText(at)} from ${address}`],
    ['waiver text', `SHA-256 ${textSha256}`],
  ];
}

function renewsText({ kind, cancelAtPeriodEnd, state }: OrderRecord): string {
  if (kind === 'purchase') return 'never: it is paid once';
  if (cancelAtPeriodEnd || state === 'cancelled') return 'no, it was cancelled';
  return state === 'paid' || state === 'past_due' ? 'yes' : 'no';
}

export function priceText({
  amountMinor,
  currency,
}: Pick<OrderRecord, 'amountMinor' | 'currency'>): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.format(amountMinor / 10 ** currencyDigits(currency));
}

/** How many digits of an amount are parts of a unit: 2 of EUR, 0 of JPY. */
export function currencyDigits(currency: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}
