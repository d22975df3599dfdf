/**
 * The right of withdrawal from an order: until when it may be used, and what is given back. It is a function of the
 * terms the order was placed by, of what is known of its payment, and of the time. Where a rule leaves room, the
 * answer is the one that is better for the customer.
 */

import type { EpochNs } from '../numbers.ts';
import { DAY_NS_BIG, MS_NS_BIG } from '../units.ts';
import { addDays, dayOf, epochNs, isoWeekday } from '../utc-day.ts';
import type { Payment } from './payment.ts';

/** The terms of one price. They are kept with every order that is placed by them. */
export interface WithdrawalTerms {
  /** Whole days after the day of the contract; 0: there is no right. */
  readonly days: number;
  /** `access`: the right is lost as soon as access is provided, which is when it is paid. */
  readonly lostAt: 'access' | 'never';
  /** What comes back: `rest` of the period that is paid for, or `all` of what was paid for it. */
  readonly refund: 'rest' | 'all';
}

export const WITHDRAWAL_DAYS_MAX = 60;
const SATURDAY = 6;
const HALF_DAY_NS = 43_200_000_000_000;

export interface WithdrawableOrder extends Payment {
  readonly createdAt: EpochNs;
  /** Of a subscription for each month. */
  readonly amountMinor: number;
  readonly withdrawal: WithdrawalTerms;
  /** When it was withdrawn from. */
  readonly withdrawnAt: EpochNs | null;
}

/** The part of what was paid that comes back: `unusedNs` of `periodNs`. */
export interface Share {
  readonly unusedNs: bigint;
  readonly periodNs: bigint;
}

export type WithdrawalVerdict =
  | {
      readonly may: true;
      /** The first instant at which it may not be used any more. */
      readonly until: EpochNs;
      /** What comes back of the price. */
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
 * The days begin after the day of the contract, and a last day that is a Saturday or a Sunday is followed by the
 * Monday. Nobody's own last day is cut short, wherever it is: it is over when it is over everywhere on Earth.
 */
export function withdrawableUntil(
  order: Pick<WithdrawableOrder, 'createdAt' | 'paidAt' | 'withdrawal'>,
): EpochNs {
  let last = addDays(dayOf(order.paidAt ?? order.createdAt), order.withdrawal.days);
  while (isoWeekday(last) >= SATURDAY) last = addDays(last, 1);
  return epochNs(addDays(last, 1), HALF_DAY_NS);
}

/** What is still to come of the period that is paid for. Of what nobody has paid yet all would come back. */
function shareAt({ kind, paidAt, paidUntil, withdrawal }: WithdrawableOrder, now: EpochNs): Share {
  if (withdrawal.refund === 'all' || kind === 'purchase' || paidAt === null) return ALL;
  if (paidUntil === null) return ALL;
  const monthStart = monthBefore(paidUntil);
  const start = monthStart < paidAt ? paidAt : monthStart;
  return shareOf(start, paidUntil, now);
}

function shareOf(start: bigint, end: bigint, now: EpochNs): Share {
  // A period that is none was told wrongly: then everything comes back.
  if (end <= start || now <= start) return ALL;
  return { unusedNs: now < end ? end - now : 0n, periodNs: end - start };
}

/** What was charged, as the provider lists it. */
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
 * What of the newest charge comes back. The share that was told with the declaration holds, unless the charge is
 * one that was not known then: of one from after the declaration all comes back, of one from just before it the
 * rest of its month.
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

/** Rounded up: a part of a cent is the customer's. */
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
