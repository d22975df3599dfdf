/**
 * The port to a payment provider, an external system that may be slow, down, out of order or wrong. A webhook is only a
 * hint that something changed. The answer to a query counts, and of two answers the one with the higher revision.
 * Every call rejects with `UpstreamError` on failure, and ends when its signal aborts. Adapters: `test` (which is the
 * provider itself), `stripe` and `paddle`, which store nothing; all run `payment-provider.contract.ts`.
 */

import type { Payment, PaymentKind } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { BillTo } from '../accounts/orders/orders-store.ts';

/** A provider gave no or an invalid answer. The message is for the log: customers get 502 `UPSTREAM_ERROR`. */
export class UpstreamError extends Error {}

/** The provider reports that it has no such payment. */
export class PaymentUnknownError extends UpstreamError {}

/** A provider rejects a refund, or it failed: only the operator can refund, in another way. */
export class RefundRejectedError extends UpstreamError {}

export interface CheckoutStart {
  /** Our id. The provider stores it with the object, and starts only one checkout for it. */
  readonly orderId: string;
  readonly accountId: string;
  /** For the provider's receipt; null: the account has no owner. */
  readonly email: string | null;
  readonly kind: PaymentKind;
  readonly offer: string;
  /** The name shown to the buyer. */
  readonly offerName: string;
  /** In the currency's minor unit; for a subscription per month. */
  readonly amountMinor: number;
  /** ISO 4217, three capital letters. */
  readonly currency: string;
  /** Whether `amountMinor` includes tax. If not, tax that is due is added. */
  readonly taxIncluded: boolean;
  /** ISO 3166, two capital letters. */
  readonly country: string;
  /** For the receipt, if the provider does not request it; Stripe and Paddle do. Null or absent: none was entered. */
  readonly billTo?: BillTo | null;
  /** Where the buyer returns after paying, also while the confirmation is pending. */
  readonly returnUrl: string;
  /** Where a buyer returns who gave up. */
  readonly backUrl: string;
}

export interface StartedCheckout {
  /** The provider's page, where the buyer pays. */
  readonly url: string;
  /** The provider's reference of the payment; `fetch` accepts it from now on. */
  readonly ref: string;
}

/** A hint: something about this object changed. */
export interface ProviderEvent {
  /** The provider's id; a repeated event has the same one. */
  readonly id: string;
  /** The object that the event concerns, by the provider's id; `locate` returns the payment that it belongs to. */
  readonly objectRef: string;
  readonly at: EpochNs;
}

/** A provider's answer about a payment; `core/src/entitlement/payment.ts` decides what it grants. */
export interface ProviderObject extends Payment {
  readonly ref: string;
  /** As given to `startCheckout`. */
  readonly orderId: string;
  /**
   * A whole number from 0 on that grows with every change. Null: the provider has none; then the answer to the later
   * query counts, and an equal answer is no news.
   */
  readonly revision: number | null;
  /** The agreed price at the start: without added tax, for a subscription per month. Null: unknown by now. */
  readonly amountMinor: number | null;
  /** ISO 4217, three capital letters; null if the amount is. */
  readonly currency: string | null;
}

/** Events since an instant, oldest first. */
export interface EventList {
  readonly events: readonly ProviderEvent[];
  /**
   * Where the next call continues: no event is left out, though some may be repeated. If there were `limit` events, it
   * is later than `from`, so repeated calls reach the end.
   */
  readonly nextFrom: EpochNs;
}

export const RECEIPT_STATES = ['paid', 'open', 'failed', 'refunded'] as const;

/** One charge, or one that is requested. */
export interface Receipt {
  readonly id: string;
  readonly at: EpochNs;
  /** The charged amount, tax included, in the currency's minor unit. */
  readonly totalMinor: number;
  /** The part of the total that is tax; null: unknown. */
  readonly taxMinor: number | null;
  /** The part of the total that was refunded. */
  readonly refundedMinor: number;
  readonly currency: string;
  /** `refunded`: completely. */
  readonly state: (typeof RECEIPT_STATES)[number];
  /** A page or a PDF at the provider; null: there is none. */
  readonly url: string | null;
}

export const RECEIPTS_MAX = 24;

export interface RefundWish {
  /** The same key is refunded once, however often it is requested. */
  readonly key: string;
  /** In the currency's minor unit, at most what is left of the charge; null: all that is left. */
  readonly amountMinor: number | null;
}

/** `pending`: the provider decides later. `nothing`: there was no charge, or nothing of it is left. */
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
  /** Null: not signed by the provider, or signed too long ago. Checks the raw bytes; header names are lower-case. */
  readWebhook(headers: WebhookHeaders, body: Uint8Array, now: EpochNs): ProviderEvent | null;
  /** The present state at the provider; null: it has no such object. */
  fetch(ref: string, signal: AbortSignal): Promise<ProviderObject | null>;
  /** For a subscription: ends it with its paid period, or lets it renew after all. */
  cancelAtPeriodEnd(ref: string, isCancelled: boolean, signal: AbortSignal): Promise<void>;
  /**
   * Closes an unpaid checkout: it is `failed`, and cannot be paid any more. A payment made before, even just now,
   * stays, and so does one that the bank is already processing.
   */
  closeCheckout(ref: string, signal: AbortSignal): Promise<void>;
  /**
   * Ends it at once: a subscription is `ended`, an open checkout is `failed` and cannot be paid. Nothing is charged
   * after that. A finished payment stays as it is, and so does a paid purchase.
   */
  cancelNow(ref: string, signal: AbortSignal): Promise<void>;
  /** Our `ref` for an object named in an event; null: it concerns nothing of ours. */
  locate(objectRef: string, signal: AbortSignal): Promise<string | null>;
  /** Events from then on whose webhooks may be lost, at most `limit`, with the ids of their webhooks. */
  eventsSince(from: EpochNs, limit: number, signal: AbortSignal): Promise<EventList>;
  /** Its charges, newest first, at most `RECEIPTS_MAX`. */
  receipts(ref: string, signal: AbortSignal): Promise<readonly Receipt[]>;
  /** The page where the customer changes the card and finds invoices; null: it has none. */
  customerPortal(ref: string, returnUrl: string, signal: AbortSignal): Promise<string | null>;
  /** Refunds from the newest charge. A completely refunded payment has the state `refunded`. */
  refund(ref: string, refund: RefundWish, signal: AbortSignal): Promise<RefundOutcome>;
  /**
   * The outcome of the refund with this key; resolves to null when the provider lists none. The member itself is null
   * if the provider refunds once for each key, whichever machines request it. Otherwise only one may do so at a time.
   */
  readonly findRefund:
    | ((ref: string, key: string, signal: AbortSignal) => Promise<RefundOutcome | null>)
    | null;
  /** Read-only calls that check whether the credentials work. */
  examine(signal: AbortSignal): Promise<readonly Finding[]>;
}
