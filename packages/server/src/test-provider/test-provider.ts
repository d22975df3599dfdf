/** The payment port to the provider `test`: like any adapter, but to a system that we simulate ourselves. */

import type { EpochNs } from '@tapeloom/core/numbers';
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
} from '../billing/payment-provider.ts';
import { untilAborted } from '../billing/until-aborted.ts';
import { isLoopbackUrl } from '../config/public-address.ts';
import { CARD_PAGE, RECEIPT_PAGES } from './customer-pages.ts';
import {
  type Change,
  cancelledAtPeriodEnd,
  cancelledNow,
  closedCheckout,
  isRunning,
  refundedBy,
  type TestCharge,
  type TestPayment,
} from './test-payment.ts';
import type { TestPayments } from './test-payments.ts';
import { isSignedBy, SIGNATURE_HEADER } from './webhook-signature.ts';

const EVENT_BYTES_MAX = 4_096;
const EVENT_ID = /^evt_[0-9a-f]{32}$/;
const INSTANT = /^(?:0|[1-9]\d{0,19})$/;

/** The path of payment pages below the public address. */
export const PAYMENT_PAGES = '/pay/test/';

export class TestProvider implements PaymentProvider {
  readonly name = 'test';
  readonly #payments: TestPayments;
  readonly #publicUrl: () => string;

  constructor(payments: TestPayments, publicUrl: () => string) {
    this.#payments = payments;
    this.#publicUrl = publicUrl;
  }

  startCheckout(checkout: CheckoutStart, signal: AbortSignal): Promise<StartedCheckout> {
    const { orderId, kind, offerName, amountMinor, currency, country, returnUrl, backUrl } =
      checkout;
    const { billTo = null } = checkout;
    const paid = { orderId, kind, offerName, amountMinor, currency };
    const terms = { ...paid, country, billTo, returnUrl, backUrl };
    return this.#ask(signal, async () => {
      const { ref } = await this.#payments.start(terms);
      return { ref, url: this.#page(ref) };
    });
  }

  readWebhook(headers: WebhookHeaders, body: Uint8Array, now: EpochNs): ProviderEvent | null {
    const { secrets } = this.#payments;
    if (body.length > EVENT_BYTES_MAX) return null;
    return isSignedBy(secrets, headers[SIGNATURE_HEADER], body, now) ? eventOf(body) : null;
  }

  fetch(ref: string, signal: AbortSignal): Promise<ProviderObject | null> {
    return this.#ask(signal, async () => {
      const payment = this.#payments.find(ref);
      return payment === null ? null : objectOf(payment);
    });
  }

  cancelAtPeriodEnd(ref: string, isCancelled: boolean, signal: AbortSignal): Promise<void> {
    return this.#change(ref, cancelledAtPeriodEnd(isCancelled), signal);
  }

  closeCheckout(ref: string, signal: AbortSignal): Promise<void> {
    return this.#change(ref, closedCheckout, signal);
  }

  cancelNow(ref: string, signal: AbortSignal): Promise<void> {
    return this.#change(ref, cancelledNow, signal);
  }

  locate(objectRef: string, signal: AbortSignal): Promise<string | null> {
    return this.#ask(signal, async () => this.#payments.find(objectRef)?.ref ?? null);
  }

  eventsSince(from: EpochNs, limit: number, signal: AbortSignal): Promise<EventList> {
    return this.#ask(signal, async () => {
      const told = this.#payments.toldSince(from).slice(0, limit);
      const events = told.map(({ ref, id, at }) => ({ id, objectRef: ref, at }));
      return { events, nextFrom: nextFrom(events, from, limit) };
    });
  }

  receipts(ref: string, signal: AbortSignal): Promise<readonly Receipt[]> {
    return this.#ask(signal, async () => {
      const payment = this.#known(ref);
      const page = this.#page(ref);
      const pages = page.startsWith('https:') || isLoopbackUrl(page) ? page : null;
      return payment.charges.map((charge) => receiptOf(charge, payment, pages)).reverse();
    });
  }

  customerPortal(ref: string, _returnUrl: string, signal: AbortSignal): Promise<string | null> {
    return this.#ask(signal, async () => {
      const payment = this.#known(ref);
      const isCharged = payment.kind === 'subscription' && isRunning(payment);
      return isCharged ? `${this.#page(ref)}${CARD_PAGE}` : null;
    });
  }

  refund(
    ref: string,
    { key, amountMinor }: RefundWish,
    signal: AbortSignal,
  ): Promise<RefundOutcome> {
    return this.#ask(signal, async () => {
      this.#known(ref);
      await this.#payments.change(ref, refundedBy(key, amountMinor));
      return this.#known(ref).refundKeys.includes(key) ? 'done' : 'nothing';
    });
  }

  readonly findRefund = null;

  examine(signal: AbortSignal): Promise<readonly Finding[]> {
    const count = this.#payments.size;
    const detail = `${count} payments are kept below the data directory; no money moves`;
    return this.#ask(signal, async () => [{ what: 'payments', outcome: 'warning', detail }]);
  }

  #known(ref: string): TestPayment {
    const payment = this.#payments.find(ref);
    if (payment === null) throw new UpstreamError(`test has no payment ${ref}`);
    return payment;
  }

  #page(ref: string): string {
    return `${this.#publicUrl()}${PAYMENT_PAGES}${ref}`;
  }

  #change(ref: string, change: Change, signal: AbortSignal): Promise<void> {
    return this.#ask(signal, async () => {
      const after = await this.#payments.change(ref, change);
      if (after === null) throw new UpstreamError(`test has no payment ${ref}`);
      if ('refused' in after) throw new UpstreamError(`test refused: ${after.refused}`);
    });
  }

  async #ask<Answer>(signal: AbortSignal, answer: () => Promise<Answer>): Promise<Answer> {
    signal.throwIfAborted();
    const { reach } = this.#payments;
    if (reach === 'down') throw new UpstreamError('test is down');
    const answered = reach === 'silent' ? new Promise<never>(() => {}) : answer();
    try {
      const given = await untilAborted(answered, signal);
      if (reach === 'cut') throw new UpstreamError('test was cut off while it answered');
      return given;
    } catch (error) {
      if (error instanceof UpstreamError || signal.aborted) throw error;
      throw new UpstreamError('test failed', { cause: error });
    }
  }
}

/** Advances whenever there may be more events, even if a whole page happened in one instant. */
function nextFrom(events: readonly ProviderEvent[], from: EpochNs, limit: number): EpochNs {
  const last = events.at(-1)?.at ?? from;
  return events.length === limit && last === from ? ((from + 1n) as EpochNs) : last;
}

function objectOf(payment: TestPayment): ProviderObject {
  const { ref, orderId, kind, state, paidAt, paidUntil, cancelAtPeriodEnd, revision } = payment;
  const { amountMinor, currency } = payment;
  const said = { ref, orderId, kind, state, paidAt, paidUntil, cancelAtPeriodEnd, revision };
  return { ...said, amountMinor, currency };
}

function receiptOf(charge: TestCharge, { currency }: TestPayment, pages: string | null): Receipt {
  const { id, at, totalMinor, refundedMinor, isFailed } = charge;
  const isRefunded = refundedMinor === totalMinor;
  const state = isFailed ? 'failed' : isRefunded ? 'refunded' : 'paid';
  const url = pages === null || isFailed ? null : `${pages}${RECEIPT_PAGES}${id}`;
  return { id, at, totalMinor, taxMinor: 0, refundedMinor, currency, state, url };
}

/** The signature is ours, but a body that cannot be read is rejected. */
function eventOf(body: Uint8Array): ProviderEvent | null {
  let event: Partial<Record<'id' | 'object' | 'at', unknown>> | null;
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return null;
  }
  const { id, object, at } = event ?? {};
  const isEvent = typeof id === 'string' && typeof object === 'string' && typeof at === 'string';
  if (!isEvent || !EVENT_ID.test(id) || !INSTANT.test(at)) return null;
  return { id, objectRef: object, at: BigInt(at) as EpochNs };
}
