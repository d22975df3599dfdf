/**
 * One payment at the provider `test`, as a record, and everything that can happen to it: what a buyer does on
 * the payment page, what we ask for, what time brings, and what an operator plays. Each change has a higher
 * revision and an event that tells of it. What cannot be done is refused in words, and changes nothing.
 */

import type { PaymentKind, PaymentState } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, MS_NS_BIG, SECOND_NS_BIG } from '@tapeloom/core/units';
import type { BillTo } from '../accounts/orders/orders-store.ts';

/** How long a slow confirmation takes. */
const SLOW_CONFIRMATION_NS = 20n * SECOND_NS_BIG;
/** A checkout that nobody paid is closed after a day. */
const CHECKOUT_NS = DAY_NS_BIG;
/** A renewal that failed is given up after two weeks. */
const PAST_DUE_NS = 14n * DAY_NS_BIG;
/** Played renewals go no further ahead. */
const PAID_AHEAD_NS_MAX = 330n * DAY_NS_BIG;
/** Events of one payment that nobody took; the newest tell as much as all. */
const EVENTS_MAX = 16;
const CHARGES_MAX = 24;
const REFUND_KEYS_MAX = 64;

/** Tells that a payment changed; it is sent again until somebody takes it. */
export interface TestEvent {
  readonly id: string;
  readonly at: EpochNs;
  readonly attempts: number;
  /** When it is sent, or sent again. */
  readonly sendAt: EpochNs;
}

/** One month, or the one price of a purchase. */
export interface TestCharge {
  readonly id: string;
  readonly at: EpochNs;
  readonly totalMinor: number;
  readonly refundedMinor: number;
  /** Whether the card was declined. */
  readonly isFailed: boolean;
}

export interface TestPayment {
  readonly ref: string;
  readonly orderId: string;
  readonly kind: PaymentKind;
  readonly offerName: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly country: string;
  /** Left out of what earlier versions kept. */
  readonly billTo?: BillTo | null;
  readonly returnUrl: string;
  readonly backUrl: string;
  readonly createdAt: EpochNs;
  readonly state: PaymentState;
  readonly paidAt: EpochNs | null;
  readonly paidUntil: EpochNs | null;
  readonly cancelAtPeriodEnd: boolean;
  readonly revision: number;
  /** When the bank says yes to who paid slowly. */
  readonly confirmAt: EpochNs | null;
  /** Whether the card was declined on the payment page. */
  readonly isDeclined: boolean;
  /** Whether renewals are declined. */
  readonly isCardBroken: boolean;
  /** What it was before the dispute. */
  readonly beforeDispute: PaymentState | null;
  readonly events: readonly TestEvent[];
  /** The newest events, taken or not: whoever missed some asks for them. */
  readonly told: readonly Pick<TestEvent, 'id' | 'at'>[];
  /** The oldest first. */
  readonly charges: readonly TestCharge[];
  /** The keys of refunds that were made. */
  readonly refundKeys: readonly string[];
}

/** The payment after it, the same one if there is nothing to do, or why it cannot be done. */
export type Changed = TestPayment | { readonly refused: string };
/** `eventId` is for the event that tells of the change. */
export type Change = (payment: TestPayment, now: EpochNs, eventId: string) => Changed;

export type NewTestPayment = Pick<
  TestPayment,
  | 'ref'
  | 'orderId'
  | 'kind'
  | 'offerName'
  | 'amountMinor'
  | 'currency'
  | 'country'
  | 'returnUrl'
  | 'backUrl'
>;

export function newTestPayment(terms: NewTestPayment, now: EpochNs): TestPayment {
  return {
    ...terms,
    createdAt: now,
    state: 'open',
    paidAt: null,
    paidUntil: null,
    cancelAtPeriodEnd: false,
    revision: 0,
    confirmAt: null,
    isDeclined: false,
    isCardBroken: false,
    beforeDispute: null,
    events: [],
    ...EMPTY,
  };
}

/** What payments have none of at first, nor those of earlier versions. */
export const EMPTY = {
  told: [],
  charges: [],
  refundKeys: [],
} as const satisfies Partial<TestPayment>;

/** What a buyer does on the payment page. */
export const BUYER_CHANGES = {
  pay: (payment, now, eventId) => (isPayable(payment) ? paid(payment, now, now, eventId) : payment),
  slow: (payment, now) =>
    // Nothing to tell yet: it is open until the bank has said yes.
    isPayable(payment)
      ? { ...payment, confirmAt: (now + SLOW_CONFIRMATION_NS) as EpochNs, isDeclined: false }
      : payment,
  decline: (payment) => (isPayable(payment) ? { ...payment, isDeclined: true } : payment),
  cancel: (payment, now, eventId) =>
    isPayable(payment) ? changed(payment, { state: 'failed' }, now, eventId) : payment,
} as const satisfies Record<string, Change>;
export type BuyerChange = keyof typeof BUYER_CHANGES;

/** What a customer does on the page for the card. */
export const CARD_CHANGES = {
  works: (payment, now, eventId) => {
    if (payment.state === 'past_due') return renewed(payment, now, eventId);
    return { ...payment, isCardBroken: false };
  },
  declines: (payment) => ({ ...payment, isCardBroken: true }),
} as const satisfies Record<string, Change>;
export type CardChange = keyof typeof CARD_CHANGES;

/** Whether it is charged again, or will be as soon as its card works. */
export function isRunning({ state }: TestPayment): boolean {
  return state === 'paid' || state === 'past_due' || state === 'cancelled';
}

/** What an operator plays. */
export const PLAYED_CHANGES = {
  renew: (payment, now, eventId) => {
    const { kind, state, paidUntil } = payment;
    if (kind !== 'subscription') return refused(payment, 'a purchase is paid once');
    if (paidUntil === null || !['paid', 'past_due'].includes(state)) {
      return refused(payment, 'only what is paid or past due renews');
    }
    if (paidUntil > now + PAID_AHEAD_NS_MAX) {
      return refused(payment, 'it is paid for nearly a year ahead');
    }
    return renewed(payment, now, eventId);
  },
  fail: (payment, now, eventId) => {
    const { kind, state } = payment;
    if (kind !== 'subscription') return refused(payment, 'a purchase does not renew');
    if (state !== 'paid') return refused(payment, 'only what is paid and renews can fail to');
    return renewalFailed(payment, now, eventId);
  },
  refund: (payment, now, eventId) =>
    hasMoney(payment)
      ? changed(payment, givenBack(payment, null), now, eventId)
      : refused(payment, 'there is no money to give back'),
  // A bank that is asked takes money back that was given back before as well.
  dispute: (payment, now, eventId) =>
    (hasMoney(payment) || payment.state === 'refunded') && payment.state !== 'disputed'
      ? changed(payment, { state: 'disputed', beforeDispute: payment.state }, now, eventId)
      : refused(payment, 'there is no money to take back'),
  win: (payment, now, eventId) =>
    payment.state === 'disputed'
      ? changed(payment, { state: payment.beforeDispute!, beforeDispute: null }, now, eventId)
      : refused(payment, 'it is not disputed'),
  cancel: (...change) => cancelledAtPeriodEnd(true)(...change),
  end: (...change) => cancelledNow(...change),
} as const satisfies Record<string, Change>;
export type PlayedChange = keyof typeof PLAYED_CHANGES;

/** Ends a subscription with its period, or lets it renew after all. */
export function cancelledAtPeriodEnd(isCancelled: boolean): Change {
  return (payment, now, eventId) => {
    const { kind, state, cancelAtPeriodEnd } = payment;
    if (kind !== 'subscription') return refused(payment, 'a purchase does not renew');
    if (!['paid', 'past_due', 'cancelled'].includes(state)) {
      return refused(payment, 'it is not running');
    }
    if (cancelAtPeriodEnd === isCancelled) return payment;
    const after = isCancelled ? 'cancelled' : 'paid';
    return changed(payment, { state: after, cancelAtPeriodEnd: isCancelled }, now, eventId);
  };
}

/** What is paid by now stays. */
export const closedCheckout: Change = (payment, now, eventId) =>
  payment.state === 'open'
    ? changed(payment, { state: 'failed', confirmAt: null }, now, eventId)
    : payment;

export const cancelledNow: Change = (payment, now, eventId) => {
  const { kind, state, paidUntil } = payment;
  if (state === 'open') return closedCheckout(payment, now, eventId);
  if (kind === 'purchase') return payment;
  // A dispute that is won afterwards begins nothing again.
  if (state === 'disputed') return { ...payment, beforeDispute: 'ended' };
  if (!['paid', 'past_due', 'cancelled'].includes(state)) return payment;
  const end = paidUntil !== null && paidUntil < now ? paidUntil : now;
  return changed(payment, { state: 'ended', paidUntil: end }, now, eventId);
};

/** Once for a key; what was given back already, or never paid, stays as it is. */
export function refundedBy(key: string, amountMinor: number | null): Change {
  return (payment, now, eventId) => {
    if (payment.refundKeys.includes(key)) return payment;
    if (payment.state === 'disputed' || leftOf(newestCharge(payment)) === 0) return payment;
    const refundKeys = [...payment.refundKeys, key].slice(-REFUND_KEYS_MAX);
    return changed(payment, { ...givenBack(payment, amountMinor), refundKeys }, now, eventId);
  };
}

/** When time next does something to it; null: never. */
export function dueAt(payment: TestPayment): EpochNs | null {
  const { state, createdAt, confirmAt, paidUntil } = payment;
  switch (state) {
    case 'open':
      return confirmAt ?? ((createdAt + CHECKOUT_NS) as EpochNs);
    case 'paid':
    case 'cancelled':
      return paidUntil;
    case 'past_due':
      return paidUntil === null ? null : ((paidUntil + PAST_DUE_NS) as EpochNs);
    case 'ended':
    case 'refunded':
    case 'disputed':
    case 'failed':
      return null;
    default:
      return state satisfies never;
  }
}

/** What time has done to it by now, one step. */
export const passed: Change = (payment, now, eventId) => {
  const due = dueAt(payment);
  if (due === null || due > now) return payment;
  switch (payment.state) {
    case 'open':
      return payment.confirmAt === null
        ? changed(payment, { state: 'failed' }, now, eventId)
        : paid(payment, due, now, eventId);
    case 'paid':
      return payment.isCardBroken
        ? changed(payment, { state: 'past_due', ...charged(payment, due, true) }, now, eventId)
        : renewed(payment, now, eventId);
    default:
      return changed(payment, { state: 'ended' }, now, eventId);
  }
};

/** The same day so many months later, or that month's last. */
export function monthsAfter(instant: EpochNs, months: number): EpochNs {
  const start = new Date(Number(instant / MS_NS_BIG));
  const month = start.getUTCMonth() + months;
  const days = new Date(Date.UTC(start.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const later = new Date(start);
  later.setUTCMonth(month, Math.min(start.getUTCDate(), days));
  return (BigInt(later.getTime()) * MS_NS_BIG + (instant % MS_NS_BIG)) as EpochNs;
}

function isPayable({ state, confirmAt }: TestPayment): boolean {
  return state === 'open' && confirmAt === null;
}

function hasMoney({ state }: TestPayment): boolean {
  return ['paid', 'past_due', 'cancelled', 'ended', 'disputed'].includes(state);
}

function paid(payment: TestPayment, at: EpochNs, now: EpochNs, eventId: string): TestPayment {
  const paidUntil = payment.kind === 'subscription' ? monthsAfter(at, 1) : null;
  const change = { state: 'paid', paidAt: at, paidUntil, confirmAt: null, isDeclined: false };
  const charge = charged(payment, at);
  return changed(payment, { ...(change as Partial<TestPayment>), ...charge }, now, eventId);
}

/** Up to the next day of the month on which it began. */
function renewed(payment: TestPayment, now: EpochNs, eventId: string): TestPayment {
  const from = payment.paidAt!;
  const covered = payment.paidUntil! < now ? now : payment.paidUntil!;
  let months = 1;
  while (monthsAfter(from, months) <= covered) months += 1;
  const change = { state: 'paid', paidUntil: monthsAfter(from, months), isCardBroken: false };
  const charge = charged(payment, now);
  return changed(payment, { ...(change as Partial<TestPayment>), ...charge }, now, eventId);
}

/** The period ends now, and the card is declined. */
function renewalFailed(payment: TestPayment, now: EpochNs, eventId: string): TestPayment {
  const until = payment.paidUntil!;
  const change = { state: 'past_due', paidUntil: until < now ? until : now, isCardBroken: true };
  const charge = charged(payment, now, true);
  return changed(payment, { ...(change as Partial<TestPayment>), ...charge }, now, eventId);
}

/** A month, or the price of a purchase, was taken from the card, or (`isFailed`) was not to be had. */
function charged(
  { ref, charges, revision, amountMinor }: TestPayment,
  at: EpochNs,
  isFailed = false,
): Pick<TestPayment, 'charges'> {
  const id = `${ref.slice(-8)}-${revision + 1}`;
  const charge = { id, at, totalMinor: amountMinor, refundedMinor: 0, isFailed };
  return { charges: [...charges, charge].slice(-CHARGES_MAX) };
}

/** Of what was charged last; `amountMinor` null: all that is left. */
function givenBack(
  payment: TestPayment,
  amountMinor: number | null,
): Pick<TestPayment, 'charges'> & Partial<TestPayment> {
  const newest = newestCharge(payment);
  if (newest === undefined) return { charges: payment.charges, state: 'refunded' };
  const left = leftOf(newest);
  const refunded = {
    ...newest,
    refundedMinor: newest.refundedMinor + Math.min(amountMinor ?? left, left),
  };
  const charges = payment.charges.map((charge) => (charge === newest ? refunded : charge));
  const isAll = leftOf(refunded) === 0;
  // A bank that took it back before is not told by a refund that all is well.
  return isAll ? { charges, state: 'refunded', beforeDispute: null } : { charges };
}

function newestCharge({ charges }: TestPayment): TestCharge | undefined {
  return charges.findLast(({ isFailed }) => !isFailed);
}

function leftOf(charge: TestCharge | undefined): number {
  return charge === undefined ? 0 : charge.totalMinor - charge.refundedMinor;
}

function changed(
  payment: TestPayment,
  change: Partial<TestPayment>,
  now: EpochNs,
  eventId: string,
): TestPayment {
  const event: TestEvent = { id: eventId, at: now, attempts: 0, sendAt: now };
  return {
    ...payment,
    ...change,
    revision: payment.revision + 1,
    events: [...payment.events, event].slice(-EVENTS_MAX),
    told: [...payment.told, { id: eventId, at: now }].slice(-EVENTS_MAX),
  };
}

function refused({ state }: TestPayment, why: string): { readonly refused: string } {
  return { refused: `It is ${state.replace('_', ' ')}: ${why}.` };
}
