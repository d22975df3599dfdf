/**
 * The part of the account store about money: orders, consents, and what payment providers said. As in the store
 * itself, every method is one transaction, and callers say what time it is. An order is placed together with the
 * consent it needs; what an order grants, that we know it, and that an event led to it are written together too.
 */

import type { Payment } from '@tapeloom/core/entitlement/payment';
import type { Grant } from '@tapeloom/core/entitlement/plan';
import type { WithdrawalTerms } from '@tapeloom/core/entitlement/withdrawal';
import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, HOUR_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { StoreCall } from '../store/store-call.ts';

/** Orders that an account may place in 24 hours: consents are kept for good. */
export const ORDERS_PLACED_MAX = 20;
export const ORDERS_PLACED_NS = DAY_NS_BIG;
/** An account is bound to the provider of an order that nobody paid for only so long. */
const UNPAID_BINDS_NS = DAY_NS_BIG;
/** Who asks again within a minute gets the checkout that is open. */
export const SAME_CHECKOUT_NS = MINUTE_NS_BIG;
/** A provider repeats an event for some days at most; we know it for 90. */
/** The longest that an order waits to be looked at (`next-look.ts`), and an event or a list of events to be tried again. */
export const LOOK_WITHIN_NS = DAY_NS_BIG;
export const TRY_WITHIN_NS = 2n * HOUR_NS_BIG;
export const EVENTS_KEPT_NS = 90n * DAY_NS_BIG;

/** Whom an order is billed to, as the buyer gave it. */
export interface BillTo {
  /** A person or a company. */
  readonly name: string;
  /** In lines; may be empty. */
  readonly address: string;
  readonly taxId: string | null;
}

/** What was bought, as it was offered then. */
export interface OrderTerms {
  readonly id: string;
  readonly offer: string;
  readonly grants: readonly Grant['plan'][];
  readonly kind: Payment['kind'];
  /** In the currency's minor unit; of a subscription for each month. */
  readonly amountMinor: number;
  readonly currency: string;
  /** Whether the price included tax when it was ordered. */
  readonly taxIncluded: boolean;
  readonly country: string;
  readonly provider: string;
  /** The provider's name for it. */
  readonly ref: string;
  /** The provider's page. */
  readonly url: string;
  readonly waiverVersion: string;
  /** The right of withdrawal. */
  readonly withdrawal: WithdrawalTerms;
  /** Null or left out: the buyer gave nothing. */
  readonly billTo?: BillTo | null;
}

export interface OrderRecord extends OrderTerms, Payment {
  readonly billTo: BillTo | null;
  readonly accountId: string;
  readonly createdAt: EpochNs;
  /** Of what the provider said last, or (where it counts none) how often that changed; -1: nothing yet. */
  readonly revision: number;
  /** When the provider last answered, by the clock of the node that asked. */
  readonly lookedAt: EpochNs | null;
  /** When it is to be asked again, if nothing is heard before; null: all is said. */
  readonly lookAt: EpochNs | null;
  /** How often it was asked, and which of these answers was taken last; 0: none. */
  readonly asks: number;
  readonly heardAsk: number;
  /** When the confirmation was mailed. */
  readonly confirmedAt: EpochNs | null;
  /** The end of the paid period whose failed renewal the buyer is mailed about. */
  readonly failureTold: EpochNs | null;
  /** When an operator ended it because its payment is lost: nothing the provider says changes it any more. */
  readonly writtenOffAt: EpochNs | null;
  /** When it was withdrawn from; then it grants nothing, whatever is heard of it. */
  readonly withdrawnAt: EpochNs | null;
}

/** Whether the account stays with the provider of this order. */
export function bindsAccount(
  { state, createdAt, writtenOffAt }: Pick<OrderRecord, 'state' | 'createdAt' | 'writtenOffAt'>,
  now: EpochNs,
): boolean {
  if (state === 'failed' || writtenOffAt !== null) return false;
  return state !== 'open' || now < createdAt + UNPAID_BINDS_NS;
}

export interface Consent {
  /** The whole text that was agreed to; it is kept once, by its digest. */
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

/** Why there is nothing to buy, as plain data: the door chooses the words. */
export type CheckoutRefused =
  | { readonly refused: 'no-account' }
  /** `order` null: an operator granted it. */
  | { readonly refused: 'held'; readonly order: OrderRecord | null }
  | { readonly refused: 'other-provider'; readonly provider: string }
  | { readonly refused: 'too-many'; readonly until: EpochNs }
  /** The same was asked for less than a minute ago, and waits to be paid. */
  | { readonly refused: 'open-already'; readonly order: OrderRecord };

export interface PaymentEvent {
  readonly provider: string;
  readonly id: string;
  readonly objectRef: string;
  /** By the provider's clock. */
  readonly at: EpochNs;
}

/** `unknown`: it is about nothing of ours. */
export type PaymentEventState = 'pending' | 'done' | 'unknown';

export interface PaymentEventRecord extends PaymentEvent {
  readonly receivedAt: EpochNs;
  readonly state: PaymentEventState;
  /** How often the provider could not be asked for it. */
  readonly attempts: number;
  /** Null: it is not pending. */
  readonly tryAt: EpochNs | null;
  /** What went wrong last. */
  readonly fault: string | null;
}

/** What a provider said of an order when it was asked. */
export interface HeardPayment {
  readonly provider: string;
  readonly ref: string;
  readonly payment: Payment;
  /** Null: the provider counts none; then what was asked for later holds. */
  readonly revision: number | null;
  /** What it grants by that: `grantsOfPayment`. */
  readonly grants: readonly Grant[];
  /** An answer to an earlier question than one that was answered is no news. It settles the events known then. */
  readonly ask: Ask;
  readonly lookAt: EpochNs | null;
}

/** A question to a provider about an order. */
export interface Ask {
  /** By the order, from 1 on: the clocks of nodes differ. */
  readonly number: number;
  /** The ids of events about it that were pending then. */
  readonly events: readonly string[];
}

export interface Heard {
  readonly before: OrderRecord;
  readonly order: OrderRecord;
  /** False: that, or something later, was known before, and nothing changed. */
  readonly isNew: boolean;
  /** The account was deleted: it is granted nothing any more, whatever was paid. */
  readonly isAccountGone: boolean;
}

/** Up to where a provider's events were listed. */
export interface PaymentListing {
  readonly provider: string;
  /** By the provider's clock. */
  readonly listedUntil: EpochNs;
  /** Null: never yet. */
  readonly listedAt: EpochNs | null;
  /** When they are to be listed again. */
  readonly listAt: EpochNs;
}

/** What an operator had a provider do about an order. */
export interface OperatorAsked {
  readonly kind: 'order.cancel-asked' | 'order.refund-asked';
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
}

export interface OrdersStore {
  /** The newest first. */
  ordersOf(accountId: string): Promise<readonly OrderRecord[]>;
  /** An order of this account, or of any (null, for operators). */
  findOrder(accountId: string | null, orderId: string): Promise<OrderRecord | null>;
  findOrderByRef(by: Pick<OrderTerms, 'provider' | 'ref'>): Promise<OrderRecord | null>;
  /** The newest first, of all accounts; for operators. */
  listOrders(limit: number): Promise<readonly OrderRecord[]>;
  /** Subscriptions that renew, of accounts whose deletion was asked for. */
  ordersOfLeaving(limit: number): Promise<readonly OrderRecord[]>;
  /** By orders, the oldest first. */
  consentsOf(accountId: string): Promise<readonly ConsentRecord[]>;
  consentOf(order: Pick<OrderRecord, 'id'>): Promise<ConsentRecord | null>;

  /** What `placeOrder` would refuse by now; null: nothing. */
  judgeCheckout(
    now: EpochNs,
    accountId: string,
    question: CheckoutQuestion,
  ): Promise<CheckoutRefused | null>;
  /** Places the order and records the consent; or does neither and says why. */
  placeOrder(
    call: StoreCall & { readonly sessionId: string | null },
    accountId: string,
    terms: OrderTerms,
    consent: Consent,
  ): Promise<OrderRecord | CheckoutRefused>;

  /** Whoever asks a provider about an order takes a number before. */
  beginAsk(order: Pick<OrderRecord, 'id' | 'provider' | 'ref'>): Promise<Ask>;
  /**
   * Takes what the provider says, if it is newer than what is known: the order, what it grants, and the events
   * about it change together. Null: no order of ours has this reference.
   */
  hearPayment(call: StoreCall, heard: HeardPayment): Promise<Heard | null>;
  /**
   * Ends an order whose payment its provider has lost: what it grants ends, and it can be bought again. `over`: it
   * grants nothing and is not waited for.
   */
  writeOff(
    call: StoreCall,
    orderId: string,
    reason: string,
  ): Promise<OrderRecord | { readonly refused: 'not-found' | 'over' }>;
  /**
   * An operator had its provider do something: that is recorded, and the provider is asked what became of it. The id of the event
   * that is settled then.
   */
  noteAsked(call: StoreCall, order: OrderRecord, asked: OperatorAsked): Promise<string>;
  /** Looks at the order again then; null: not by itself. */
  lookAgain(order: Pick<OrderRecord, 'id'>, lookAt: EpochNs | null): Promise<void>;

  /** Keeps an event as pending; false when it is known already, whatever became of it. */
  receiveEvent(now: EpochNs, event: PaymentEvent): Promise<boolean>;
  /** The newest first, about this order's payment. */
  eventsOf(by: Pick<OrderTerms, 'provider' | 'ref'>): Promise<readonly PaymentEventRecord[]>;
  findEvents(by: { readonly id: string }): Promise<readonly PaymentEventRecord[]>;
  /** The provider could not be asked, or (`tryAt` null) knows of nothing of ours. */
  putOffEvent(
    event: Pick<PaymentEvent, 'provider' | 'id'>,
    why: { readonly tryAt: EpochNs | null; readonly fault: string | null },
  ): Promise<void>;
  /** The event is about the payment that has this reference: it is called so from now on. */
  nameEvent(event: Pick<PaymentEvent, 'provider' | 'id'>, ref: string): Promise<void>;
  /** Null: the provider's events were never listed. */
  findListing(provider: string): Promise<PaymentListing | null>;
  noteListing(listing: PaymentListing): Promise<void>;
  /** Those that are due. */
  dueListings(now: EpochNs): Promise<readonly PaymentListing[]>;
  /** Pending ones whose time has come, the oldest first. */
  dueEvents(now: EpochNs, limit: number): Promise<readonly PaymentEventRecord[]>;
  /** Orders whose time to be looked at has come, the longest waiting first. */
  dueOrders(now: EpochNs, limit: number): Promise<readonly OrderRecord[]>;
  /** Makes everything due now that would be some time; how much that is. */
  hurry(now: EpochNs): Promise<{ readonly events: number; readonly orders: number }>;
  /** Counts for operators and metrics. */
  paymentCounts(): Promise<PaymentCounts>;
  /** Removes events that no provider repeats any more. */
  forgetEvents(now: EpochNs, limit: number): Promise<number>;
}

export interface PaymentCounts {
  readonly eventsPending: number;
  readonly ordersByState: Readonly<Partial<Record<Payment['state'], number>>>;
}
