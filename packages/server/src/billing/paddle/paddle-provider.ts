/**
 * The provider `paddle`, which sells on our behalf: it is the merchant of record and handles tax. The transaction of
 * its checkout (`txn_…`) identifies a payment and leads to its subscription. Nothing is stored here: Paddle's answers
 * count.
 */

import type { CustomerPortalSession, Subscription, Transaction } from '@paddle/paddle-node-sdk';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log/log.ts';
import {
  type CheckoutStart,
  type EventList,
  type Finding,
  type PaymentProvider,
  type ProviderEvent,
  type ProviderObject,
  type Receipt,
  type RefundOutcome,
  type RefundWish,
  type StartedCheckout,
  UpstreamError,
  type WebhookHeaders,
} from '../payment-provider.ts';
import { PaddleApi, PaddleRefusal } from './paddle-api.ts';
import { PaddleCheckouts } from './paddle-checkout.ts';
import { PADDLE_URLS, paddleEnvironment } from './paddle-environment.ts';
import { paddleEvents } from './paddle-events.ts';
import { examinePaddle } from './paddle-examine.ts';
import { fieldFault } from './paddle-fields.ts';
import { startedFor } from './paddle-page-address.ts';
import { isPaid, kindOf, providerObject } from './paddle-payment.ts';
import { paddleReceipts } from './paddle-receipts.ts';
import { PaddleRecords } from './paddle-records.ts';
import { PaddleRefunds } from './paddle-refunds.ts';
import { readPaddleWebhook } from './paddle-webhook.ts';

/** Larger than any event of Paddle. */
const EVENT_BYTES_MAX = 262_144;

export interface PaddleOptions {
  /** `pdl_live_apikey_…` or `pdl_sdbx_apikey_…`. */
  readonly key: string;
  /** One, or two during a change. */
  readonly webhookSecrets: readonly string[];
  /** For the page on which the checkout opens. */
  readonly clientToken: string;
  /** Null: the sandbox or the live address, according to the key. */
  readonly url: string | null;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

export function paddleProvider(options: PaddleOptions): PaymentProvider {
  return new PaddleProvider(options);
}

class PaddleProvider implements PaymentProvider {
  readonly name = 'paddle';
  readonly #options: PaddleOptions;
  readonly #api: PaddleApi;
  readonly #records: PaddleRecords;
  readonly #checkouts: PaddleCheckouts;
  readonly #refunds: PaddleRefunds;

  constructor(options: PaddleOptions) {
    const { key, clientToken, clock, publicUrl } = options;
    const url = options.url ?? PADDLE_URLS[paddleEnvironment(key, clientToken)];
    this.#options = options;
    this.#api = new PaddleApi({ key, url, clock });
    this.#records = new PaddleRecords(this.#api);
    this.#checkouts = new PaddleCheckouts({ api: this.#api, clock, publicUrl });
    this.#refunds = new PaddleRefunds(this.#api, this.#records, clock);
  }

  startCheckout(start: CheckoutStart, signal: AbortSignal): Promise<StartedCheckout> {
    return this.#checkouts.start(start, signal);
  }

  readWebhook(headers: WebhookHeaders, body: Uint8Array, now: EpochNs): ProviderEvent | null {
    if (body.length > EVENT_BYTES_MAX) return null;
    return readPaddleWebhook(this.#options.webhookSecrets, headers, body, now);
  }

  async fetch(ref: string, signal: AbortSignal): Promise<ProviderObject | null> {
    const checkout = await this.#records.checkout(ref, signal);
    if (checkout === null) return null;
    return providerObject(await this.#records.payment(checkout, signal));
  }

  async cancelAtPeriodEnd(ref: string, isCancelled: boolean, signal: AbortSignal): Promise<void> {
    const checkout = await this.#records.knownCheckout(ref, signal);
    if (kindOf(checkout) === 'purchase') throw new UpstreamError('a purchase does not renew');
    const { id, status, scheduledChange } = await this.#records.subscription(checkout, signal);
    if (status === 'canceled') throw new UpstreamError('the subscription is over at paddle');
    const change = scheduledChange?.action ?? null;
    if (isCancelled === (change === 'cancel')) return;
    if (change !== null) await this.#unschedule(id, signal);
    if (isCancelled) await this.#cancel(id, 'next_billing_period', signal);
  }

  async closeCheckout(ref: string, signal: AbortSignal): Promise<void> {
    await this.#checkouts.close(await this.#records.knownCheckout(ref, signal), signal);
  }

  async cancelNow(ref: string, signal: AbortSignal): Promise<void> {
    const checkout = await this.#records.knownCheckout(ref, signal);
    if (!isPaid(checkout)) return this.#checkouts.close(checkout, signal);
    if (kindOf(checkout) === 'purchase') return;
    const subscription = await this.#records.subscription(checkout, signal);
    if (subscription.status !== 'canceled') await this.#end(subscription, signal);
  }

  locate(objectRef: string, signal: AbortSignal): Promise<string | null> {
    return this.#records.locate(objectRef, signal);
  }

  eventsSince(from: EpochNs, limit: number, signal: AbortSignal): Promise<EventList> {
    return paddleEvents(this.#api, from, limit, signal);
  }

  async receipts(ref: string, signal: AbortSignal): Promise<readonly Receipt[]> {
    const checkout = await this.#records.knownCheckout(ref, signal);
    return paddleReceipts(this.#api, await this.#records.payment(checkout, signal), signal);
  }

  /**
   * Paddle's page has no way back to ours. It shows all data of its customer, and a buyer may enter anybody's address
   * in the payment window. So it is opened only for the customer for whom the checkout was started.
   */
  async customerPortal(ref: string, _returnUrl: string, signal: AbortSignal) {
    const checkout = await this.#records.knownCheckout(ref, signal);
    const { customerId } = checkout;
    if (customerId === null || !isPaid(checkout)) return null;
    if (customerId !== startedFor(checkout.checkout?.url)) return null;
    const session = await this.#api.ask('open a page for a customer', signal, (paddle) =>
      paddle.customerPortalSessions.create(customerId, subscriptionIds(checkout)),
    );
    return pageOf(session);
  }

  refund(ref: string, wish: RefundWish, signal: AbortSignal): Promise<RefundOutcome> {
    return this.#refunds.refund(ref, wish, signal);
  }

  readonly findRefund = (ref: string, key: string, signal: AbortSignal) =>
    this.#refunds.find(ref, key, signal);

  examine(signal: AbortSignal): Promise<readonly Finding[]> {
    const { key, clientToken, webhookSecrets, publicUrl } = this.#options;
    const environment = paddleEnvironment(key, clientToken);
    const about = { environment, clientToken, webhookSecrets, publicUrl: publicUrl() };
    return examinePaddle({ api: this.#api, ...about }, signal);
  }

  /** A change scheduled for the end of the period may prevent ending it now. */
  async #end({ id }: Subscription, signal: AbortSignal): Promise<void> {
    try {
      await this.#cancel(id, 'immediately', signal);
    } catch (error) {
      const isLocked =
        error instanceof PaddleRefusal && error.code === 'subscription_locked_pending_changes';
      if (!isLocked) throw error;
      await this.#unschedule(id, signal);
      await this.#cancel(id, 'immediately', signal);
    }
  }

  #cancel(id: string, effectiveFrom: 'immediately' | 'next_billing_period', signal: AbortSignal) {
    return this.#api.ask('cancel a subscription', signal, (paddle) =>
      paddle.subscriptions.cancel(id, { effectiveFrom }),
    );
  }

  #unschedule(id: string, signal: AbortSignal): Promise<Subscription> {
    return this.#api.ask('let a subscription go on', signal, (paddle) =>
      paddle.subscriptions.update(id, { scheduledChange: null }),
    );
  }
}

function pageOf({ urls }: CustomerPortalSession): string {
  const { overview } = urls.general;
  if (typeof overview !== 'string') throw fieldFault('urls.general.overview', overview);
  return overview;
}

function subscriptionIds({ subscriptionId }: Transaction): string[] {
  return subscriptionId === null ? [] : [subscriptionId];
}
