/**
 * The port to a payment provider, who is an outside system: it may be slow, down, out of order or wrong. What it
 * tells by itself (a webhook) is only a hint that something changed; what holds is what it answers when asked, and
 * of two answers the one with the higher revision. Adapters: `test`, `stripe` and `paddle`; all run
 * `payment-provider.contract.ts`. None keeps anything of its own on disk but `test`, which is the provider itself.
 *
 * Whatever a provider cannot or does not answer rejects with `UpstreamError`. Every call takes a signal, and ends
 * when it is aborted.
 */

import type { Payment, PaymentKind } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { BillTo } from '../accounts/orders/orders-store.ts';

/** A provider did not answer, or not as agreed. Its message is for the log: customers get 502 `UPSTREAM_ERROR`. */
export class UpstreamError extends Error {}

/** A provider says that it knows no such payment. */
export class PaymentUnknownError extends UpstreamError {}

/** A provider will not give money back, or could not: only the operator can, in another way. */
export class RefundRejectedError extends UpstreamError {}

export interface CheckoutStart {
  /** Ours. The provider keeps it with the object, and starts one checkout for it however often it is asked. */
  readonly orderId: string;
  readonly accountId: string;
  /** For the provider's receipt; null: the account has no owner. */
  readonly email: string | null;
  readonly kind: PaymentKind;
  readonly offer: string;
  /** What the buyer reads. */
  readonly offerName: string;
  /** In the currency's minor unit; of a subscription for each month. */
  readonly amountMinor: number;
  /** ISO 4217, three capital letters. */
  readonly currency: string;
  /** Whether `amountMinor` includes tax. Where it does not, tax that is due comes on top of it. */
  readonly taxIncluded: boolean;
  /** ISO 3166, two capital letters. */
  readonly country: string;
  /**
   * For the receipt of a provider that does not ask for it itself; Stripe and Paddle do. Null or left out: the buyer
   * gave nothing.
   */
  readonly billTo?: BillTo | null;
  /** Where the buyer comes back to, paid or waiting for the confirmation. */
  readonly returnUrl: string;
  /** Where the buyer comes back to who gave it up. */
  readonly backUrl: string;
}

export interface StartedCheckout {
  /** The provider's page, where the buyer pays. */
  readonly url: string;
  /** The provider's name for what is paid there; `fetch` knows it from now on. */
  readonly ref: string;
}

/** A hint: something about this object changed. */
export interface ProviderEvent {
  /** The provider's; the same event again has the same id. */
  readonly id: string;
  /** Whatever object the event is about, in the provider's words; `locate` tells which payment that belongs to. */
  readonly objectRef: string;
  readonly at: EpochNs;
}

/** What the provider says of what is paid: `core/src/entitlement/payment.ts` says what it grants. */
export interface ProviderObject extends Payment {
  readonly ref: string;
  /** As given to `startCheckout`. */
  readonly orderId: string;
  /**
   * A whole number from 0 on that is higher after every change. Null: the provider counts none; then of two answers
   * the one that was asked for later holds, and one that says the same as before is not news.
   */
  readonly revision: number | null;
  /**
   * The price agreed on there, as the checkout was started: without the tax that comes on top, of a subscription
   * for a month. Null: the provider cannot say it any more.
   */
  readonly amountMinor: number | null;
  /** ISO 4217, three capital letters; null as the amount is. */
  readonly currency: string | null;
}

/** What happened since an instant, the oldest first. */
export interface EventList {
  readonly events: readonly ProviderEvent[];
  /**
   * Where to go on: asked from there, no event is left out, though some may be told twice. Later than where it was
   * asked from whenever there were as many as the limit, so that whoever goes on gets to the end.
   */
  readonly nextFrom: EpochNs;
}

export const RECEIPT_STATES = ['paid', 'open', 'failed', 'refunded'] as const;

/** One charge, or one that is asked for. */
export interface Receipt {
  readonly id: string;
  readonly at: EpochNs;
  /** What was charged, tax included, in the currency's minor unit. */
  readonly totalMinor: number;
  /** How much of the total is tax; null: the provider does not say. */
  readonly taxMinor: number | null;
  /** How much of the total was given back. */
  readonly refundedMinor: number;
  /** ISO 4217, three capital letters. */
  readonly currency: string;
  /** `refunded`: all of it. */
  readonly state: (typeof RECEIPT_STATES)[number];
  /** A page or a PDF at the provider; null: there is none. */
  readonly url: string | null;
}

export const RECEIPTS_MAX = 24;

export interface RefundWish {
  /** The same key is done once, however often it is asked for. */
  readonly key: string;
  /** In the currency's minor unit, at most what is left of the charge; null: all that is left. */
  readonly amountMinor: number | null;
}

/** `pending`: the provider decides later. `nothing`: there was no charge, or nothing is left of it. */
export const REFUND_OUTCOMES = ['done', 'pending', 'nothing'] as const;
export type RefundOutcome = (typeof REFUND_OUTCOMES)[number];

/** One line of `tapeloom billing doctor`. */
export interface Finding {
  readonly what: string;
  readonly outcome: 'ok' | 'warning' | 'fault';
  readonly detail: string;
}

export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface PaymentProvider {
  /** Lower-case letters, as in `POST /v1/webhooks/<name>`: `test`, `stripe`, `paddle`. */
  readonly name: string;
  startCheckout(checkout: CheckoutStart, signal: AbortSignal): Promise<StartedCheckout>;
  /** Null: not signed by the provider, or signed too long ago. Judges the raw bytes; header names are lower-case. */
  readWebhook(headers: WebhookHeaders, body: Uint8Array, now: EpochNs): ProviderEvent | null;
  /** What the provider says now; null: it knows no such object. */
  fetch(ref: string, signal: AbortSignal): Promise<ProviderObject | null>;
  /** Of a subscription: ends it with the period that is paid for, or lets it renew after all. */
  cancelAtPeriodEnd(ref: string, isCancelled: boolean, signal: AbortSignal): Promise<void>;
  /**
   * Closes a checkout that nobody has paid: it is `failed`, and cannot be paid any more. What was paid before, if
   * only just now, stays as it is, and so does what cannot be taken back from the bank.
   */
  closeCheckout(ref: string, signal: AbortSignal): Promise<void>;
  /**
   * Ends it at once: a subscription is `ended`, an open checkout is `failed` and cannot be paid any more. Nothing is
   * charged after it. What is over already stays as it is, and so does a paid purchase.
   */
  cancelNow(ref: string, signal: AbortSignal): Promise<void>;
  /** Our `ref` that an object named in an event belongs to; null: it is about nothing of ours. */
  locate(objectRef: string, signal: AbortSignal): Promise<string | null>;
  /** Events from then on whose webhooks may have been missed, at most `limit`, with the ids of their webhooks. */
  eventsSince(from: EpochNs, limit: number, signal: AbortSignal): Promise<EventList>;
  /** What was charged for it, the newest first, at most `RECEIPTS_MAX`. */
  receipts(ref: string, signal: AbortSignal): Promise<readonly Receipt[]>;
  /** Where the customer changes the card and finds invoices; null: there is no such page for it. */
  customerPortal(ref: string, returnUrl: string, signal: AbortSignal): Promise<string | null>;
  /** Gives money of the newest charge back. Whoever gets all of it has the state `refunded`. */
  refund(ref: string, refund: RefundWish, signal: AbortSignal): Promise<RefundOutcome>;
  /**
   * What became of the refund with this key; resolves to null when the provider lists none. The member itself is null
   * where the provider refunds once for a key, whichever machines ask. Where it is not, only one may ask at a time.
   */
  readonly findRefund:
    | ((ref: string, key: string, signal: AbortSignal) => Promise<RefundOutcome | null>)
    | null;
  /** Read-only calls that tell whether the credentials work. */
  examine(signal: AbortSignal): Promise<readonly Finding[]>;
}
