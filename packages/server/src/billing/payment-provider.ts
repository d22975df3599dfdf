/**
 * The port to a payment provider, who is an outside system: it may be slow, down, out of order or wrong. What it
 * tells by itself (a webhook) is only a hint that something changed; what holds is what it answers when asked, and
 * of two answers the one with the higher revision. Adapters: `test` here, others later; all run
 * `payment-provider.contract.ts`.
 *
 * Whatever a provider cannot or does not answer rejects with `UpstreamError`. Every call takes a signal, and ends
 * when it is aborted.
 */

import type { Payment, PaymentKind } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';

/** A provider did not answer, or not as agreed. Its message is for the log: customers get 502 `UPSTREAM_ERROR`. */
export class UpstreamError extends Error {}

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
  /** ISO 3166, two capital letters. */
  readonly country: string;
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
  readonly objectRef: string;
  readonly at: EpochNs;
}

/** What the provider says of what is paid: `core/src/entitlement/payment.ts` says what it grants. */
export interface ProviderObject extends Payment {
  readonly ref: string;
  /** As given to `startCheckout`. */
  readonly orderId: string;
  /** A whole number from 0 on that is higher after every change. */
  readonly revision: number;
}

export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface PaymentProvider {
  /** Lower-case letters, as in `POST /v1/webhooks/<name>`: `test`, later `stripe`, `paddle`. */
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
}
