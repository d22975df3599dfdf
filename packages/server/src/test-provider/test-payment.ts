/**
 * One payment at the provider `test`, and its changes: by a buyer on the payment page, by our requests, by time, and by
 * an operator. Each change has a higher revision and an event. An impossible one returns the reason and changes
 * nothing.
 */

import type { PaymentKind, PaymentState } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, MS_NS_BIG, SECOND_NS_BIG } from '@tapeloom/core/units';
import type { BillTo } from '../accounts/orders/orders-store.ts';

const SLOW_CONFIRMATION_NS = 20n * SECOND_NS_BIG;
/** An unpaid checkout closes after a day. */
const CHECKOUT_NS = DAY_NS_BIG;
/** A failed renewal is given up after two weeks. */
const PAST_DUE_NS = 14n * DAY_NS_BIG;
/** Simulated renewals extend no further ahead. */
const PAID_AHEAD_NS_MAX = 330n * DAY_NS_BIG;
/** Undelivered events of one payment; the newest suffice, since each is only a hint. */
const EVENTS_MAX = 16;
const CHARGES_MAX = 24;
const REFUND_KEYS_MAX = 64;

/** An event of a changed payment; it is sent again until it is accepted. */
export interface TestEvent {
  readonly id: string;
  readonly at: EpochNs;
  readonly attempts: number;
  readonly sendAt: EpochNs;
}

/** The charge of one month or of a purchase. */
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
  /** Absent in payments of earlier versions. */
  readonly billTo?: BillTo | null;
  readonly returnUrl: string;
  readonly backUrl: string;
  readonly createdAt: EpochNs;
  readonly state: PaymentState;
  readonly paidAt: EpochNs | null;
  readonly paidUntil: EpochNs | null;
  readonly cancelAtPeriodEnd: boolean;
  readonly revision: number;
  /** When the bank confirms a slow payment. */
  readonly confirmAt: EpochNs | null;
  /** Whether the card was declined on the payment page. */
  readonly isDeclined: boolean;
  /** Whether renewals are declined. */
  readonly isCardBroken: boolean;
  readonly beforeDispute: PaymentState | null;
  readonly events: readonly TestEvent[];
  /** The newest events, delivered or not, for listing. */
  readonly told: readonly Pick<TestEvent, 'id' | 'at'>[];
  /** Oldest first. */
  readonly charges: readonly TestCharge[];
  readonly refundKeys: readonly string[];
}

/** The payment afterwards, the same object if nothing changes, or the reason why it is impossible. */
export type Changed = TestPayment | { readonly refused: string };
/** `eventId` is the id of the change's event. */
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

/** Empty at first, and absent in payments of earlier versions. */
export const EMPTY = {
  told: [],
  charges: [],
  refundKeys: [],
} as const satisfies Partial<TestPayment>;

/** A buyer's actions on the payment page. */
export const BUYER_CHANGES = {
  pay: (payment, now, eventId) => (isPayable(payment) ? paid(payment, now, now, eventId) : payment),
  slow: (payment, now) =>
    // No event yet: the payment is open until the bank confirms it.
    isPayable(payment)
      ? { ...payment, confirmAt: (now + SLOW_CONFIRMATION_NS) as EpochNs, isDeclined: false }
      : payment,
  decline: (payment) => (isPayable(payment) ? { ...payment, isDeclined: true } : payment),
  cancel: (payment, now, eventId) =>
    isPayable(payment) ? changed(payment, { state: 'failed' }, now, eventId) : payment,
} as const satisfies Record<string, Change>;
export type BuyerChange = keyof typeof BUYER_CHANGES;

/** A customer's actions on the page for the card. */
export const CARD_CHANGES = {
  works: (payment, now, eventId) => {
    if (payment.state === 'past_due') return renewed(payment, now, eventId);
    return { ...payment, isCardBroken: false };
  },
  declines: (payment) => ({ ...payment, isCardBroken: true }),
} as const satisfies Record<string, Change>;
export type CardChange = keyof typeof CARD_CHANGES;

/** Whether it will be charged again, or could be with a working card. */
export function isRunning({ state }: TestPayment): boolean {
  return state === 'paid' || state === 'past_due' || state === 'cancelled';
}

/** Changes that an operator simulates. */
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
  // A bank can take money back that was refunded before.
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

/** A payment made by now stays. */
export const closedCheckout: Change = (payment, now, eventId) =>
  payment.state === 'open'
    ? changed(payment, { state: 'failed', confirmAt: null }, now, eventId)
    : payment;

export const cancelledNow: Change = (payment, now, eventId) => {
  const { kind, state, paidUntil } = payment;
  if (state === 'open') return closedCheckout(payment, now, eventId);
  if (kind === 'purchase') return payment;
  // A dispute that is won afterwards does not restart it.
  if (state === 'disputed') return { ...payment, beforeDispute: 'ended' };
  if (!['paid', 'past_due', 'cancelled'].includes(state)) return payment;
  const end = paidUntil !== null && paidUntil < now ? paidUntil : now;
  return changed(payment, { state: 'ended', paidUntil: end }, now, eventId);
};

/** Once for each key. If nothing is left to refund, or the payment is disputed, it stays as it is. */
export function refundedBy(key: string, amountMinor: number | null): Change {
  return (payment, now, eventId) => {
    if (payment.refundKeys.includes(key)) return payment;
    if (payment.state === 'disputed' || leftOf(newestCharge(payment)) === 0) return payment;
    const refundKeys = [...payment.refundKeys, key].slice(-REFUND_KEYS_MAX);
    return changed(payment, { ...givenBack(payment, amountMinor), refundKeys }, now, eventId);
  };
}

/** When time changes it next; null: never. */
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

/** Applies one step of elapsed time. */
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

/** The same day that many months later, or the last day of that month. */
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

/** Until the next monthly anniversary of the start. */
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

/** Adds a charge of a month or a purchase; `isFailed`: the card was declined. */
function charged(
  { ref, charges, revision, amountMinor }: TestPayment,
  at: EpochNs,
  isFailed = false,
): Pick<TestPayment, 'charges'> {
  const id = `${ref.slice(-8)}-${revision + 1}`;
  const charge = { id, at, totalMinor: amountMinor, refundedMinor: 0, isFailed };
  return { charges: [...charges, charge].slice(-CHARGES_MAX) };
}

/** Refunds from the newest charge; `amountMinor` null: all that is left. */
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
  // A full refund also discards the state before a dispute, so winning it restores nothing.
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
