/**
 * The part of the account store about money: orders, consents, and payments as providers reported them. As in the whole
 * store, every method is one transaction, and callers pass the time. An order is stored together with its consent. A
 * payment, the grants that result from it, and the settling of its events are stored together too.
 */

import type { Payment } from '@tapeloom/core/entitlement/payment';
import type { Grant } from '@tapeloom/core/entitlement/plan';
import type { WithdrawalTerms } from '@tapeloom/core/entitlement/withdrawal';
import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, HOUR_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { StoreCall } from '../store/store-call.ts';

/** Orders that an account may place in 24 hours: their consents are kept for good. */
export const ORDERS_PLACED_MAX = 20;
export const ORDERS_PLACED_NS = DAY_NS_BIG;
/** How long an unpaid order binds its account to the provider. */
const UNPAID_BINDS_NS = DAY_NS_BIG;
/** A repeated checkout within a minute returns the open one. */
export const SAME_CHECKOUT_NS = MINUTE_NS_BIG;
/**
 * The longest waits before an order is checked again (`next-look.ts`), and before an event or a listing is retried.
 * Events are kept for 90 days; a provider repeats one for some days at most.
 */
export const LOOK_WITHIN_NS = DAY_NS_BIG;
export const TRY_WITHIN_NS = 2n * HOUR_NS_BIG;
export const EVENTS_KEPT_NS = 90n * DAY_NS_BIG;

/** The billing details of an order, as the buyer entered them. */
export interface BillTo {
  /** A person or a company. */
  readonly name: string;
  /** One or more lines; may be empty. */
  readonly address: string;
  readonly taxId: string | null;
}

/** The purchase, as it was offered at that time. */
export interface OrderTerms {
  readonly id: string;
  readonly offer: string;
  readonly grants: readonly Grant['plan'][];
  readonly kind: Payment['kind'];
  /** In the currency's minor unit; for a subscription per month. */
  readonly amountMinor: number;
  readonly currency: string;
  readonly taxIncluded: boolean;
  readonly country: string;
  readonly provider: string;
  /** The provider's reference. */
  readonly ref: string;
  /** The provider's payment page. */
  readonly url: string;
  readonly waiverVersion: string;
  readonly withdrawal: WithdrawalTerms;
  /** Null or absent: the buyer entered none. */
  readonly billTo?: BillTo | null;
}

export interface OrderRecord extends OrderTerms, Payment {
  readonly billTo: BillTo | null;
  readonly accountId: string;
  readonly createdAt: EpochNs;
  /** The provider's revision of its last report or, if it has none, how often the payment changed. -1: no report. */
  readonly revision: number;
  /** When the provider last responded, by the clock of the node that queried it. */
  readonly lookedAt: EpochNs | null;
  /** When to query the provider again, if no event comes before; null: nothing can change any more. */
  readonly lookAt: EpochNs | null;
  /** How often the provider was queried, and the number of the newest query with an accepted answer; 0: none. */
  readonly asks: number;
  readonly heardAsk: number;
  /** When the confirmation was mailed. */
  readonly confirmedAt: EpochNs | null;
  /** The end of the paid period for which the buyer was notified of a failed renewal. */
  readonly failureTold: EpochNs | null;
  /** When an operator wrote it off because its payment is lost: later reports of the provider have no effect. */
  readonly writtenOffAt: EpochNs | null;
  /** When the customer withdrew; since then it grants nothing, whatever the provider reports. */
  readonly withdrawnAt: EpochNs | null;
}

/** Whether the account must stay with the provider of this order. */
export function bindsAccount(
  { state, createdAt, writtenOffAt }: Pick<OrderRecord, 'state' | 'createdAt' | 'writtenOffAt'>,
  now: EpochNs,
): boolean {
  if (state === 'failed' || writtenOffAt !== null) return false;
  return state !== 'open' || now < createdAt + UNPAID_BINDS_NS;
}

export interface Consent {
  /** The whole text of the consent; it is stored once, by its digest. */
  readonly text: string;
  readonly address: string;
}

export interface ConsentRecord {
  readonly orderId: string;
  readonly accountId: string;
  readonly waiverVersion: string;
  readonly textSha256: string;
  readonly text: string;
  readonly at: EpochNs;
  readonly address: string;
}

export interface CheckoutQuestion {
  readonly offer: string;
  readonly grants: readonly Grant['plan'][];
  readonly provider: string;
  readonly country: string;
  readonly billTo?: BillTo | null;
}

/** Why nothing can be bought, as plain data: the endpoint chooses the words. */
export type CheckoutRefused =
  | { readonly refused: 'no-account' }
  /** `order` null: an operator granted it. */
  | { readonly refused: 'held'; readonly order: OrderRecord | null }
  | { readonly refused: 'other-provider'; readonly provider: string }
  | { readonly refused: 'too-many'; readonly until: EpochNs }
  /** The same order was placed less than a minute ago and is unpaid. */
  | { readonly refused: 'open-already'; readonly order: OrderRecord };

export interface PaymentEvent {
  readonly provider: string;
  readonly id: string;
  readonly objectRef: string;
  /** By the provider's clock. */
  readonly at: EpochNs;
}

/** `unknown`: it concerns no order of ours. */
export type PaymentEventState = 'pending' | 'done' | 'unknown';

export interface PaymentEventRecord extends PaymentEvent {
  readonly receivedAt: EpochNs;
  readonly state: PaymentEventState;
  /** How often querying the provider about it failed. */
  readonly attempts: number;
  /** Null: it is not pending. */
  readonly tryAt: EpochNs | null;
  readonly fault: string | null;
}

/** A provider's answer about an order. */
export interface HeardPayment {
  readonly provider: string;
  readonly ref: string;
  readonly payment: Payment;
  /** Null: the provider has no revisions; the answer to the latest query counts. */
  readonly revision: number | null;
  /** The resulting grants: `grantsOfPayment`. */
  readonly grants: readonly Grant[];
  /** The query. It settles the events pending then. The answer is stale if a later one has been accepted. */
  readonly ask: Ask;
  readonly lookAt: EpochNs | null;
}

/** A query to a provider about an order. */
export interface Ask {
  /** Counted by order, from 1 on: clocks of nodes differ. */
  readonly number: number;
  /** Ids of the order's events that were pending when it was sent. */
  readonly events: readonly string[];
}

export interface Heard {
  readonly before: OrderRecord;
  readonly order: OrderRecord;
  /** False: this or a later state was known before, and nothing changed. */
  readonly isNew: boolean;
  /** The account was deleted: it gets no grants, whatever was paid. */
  readonly isAccountGone: boolean;
}

/** How far a provider's events were listed. */
export interface PaymentListing {
  readonly provider: string;
  /** By the provider's clock. */
  readonly listedUntil: EpochNs;
  /** Null: never. */
  readonly listedAt: EpochNs | null;
  readonly listAt: EpochNs;
}

/** An operator's request to a provider about an order. */
export interface OperatorAsked {
  readonly kind: 'order.cancel-asked' | 'order.refund-asked';
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
}

export interface OrdersStore {
  /** Newest first. */
  ordersOf(accountId: string): Promise<readonly OrderRecord[]>;
  /** An order of this account; null, for operators: of any account. */
  findOrder(accountId: string | null, orderId: string): Promise<OrderRecord | null>;
  findOrderByRef(by: Pick<OrderTerms, 'provider' | 'ref'>): Promise<OrderRecord | null>;
  /** Newest first, of all accounts; for operators. */
  listOrders(limit: number): Promise<readonly OrderRecord[]>;
  /** Renewing subscriptions of accounts whose deletion was requested. */
  ordersOfLeaving(limit: number): Promise<readonly OrderRecord[]>;
  /** By order, oldest first. */
  consentsOf(accountId: string): Promise<readonly ConsentRecord[]>;
  consentOf(order: Pick<OrderRecord, 'id'>): Promise<ConsentRecord | null>;

  /** Why `placeOrder` would reject now; null: it would not. */
  judgeCheckout(
    now: EpochNs,
    accountId: string,
    question: CheckoutQuestion,
  ): Promise<CheckoutRefused | null>;
  /** Places the order and records the consent, or does neither and returns why. */
  placeOrder(
    call: StoreCall & { readonly sessionId: string | null },
    accountId: string,
    terms: OrderTerms,
    consent: Consent,
  ): Promise<OrderRecord | CheckoutRefused>;

  /** Takes a number; required before querying a provider about an order. */
  beginAsk(order: Pick<OrderRecord, 'id' | 'provider' | 'ref'>): Promise<Ask>;
  /**
   * Accepts a provider's answer if it is newer than the known state: the order, its grants and its events change
   * together. Null: no order of ours has this reference.
   */
  hearPayment(call: StoreCall, heard: HeardPayment): Promise<Heard | null>;
  /** Ends an order whose payment is lost: its grants end, it can be bought again. `over`: it has ended or failed. */
  writeOff(
    call: StoreCall,
    orderId: string,
    reason: string,
  ): Promise<OrderRecord | { readonly refused: 'not-found' | 'over' }>;
  /** Records an operator's request to the provider, and an event that makes us query the outcome; returns its id. */
  noteAsked(call: StoreCall, order: OrderRecord, asked: OperatorAsked): Promise<string>;
  /** Schedules the next check of the order; null: none. */
  lookAgain(order: Pick<OrderRecord, 'id'>, lookAt: EpochNs | null): Promise<void>;

  /** Stores an event as pending; false if it is known, in any state. */
  receiveEvent(now: EpochNs, event: PaymentEvent): Promise<boolean>;
  /** Events of this order's payment, newest first. */
  eventsOf(by: Pick<OrderTerms, 'provider' | 'ref'>): Promise<readonly PaymentEventRecord[]>;
  findEvents(by: { readonly id: string }): Promise<readonly PaymentEventRecord[]>;
  /** Records that querying the provider failed, or (`tryAt` null) that the event concerns no order of ours. */
  putOffEvent(
    event: Pick<PaymentEvent, 'provider' | 'id'>,
    why: { readonly tryAt: EpochNs | null; readonly fault: string | null },
  ): Promise<void>;
  /** Gives the event the reference of the payment that it concerns. */
  nameEvent(event: Pick<PaymentEvent, 'provider' | 'id'>, ref: string): Promise<void>;
  /** Null: the provider's events were never listed. */
  findListing(provider: string): Promise<PaymentListing | null>;
  noteListing(listing: PaymentListing): Promise<void>;
  dueListings(now: EpochNs): Promise<readonly PaymentListing[]>;
  /** Pending events that are due, oldest first. */
  dueEvents(now: EpochNs, limit: number): Promise<readonly PaymentEventRecord[]>;
  /** Orders that are due for a check, the longest waiting first. */
  dueOrders(now: EpochNs, limit: number): Promise<readonly OrderRecord[]>;
  /** Makes everything that is scheduled due now; returns how much. */
  hurry(now: EpochNs): Promise<{ readonly events: number; readonly orders: number }>;
  paymentCounts(): Promise<PaymentCounts>;
  /** Removes settled events that are too old to be repeated. */
  forgetEvents(now: EpochNs, limit: number): Promise<number>;
}

export interface PaymentCounts {
  readonly eventsPending: number;
  readonly ordersByState: Readonly<Partial<Record<Payment['state'], number>>>;
}
