/**
 * The right of withdrawal from an order: its deadline and the refund. It depends on the terms of the order, on what is
 * known of its payment, and on the time. If a rule leaves room, the result favours the customer.
 */

import type { EpochNs } from '../numbers.ts';
import { DAY_NS_BIG, MS_NS_BIG } from '../units.ts';
import { addDays, dayOf, epochNs, isoWeekday } from '../utc-day.ts';
import type { Payment } from './payment.ts';

/** The terms of one price. They are stored with every order at that price. */
export interface WithdrawalTerms {
  /** Whole days after the day of the contract; 0: there is no right. */
  readonly days: number;
  /** `access`: the right ends when access is provided, which is when the order is paid. */
  readonly lostAt: 'access' | 'never';
  /** The refund: the `rest` of the paid period, or `all` that was paid for it. */
  readonly refund: 'rest' | 'all';
}

export const WITHDRAWAL_DAYS_MAX = 60;
const SATURDAY = 6;
const HALF_DAY_NS = 43_200_000_000_000;

export interface WithdrawableOrder extends Payment {
  readonly createdAt: EpochNs;
  /** Of a subscription: per month. */
  readonly amountMinor: number;
  readonly withdrawal: WithdrawalTerms;
  readonly withdrawnAt: EpochNs | null;
}

/** The refunded part of what was paid: `unusedNs` of `periodNs`. */
export interface Share {
  readonly unusedNs: bigint;
  readonly periodNs: bigint;
}

export type WithdrawalVerdict =
  | {
      readonly may: true;
      /** The first instant at which the right no longer exists. */
      readonly until: EpochNs;
      /** The refund of the price. */
      readonly amountMinor: number;
      readonly share: Share;
    }
  /** `over`: the days have passed. `lost`: access was provided. `ended`: nothing is left of the contract. */
  | { readonly may: false; readonly why: 'withdrawn' | 'no-right' | 'lost' | 'over' | 'ended' };

const ALL: Share = { unusedNs: 1n, periodNs: 1n };

export function judgeWithdrawal(order: WithdrawableOrder, now: EpochNs): WithdrawalVerdict {
  const { withdrawal: terms, state } = order;
  if (order.withdrawnAt !== null) return { may: false, why: 'withdrawn' };
  if (terms.days === 0) return { may: false, why: 'no-right' };
  const isRunning = state === 'paid' || state === 'past_due' || state === 'cancelled';
  if (!isRunning && state !== 'open') return { may: false, why: 'ended' };
  if (terms.lostAt === 'access' && isRunning) return { may: false, why: 'lost' };
  const until = withdrawableUntil(order);
  if (until <= now) return { may: false, why: 'over' };
  const share = shareAt(order, now);
  const amountMinor = isRunning ? partOf(order.amountMinor, share) : 0;
  return { may: true, until, amountMinor, share };
}

/**
 * The days start after the day of the contract. A last day on a Saturday or Sunday moves to the Monday. The deadline is
 * the end of the last day in the westernmost time zone, so no customer's last day is cut short.
 */
export function withdrawableUntil(
  order: Pick<WithdrawableOrder, 'createdAt' | 'paidAt' | 'withdrawal'>,
): EpochNs {
  let last = addDays(dayOf(order.paidAt ?? order.createdAt), order.withdrawal.days);
  while (isoWeekday(last) >= SATURDAY) last = addDays(last, 1);
  return epochNs(addDays(last, 1), HALF_DAY_NS);
}

/** The unused share of the paid period. Of an unpaid order everything would be refunded. */
function shareAt({ kind, paidAt, paidUntil, withdrawal }: WithdrawableOrder, now: EpochNs): Share {
  if (withdrawal.refund === 'all' || kind === 'purchase' || paidAt === null) return ALL;
  if (paidUntil === null) return ALL;
  const monthStart = monthBefore(paidUntil);
  const start = monthStart < paidAt ? paidAt : monthStart;
  return shareOf(start, paidUntil, now);
}

function shareOf(start: bigint, end: bigint, now: EpochNs): Share {
  // An empty period is an error in the data: then everything is refunded.
  if (end <= start || now <= start) return ALL;
  return { unusedNs: now < end ? end - now : 0n, periodNs: end - start };
}

export interface Charge {
  readonly at: EpochNs;
  /** With tax. */
  readonly totalMinor: number;
  readonly refundedMinor: number;
}

export interface Declared extends Share {
  readonly at: EpochNs;
}

/**
 * The refund of the newest charge. The share of the declaration applies, unless the charge was not known then. A charge
 * after the declaration is refunded in full; of one just before it, the rest of its month.
 */
export function refundOf(declared: Declared, charge: Charge, isMonthly: boolean): number {
  const left = Math.max(0, charge.totalMinor - charge.refundedMinor);
  return Math.min(left, partOf(charge.totalMinor, shareOfCharge(declared, charge, isMonthly)));
}

function shareOfCharge(declared: Declared, { at }: Charge, isMonthly: boolean): Share {
  if (declared.at < at) return ALL;
  const isKnown = declared.unusedNs > 0n || !isMonthly;
  return isKnown ? declared : shareOf(at, monthAfter(at), declared.at);
}

/** Rounded up, in favour of the customer. */
function partOf(amountMinor: number, { unusedNs, periodNs }: Share): number {
  return Number((BigInt(amountMinor) * unusedNs + periodNs - 1n) / periodNs);
}

function monthBefore(instant: EpochNs): EpochNs {
  return monthsFrom(instant, -1);
}

function monthAfter(instant: EpochNs): EpochNs {
  return monthsFrom(instant, 1);
}

/** The same day and time of another month, or that month's last day. */
function monthsFrom(instant: EpochNs, count: number): EpochNs {
  const day = dayOf(instant);
  const months = Math.trunc(day / 10_000) * 12 + (Math.trunc(day / 100) % 100) - 1 + count;
  const [year, month] = [Math.trunc(months / 12), months % 12];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const date = Date.UTC(year, month, Math.min(day % 100, lastDay));
  return (BigInt(date) * MS_NS_BIG + (instant % DAY_NS_BIG)) as EpochNs;
}
