/**
 * A provider with a time limit for every call and a check of every answer. Any fault on its side rejects with
 * `UpstreamError`, and nothing of the answer is used.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Clock } from '../platform/clock.ts';
import {
  type CheckoutStart,
  type EventList,
  type Finding,
  type PaymentProvider,
  PaymentUnknownError,
  type ProviderObject,
  REFUND_OUTCOMES,
  type Receipt,
  type RefundOutcome,
  type RefundWish,
  type StartedCheckout,
  UpstreamError,
} from './payment-provider.ts';
import {
  eventListFault,
  type Known,
  objectFault,
  receiptsFault,
  refFault,
  sentToFault,
} from './provider-lies.ts';

/** How long a provider may take to answer; a buyer waits for some answers. */
export const PROVIDER_MS_MAX = 10_000;

export class AskedProvider {
  readonly #provider: PaymentProvider;
  readonly #clock: Clock;

  constructor(provider: PaymentProvider, clock: Clock) {
    this.#provider = provider;
    this.#clock = clock;
  }

  get name(): string {
    return this.#provider.name;
  }

  readWebhook(...args: Parameters<PaymentProvider['readWebhook']>) {
    return this.#provider.readWebhook(...args);
  }

  async startCheckout(start: CheckoutStart): Promise<StartedCheckout> {
    const started = await this.#inTime((signal) => this.#provider.startCheckout(start, signal));
    const fault = startedFault(started, start);
    if (fault !== null) throw this.#lie(fault);
    return started;
  }

  async fetch(order: Known): Promise<ProviderObject> {
    const object = await this.#inTime((signal) => this.#provider.fetch(order.ref, signal));
    if (object === null) {
      throw new PaymentUnknownError(`${this.name} does not know ${order.ref} any more`);
    }
    const fault = objectFault(object, order, this.#clock.now());
    if (fault !== null) throw this.#lie(`says of ${order.ref} ${fault}`);
    return object;
  }

  cancelAtPeriodEnd(order: Known, isCancelled: boolean): Promise<void> {
    return this.#inTime((signal) =>
      this.#provider.cancelAtPeriodEnd(order.ref, isCancelled, signal),
    );
  }

  closeCheckout(ref: string): Promise<void> {
    return this.#inTime((signal) => this.#provider.closeCheckout(ref, signal));
  }

  cancelNow(ref: string): Promise<void> {
    return this.#inTime((signal) => this.#provider.cancelNow(ref, signal));
  }

  async locate(objectRef: string): Promise<string | null> {
    const ref = await this.#inTime((signal) => this.#provider.locate(objectRef, signal));
    const fault = ref === null ? null : refFault(ref);
    if (fault !== null) throw this.#lie(`located ${objectRef} by ${fault}`);
    return ref;
  }

  async eventsSince(from: EpochNs, limit: number): Promise<EventList> {
    const list = await this.#inTime((signal) => this.#provider.eventsSince(from, limit, signal));
    const fault = eventListFault(list, limit);
    if (fault !== null) throw this.#lie(`listed events with ${fault}`);
    return list;
  }

  async receipts(order: Known): Promise<readonly Receipt[]> {
    const receipts = await this.#inTime((signal) => this.#provider.receipts(order.ref, signal));
    const fault = receiptsFault(receipts, order);
    if (fault !== null) throw this.#lie(`listed receipts of ${order.ref} with ${fault}`);
    return receipts;
  }

  async customerPortal(order: Known, returnUrl: string): Promise<string | null> {
    const url = await this.#inTime((signal) =>
      this.#provider.customerPortal(order.ref, returnUrl, signal),
    );
    const fault = url === null ? null : sentToFault(url, returnUrl);
    if (fault !== null) throw this.#lie(`has a page for customers with ${fault}`);
    return url;
  }

  async refund(order: Known, refund: RefundWish): Promise<RefundOutcome> {
    const outcome = await this.#inTime((signal) =>
      this.#provider.refund(order.ref, refund, signal),
    );
    if (!REFUND_OUTCOMES.includes(outcome))
      throw this.#lie(`refunded ${order.ref} in no known way`);
    return outcome;
  }

  /** Whether the provider refunds once for each key, whichever machines request it. */
  get hasRefundKeys(): boolean {
    return this.#provider.findRefund === null;
  }

  async findRefund(order: Known, key: string): Promise<RefundOutcome | null> {
    const { findRefund } = this.#provider;
    if (findRefund === null) throw new Error(`refunds of ${this.name} need not be found`);
    return this.#inTime((signal) => findRefund(order.ref, key, signal));
  }

  examine(): Promise<readonly Finding[]> {
    return this.#inTime((signal) => this.#provider.examine(signal));
  }

  async #inTime<Result>(ask: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const gone = new AbortController();
    const { promise: late, reject } = Promise.withResolvers<never>();
    using _ = this.#clock.after(PROVIDER_MS_MAX, () => {
      const error = new UpstreamError(`${this.name} did not answer in ${PROVIDER_MS_MAX} ms`);
      reject(error);
      gone.abort(error);
    });
    try {
      return await Promise.race([ask(gone.signal), late]);
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      throw new UpstreamError(`${this.name} could not be asked`, { cause: error });
    }
  }

  #lie(what: string): UpstreamError {
    return new UpstreamError(`${this.name} ${what}`);
  }
}

function startedFault({ url, ref }: StartedCheckout, { returnUrl }: CheckoutStart): string | null {
  const fault = refFault(ref) ?? sentToFault(url, returnUrl);
  return fault === null ? null : `started a checkout with ${fault}`;
}
