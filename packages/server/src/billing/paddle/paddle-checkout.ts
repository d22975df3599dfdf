/**
 * Checkouts at Paddle. Paddle has no idempotency keys, so existing objects are looked up first: the customer by e-mail
 * address, the address by country, the transaction by our order in its `custom_data`. One order is handled once at a
 * time here. A call after a restart, or after a lost response, finds the existing transaction.
 */

import type { CountryCode, CurrencyCode, Customer, Transaction } from '@paddle/paddle-node-sdk';
import type { Clock } from '../../platform/clock.ts';
import { type CheckoutStart, type StartedCheckout, UpstreamError } from '../payment-provider.ts';
import { type PaddleApi, PaddleRefusal } from './paddle-api.ts';
import { CUSTOMER_ID, idOf, TRANSACTION_ID } from './paddle-fields.ts';
import { PaddleFlights } from './paddle-flights.ts';
import { paddlePageUrl } from './paddle-page-address.ts';
import { ORDER_MEMBER, orderOf } from './paddle-payment.ts';

/** An order's checkout is among the buyer's newest. */
const RECENT_MAX = 30;
const ADDRESSES_MAX = 50;
/** Standard digital goods: the only tax category that needs no approval by Paddle. */
const TAX_CATEGORY = 'standard';
/** A country without postal codes. */
const CLOSING_COUNTRY = 'HK';

export interface PaddleCheckoutsOptions {
  readonly api: PaddleApi;
  readonly clock: Clock;
  readonly publicUrl: () => string;
}

export class PaddleCheckouts {
  readonly #options: PaddleCheckoutsOptions;
  readonly #flights: PaddleFlights<string>;

  constructor(options: PaddleCheckoutsOptions) {
    this.#options = options;
    this.#flights = new PaddleFlights(options.clock);
  }

  async start(start: CheckoutStart, signal: AbortSignal): Promise<StartedCheckout> {
    const { orderId } = start;
    signal.throwIfAborted();
    const ref =
      this.#flights.known(orderId) ??
      (await this.#flights.run(orderId, signal, (inTime) => this.#startOnce(start, inTime)));
    return { ref, url: this.#pageUrl(start, ref) };
  }

  /** Closes an unpaid checkout. */
  async close(checkout: Transaction, signal: AbortSignal): Promise<void> {
    if (checkout.status !== 'draft' && checkout.status !== 'ready') return;
    if (await this.#isCancelled(checkout.id, signal)) return;
    const { api } = this.#options;
    const now = await api.ask('read a transaction', signal, (paddle) =>
      paddle.transactions.get(checkout.id),
    );
    if (now.status === 'draft') await this.#closeDraft(now, signal);
    // Any other checkout is paid or closed by now, and stays as it is.
    else if (now.status === 'ready') throw new UpstreamError('paddle did not close a checkout');
  }

  #pageUrl(start: CheckoutStart, transaction: string | null, customer?: string): string {
    const { returnUrl, backUrl } = start;
    const of = customer === undefined ? {} : { customer };
    return paddlePageUrl(this.#options.publicUrl(), { returnUrl, backUrl, transaction, ...of });
  }

  async #startOnce(start: CheckoutStart, signal: AbortSignal): Promise<string> {
    if (start.email === null) {
      throw new UpstreamError('paddle starts no checkout for an account without an e-mail address');
    }
    const customerId = await this.#customer(start.email, signal);
    const transaction =
      (await this.#started(start.orderId, customerId, signal)) ??
      (await this.#create(start, customerId, signal));
    const ref = idOf('transaction.id', transaction.id, TRANSACTION_ID);
    this.#flights.remember(start.orderId, ref);
    return ref;
  }

  async #started(orderId: string, customerId: string, signal: AbortSignal) {
    const recent = await this.#options.api.list('list transactions', signal, RECENT_MAX, (paddle) =>
      paddle.transactions.list({
        customerId: [customerId],
        origin: ['api'],
        orderBy: 'created_at[DESC]',
        perPage: RECENT_MAX,
      }),
    );
    return recent.find((one) => orderOf(one) === orderId) ?? null;
  }

  async #create(start: CheckoutStart, customerId: string, signal: AbortSignal) {
    const { orderId, offer, offerName, amountMinor, currency, kind, taxIncluded } = start;
    const addressId = await this.#address(customerId, start.country, signal);
    const currencyCode = currency as CurrencyCode;
    const price = {
      name: offerName,
      description: offer,
      unitPrice: { amount: String(amountMinor), currencyCode },
      billingCycle: kind === 'subscription' ? ({ interval: 'month', frequency: 1 } as const) : null,
      taxMode: taxIncluded ? ('internal' as const) : ('external' as const),
      quantity: { minimum: 1, maximum: 1 },
      product: { name: offerName, description: offer, taxCategory: TAX_CATEGORY } as const,
    };
    return this.#options.api.ask('start a checkout', signal, (paddle) =>
      paddle.transactions.create({
        items: [{ quantity: 1, price }],
        customerId,
        ...(addressId === null ? {} : { addressId }),
        currencyCode,
        collectionMode: 'automatic',
        customData: { [ORDER_MEMBER]: orderId },
        checkout: { url: this.#pageUrl(start, null, customerId) },
      }),
    );
  }

  async #customer(email: string, signal: AbortSignal): Promise<string> {
    const { api } = this.#options;
    const [known] = await api.list('list customers', signal, 1, (paddle) =>
      paddle.customers.list({ email: [email], status: ['active', 'archived'], perPage: 1 }),
    );
    if (known !== undefined) return this.#active(known.id, known, signal);
    try {
      const made = await api.ask('add a customer', signal, (paddle) =>
        paddle.customers.create({ email }),
      );
      return idOf('customer.id', made.id, CUSTOMER_ID);
    } catch (error) {
      // It was added meanwhile, or the address differs in upper and lower case.
      const isThere = error instanceof PaddleRefusal && error.code === 'customer_already_exists';
      const id = isThere ? error.ids.find((one) => CUSTOMER_ID.test(one)) : undefined;
      if (id === undefined) throw error;
      return this.#active(id, null, signal);
    }
  }

  /** A transaction needs an active customer, not an archived one. */
  async #active(id: string, known: Customer | null, signal: AbortSignal): Promise<string> {
    const { api } = this.#options;
    const customerId = idOf('customer.id', id, CUSTOMER_ID);
    const customer =
      known ??
      (await api.ask('read a customer', signal, (paddle) => paddle.customers.get(customerId)));
    if (customer.status === 'active') return customerId;
    await api.ask('take a customer up again', signal, (paddle) =>
      paddle.customers.update(customerId, { status: 'active' }),
    );
    return customerId;
  }

  /** Null: Paddle requires a postal code there, which the buyer enters on its page. */
  async #address(customerId: string, country: string, signal: AbortSignal): Promise<string | null> {
    const { api } = this.#options;
    const addresses = await api.list('list addresses', signal, ADDRESSES_MAX, (paddle) =>
      paddle.addresses.list(customerId, { status: ['active'], perPage: ADDRESSES_MAX }),
    );
    const known = addresses.find(({ countryCode }) => countryCode === country);
    if (known !== undefined) return known.id;
    try {
      return await this.#addAddress(customerId, country, signal);
    } catch (error) {
      const isPostal = (field: string) => field.includes('postal_code');
      if (error instanceof PaddleRefusal && [error.code, ...error.fields].some(isPostal))
        return null;
      throw error;
    }
  }

  async #addAddress(customerId: string, country: string, signal: AbortSignal): Promise<string> {
    const { id } = await this.#options.api.ask('add an address', signal, (paddle) =>
      paddle.addresses.create(customerId, { countryCode: country as CountryCode }),
    );
    return id;
  }

  /** False: Paddle rejects it because of the transaction's state. */
  async #isCancelled(id: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.api.ask('close a checkout', signal, (paddle) =>
        paddle.transactions.update(id, { status: 'canceled' }),
      );
      return true;
    } catch (error) {
      if (error instanceof PaddleRefusal && REFUSED_BY_STATE.includes(error.code)) return false;
      throw error;
    }
  }

  /**
   * Paddle cancels only a `ready` transaction. One without an address is a `draft`, in which a buyer could still enter
   * one and pay. So it gets a dummy address, is cancelled, and the address is archived.
   */
  async #closeDraft({ id, customerId }: Transaction, signal: AbortSignal): Promise<void> {
    const { api } = this.#options;
    const customer = idOf('transaction.customer_id', customerId, CUSTOMER_ID);
    const addressId = await this.#addAddress(customer, CLOSING_COUNTRY, signal);
    try {
      await api.ask('make a checkout ready to close', signal, (paddle) =>
        paddle.transactions.update(id, { addressId }),
      );
      if (!(await this.#isCancelled(id, signal))) {
        throw new UpstreamError('paddle did not close a checkout');
      }
    } finally {
      await api.ask('put an address away', signal, (paddle) =>
        paddle.addresses.archive(customer, addressId),
      );
    }
  }
}

const REFUSED_BY_STATE: readonly string[] = [
  'transaction_invalid_status_change',
  'transaction_immutable',
];
