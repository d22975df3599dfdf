/** Checks of a provider's answers: each function returns the fault as text, or null. */

import { PAYMENT_STATES } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG } from '@tapeloom/core/units';
import type { OrderTerms } from '../accounts/orders/orders-store.ts';
import { isLoopbackUrl } from '../config/public-address.ts';
import {
  type EventList,
  type ProviderObject,
  RECEIPT_STATES,
  RECEIPTS_MAX,
  type Receipt,
} from './payment-provider.ts';

/** A subscription's period is a month; no customer has paid for more than a year ahead. */
const PAID_AHEAD_NS_MAX = 400n * DAY_NS_BIG;
const REF_LENGTH_MAX = 255;
const URL_LENGTH_MAX = 2_048;
const CURRENCY = /^[A-Z]{3}$/;

/** The facts of an order against which a provider's answer is checked. */
export type Known = Pick<OrderTerms, 'id' | 'ref' | 'kind' | 'amountMinor' | 'currency'>;

export function refFault(ref: unknown): string | null {
  const isRef = typeof ref === 'string' && ref !== '' && ref.length <= REF_LENGTH_MAX;
  return isRef ? null : 'no usable reference';
}

/** A customer is sent to this page, so it needs TLS, unless it has our own origin (`ownUrl`). */
export function sentToFault(url: unknown, ownUrl: string): string | null {
  const fault = pageFault(url);
  if (fault !== null || new URL(url as string).origin === new URL(ownUrl).origin) return fault;
  return safePageFault(url as string);
}

function pageFault(url: unknown): string | null {
  const isUrl = typeof url === 'string' && url.length <= URL_LENGTH_MAX && URL.canParse(url);
  if (!isUrl) return 'no usable address';
  const { protocol, username } = new URL(url);
  if ((protocol !== 'https:' && protocol !== 'http:') || username !== '') {
    return 'an address that no buyer is sent to';
  }
  return null;
}

export function objectFault(object: ProviderObject, order: Known, now: EpochNs): string | null {
  const { ref, orderId, kind, state, paidAt, paidUntil, cancelAtPeriodEnd, revision } = object;
  if (ref !== order.ref) return 'that it is another one';
  if (orderId !== order.id) return 'that it belongs to another order';
  if (kind !== order.kind) return `that it is a ${kind}, and a ${order.kind} was ordered`;
  if (!PAYMENT_STATES.includes(state)) return 'a state that there is not';
  if (revision !== null && !isCount(revision)) return 'no revision';
  if (!isInstant(paidAt) || !isInstant(paidUntil)) return 'times that are none';
  if (typeof cancelAtPeriodEnd !== 'boolean') return 'not whether it renews';
  const fault = priceFault(object, order);
  if (fault !== null) return fault;
  const isPaid = state === 'paid' || state === 'past_due' || state === 'cancelled';
  if (!isPaid) return null;
  if (paidAt === null) return `that it is ${state}, and not since when`;
  if (kind !== 'subscription') return null;
  if (paidUntil === null) return `that it is ${state}, and not until when`;
  return paidUntil > now + PAID_AHEAD_NS_MAX ? 'that it is paid for years' : null;
}

/** Rights are granted only for the agreed price. */
function priceFault({ amountMinor, currency }: ProviderObject, order: Known): string | null {
  if (currency !== null && currency !== order.currency) {
    return `that its currency is ${currency}, and ${order.currency} was agreed on`;
  }
  if (amountMinor === null || amountMinor === order.amountMinor) return null;
  return `that it costs ${amountMinor}, and ${order.amountMinor} was agreed on`;
}

export function eventListFault({ events, nextFrom }: EventList, limit: number): string | null {
  if (!isInstant(nextFrom) || nextFrom === null) return 'no place to go on from';
  if (!Array.isArray(events) || events.length > limit) return 'more of them than were asked for';
  for (const { id, objectRef, at } of events) {
    if (refFault(id) !== null || refFault(objectRef) !== null) return 'names that are none';
    if (!isInstant(at) || at === null) return 'times that are none';
  }
  return null;
}

export function receiptsFault(receipts: readonly Receipt[], order: Known): string | null {
  if (!Array.isArray(receipts) || receipts.length > RECEIPTS_MAX) return 'too many of them';
  for (const receipt of receipts) {
    const fault = receiptFault(receipt, order);
    if (fault !== null) return fault;
  }
  return null;
}

function receiptFault(receipt: Receipt, order: Known): string | null {
  const { id, at, totalMinor, taxMinor, refundedMinor, currency, state, url } = receipt;
  if (refFault(id) !== null) return 'names that are none';
  if (!isInstant(at) || at === null) return 'times that are none';
  if (!isCount(totalMinor) || !isCount(refundedMinor) || refundedMinor > totalMinor) {
    return 'amounts that are none';
  }
  if (taxMinor !== null && (!isCount(taxMinor) || taxMinor > totalMinor)) return 'tax that is none';
  // A provider that is the seller itself may charge in the buyer's currency; it must be a valid code.
  if (!CURRENCY.test(currency)) return `the currency ${currency} for ${order.currency}`;
  if (!RECEIPT_STATES.includes(state)) return 'a state that there is not';
  return url === null ? null : safePageFault(url);
}

/** Amounts and names on the page need TLS. */
function safePageFault(url: string): string | null {
  const fault = pageFault(url);
  if (fault !== null) return fault;
  const isSafe = new URL(url).protocol === 'https:' || isLoopbackUrl(url);
  return isSafe ? null : 'an address without TLS';
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isInstant(value: unknown): boolean {
  return value === null || (typeof value === 'bigint' && value >= 0n);
}
