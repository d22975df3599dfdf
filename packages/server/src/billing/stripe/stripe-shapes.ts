/**
 * Checked reading of Stripe's responses: the SDK's types do not guarantee the actual data. A missing field or an
 * unknown value is an `UpstreamError` with the field's name, so no right is granted by a guess.
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
  return new UpstreamError(`stripe sent ${said} as ${field}, which is not known here`);
}

/** Stripe's times are in seconds. */
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

/** ISO 4217 in capitals; Stripe uses lower case. */
export function currencyOf(value: unknown, field: string): string {
  if (typeof value !== 'string' || !/^[a-z]{3}$/.test(value)) throw unknownValue(field, value);
  return value.toUpperCase();
}

/** A field that was requested as an object and not as an id. */
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

/** The order of a checkout; null: it is not ours. */
export function orderOf(session: Stripe.Checkout.Session): string | null {
  const order = session.metadata?.[ORDER_FIELD];
  return typeof order === 'string' && order !== '' ? order : null;
}

/** The subscription of an invoice; null: it has none. */
export function subscriptionOfInvoice(invoice: Stripe.Invoice): string | null {
  return idOf(invoice.parent?.subscription_details?.subscription);
}
