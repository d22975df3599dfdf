/** Reads Paddle's responses: a field that is missing or malformed is an `UpstreamError` that names it. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { UpstreamError } from '../payment-provider.ts';

/** `2026-11-16T11:30:00.123456Z`. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const AMOUNT = /^\d{1,15}$/;

export const TRANSACTION_ID = /^txn_[a-z\d]{26}$/;
export const SUBSCRIPTION_ID = /^sub_[a-z\d]{26}$/;
export const ADJUSTMENT_ID = /^adj_[a-z\d]{26}$/;
export const CUSTOMER_ID = /^ctm_[a-z\d]{26}$/;

export function instantOf(field: string, value: unknown): EpochNs {
  const ms = typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms) || ms < 0) throw fieldFault(field, value);
  return (BigInt(ms) * MS_NS_BIG) as EpochNs;
}

/** Paddle's amounts are text, in the currency's smallest unit. */
export function minorOf(field: string, value: unknown): number {
  if (typeof value !== 'string' || !AMOUNT.test(value)) throw fieldFault(field, value);
  return Number(value);
}

export function idOf(field: string, value: unknown, form: RegExp): string {
  if (typeof value !== 'string' || !form.test(value)) throw fieldFault(field, value);
  return value;
}

/** Includes the value only if it is a word that Paddle chose, such as a status; never a buyer's input. */
export function fieldFault(field: string, value: unknown): UpstreamError {
  if (value === undefined || value === null) return new UpstreamError(`paddle left out ${field}`);
  const isWord = typeof value === 'string' && /^[a-z_]{1,40}$/.test(value);
  return new UpstreamError(
    isWord
      ? `paddle sent ${value} as ${field}, which is not known here`
      : `paddle sent a ${field} that cannot be read`,
  );
}

export function paddleTime(instant: EpochNs): string {
  return new Date(Number(instant / MS_NS_BIG)).toISOString();
}
