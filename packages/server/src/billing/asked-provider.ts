/**
 * A provider as it is asked: for so long and no longer, and what it answers is believed only if it makes sense.
 * Whatever goes wrong on its side rejects with `UpstreamError`, and nothing was taken from it.
 */

import { PAYMENT_STATES } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { OrderTerms } from '../accounts/orders-store.ts';
import type { Clock } from '../platform/clock.ts';
import {
  type CheckoutStart,
  type PaymentProvider,
  type ProviderObject,
  type StartedCheckout,
  UpstreamError,
} from './payment-provider.ts';

/** How long a provider may take to answer; a buyer waits for some of it. */
export const PROVIDER_MS_MAX = 10_000;
/** The period of a subscription is a month; nobody has paid for more than a year ahead. */
const PAID_AHEAD_NS_MAX = 400n * 86_400_000_000_000n;
const REF_LENGTH_MAX = 255;
const URL_LENGTH_MAX = 2_048;

type Known = Pick<OrderTerms, 'id' | 'ref' | 'kind'>;

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
    const fault = startedFault(started);
    if (fault !== null) throw this.#lie(fault);
    return started;
  }

  async fetch(order: Known): Promise<ProviderObject> {
    const object = await this.#inTime((signal) => this.#provider.fetch(order.ref, signal));
    if (object === null) throw this.#lie(`does not know ${order.ref} any more`);
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

function startedFault({ url, ref }: StartedCheckout): string | null {
  if (typeof ref !== 'string' || ref === '' || ref.length > REF_LENGTH_MAX) {
    return 'started a checkout without a usable reference';
  }
  const isUrl = typeof url === 'string' && url.length <= URL_LENGTH_MAX && URL.canParse(url);
  if (!isUrl) return 'started a checkout without a usable address';
  const { protocol, username } = new URL(url);
  if ((protocol !== 'https:' && protocol !== 'http:') || username !== '') {
    return 'started a checkout at an address that no buyer is sent to';
  }
  return null;
}

function objectFault(object: ProviderObject, order: Known, now: EpochNs): string | null {
  const { ref, orderId, kind, state, paidAt, paidUntil, cancelAtPeriodEnd, revision } = object;
  if (ref !== order.ref) return 'that it is another one';
  if (orderId !== order.id) return 'that it belongs to another order';
  if (kind !== order.kind) return `that it is a ${kind}, and a ${order.kind} was ordered`;
  if (!PAYMENT_STATES.includes(state)) return 'a state that there is not';
  if (!Number.isSafeInteger(revision) || revision < 0) return 'no revision';
  if (!isInstant(paidAt) || !isInstant(paidUntil)) return 'times that are none';
  if (typeof cancelAtPeriodEnd !== 'boolean') return 'not whether it renews';
  const isPaid = state === 'paid' || state === 'past_due' || state === 'cancelled';
  if (!isPaid) return null;
  if (paidAt === null) return `that it is ${state}, and not since when`;
  if (kind !== 'subscription') return null;
  if (paidUntil === null) return `that it is ${state}, and not until when`;
  return paidUntil > now + PAID_AHEAD_NS_MAX ? 'that it is paid for years' : null;
}

function isInstant(value: unknown): boolean {
  return value === null || (typeof value === 'bigint' && value >= 0n);
}
