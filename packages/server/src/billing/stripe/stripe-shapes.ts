/**
 * What Stripe answers, read with care: its SDK's types are promises that the wire need not keep. A field that is missing,
 * or has a value that we do not know, is an `UpstreamError` with its name, so that nobody gets rights by a guess.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type Stripe from 'stripe';
import { UpstreamError } from '../payment-provider.ts';

/** Our names in Stripe's `metadata`. */
export const ORDER_FIELD = 'tapeloom_order';
export const ACCOUNT_FIELD = 'tapeloom_account';
export const REFUND_FIELD = 'tapeloom_refund';

export function unknownValue(field: string, value: unknown): UpstreamError {
  const said = value === undefined ? 'nothing' : JSON.stringify(value);
  return new UpstreamError(`stripe says ${said} as ${field}, which is not known here`);
}

/** Stripe counts in seconds. */
export function instantOf(seconds: unknown, field: string): EpochNs {
  if (!Number.isSafeInteger(seconds) || (seconds as number) < 0) throw unknownValue(field, seconds);
  return (BigInt(seconds as number) * SECOND_NS_BIG) as EpochNs;
}

export function secondsOf(instant: EpochNs): number {
  return Number(instant / SECOND_NS_BIG);
}

export function booleanOf(value: unknown, field: string): boolean {
  if (typeof value !== 'boolean') throw unknownValue(field, value);
  return value;
}

/** An amount in the currency's minor unit. */
export function amountOf(value: unknown, field: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw unknownValue(field, value);
  return value as number;
}

/** ISO 4217 in capitals, as everywhere but at Stripe. */
export function currencyOf(value: unknown, field: string): string {
  if (typeof value !== 'string' || !/^[a-z]{3}$/.test(value)) throw unknownValue(field, value);
  return value.toUpperCase();
}

/** What was asked for as an object, and not as its name. */
export function expanded<Found extends { readonly id: string }>(
  value: string | Found | null | undefined,
  field: string,
): Found | null {
  if (value === undefined || typeof value === 'string') throw unknownValue(field, value);
  return value;
}

export function idOf(value: string | { readonly id: string } | null | undefined): string | null {
  return typeof value === 'string' ? value : (value?.id ?? null);
}

export function listOf<Item>(
  list: { readonly data: readonly Item[] } | null | undefined,
  field: string,
): readonly Item[] {
  if (!Array.isArray(list?.data)) throw unknownValue(field, list === null ? null : undefined);
  return list.data;
}

/** The order that a checkout is for; null: it is nothing of ours. */
export function orderOf(session: Stripe.Checkout.Session): string | null {
  const order = session.metadata?.[ORDER_FIELD];
  return typeof order === 'string' && order !== '' ? order : null;
}

/** The subscription that an invoice is for; null: it is for none. */
export function subscriptionOfInvoice(invoice: Stripe.Invoice): string | null {
  return idOf(invoice.parent?.subscription_details?.subscription);
}
