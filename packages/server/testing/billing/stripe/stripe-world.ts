/** The state of a local Stripe: objects by id, their events, and its time. Two modules beside it change it. */

import type { EpochNs } from '@tapeloom/core/numbers';
import Stripe from 'stripe';
import { LIVE_MODE, type Terms } from './stripe-world-objects.ts';

export type StripeObject =
  | Stripe.Customer
  | Stripe.Checkout.Session
  | Stripe.Subscription
  | Stripe.Invoice
  | Stripe.InvoicePayment
  | Stripe.PaymentIntent
  | Stripe.Charge
  | Stripe.Refund
  | Stripe.Dispute;

export class StripeRefusal extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;

  constructor(status: number, code: string | null, message: string, param: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

export class StripeWorld {
  readonly customers: Stripe.Customer[] = [];
  readonly sessions: Stripe.Checkout.Session[] = [];
  readonly subscriptions: Stripe.Subscription[] = [];
  readonly invoices: Stripe.Invoice[] = [];
  readonly invoicePayments: Stripe.InvoicePayment[] = [];
  readonly intents: Stripe.PaymentIntent[] = [];
  readonly charges: Stripe.Charge[] = [];
  readonly refunds: Stripe.Refund[] = [];
  readonly disputes: Stripe.Dispute[] = [];
  readonly events: Stripe.Event[] = [];
  readonly endpoints: Stripe.WebhookEndpoint[] = [];
  readonly lineItems = new Map<string, Stripe.LineItem>();
  readonly terms = new Map<string, Terms>();
  /** Customers whose bank declines from now on. */
  readonly declined = new Set<string>();
  /** Objects that time still changes. */
  readonly pending = {
    sessions: new Set<Stripe.Checkout.Session>(),
    subscriptions: new Set<Stripe.Subscription>(),
    invoices: new Set<Stripe.Invoice>(),
  };
  readonly #objects = new Map<string, StripeObject>();
  readonly #clock: () => EpochNs;
  readonly #onEvent: (event: Stripe.Event) => void;
  #ids = 0;
  /** The instant being processed while catching up. */
  at: number | null = null;

  constructor(clock: () => EpochNs, onEvent: (event: Stripe.Event) => void) {
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  /** In seconds, as at Stripe. */
  get now(): number {
    return this.at ?? Number(this.#clock() / 1_000_000_000n);
  }

  id(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_${String(this.#ids).padStart(14, '0')}`;
  }

  add<Added extends StripeObject>(list: Added[], object: Added): Added {
    list.push(object);
    this.#objects.set(object.id, object);
    return object;
  }

  find(id: string): StripeObject | null {
    return this.#objects.get(id) ?? null;
  }

  /** By id; throws Stripe's error if there is none. */
  get<Found extends StripeObject>(list: readonly Found[], id: string, param = 'id'): Found {
    const object = this.#objects.get(id);
    if (object !== undefined && (list as readonly StripeObject[]).includes(object)) {
      return object as Found;
    }
    const what = id.split('_')[0] ?? 'object';
    throw new StripeRefusal(404, 'resource_missing', `No such ${what}: '${id}'`, param);
  }

  termsOf(id: string): Terms {
    const terms = this.terms.get(id);
    if (terms === undefined) throw new Error(`${id} was never bought`);
    return terms;
  }

  emit(type: Stripe.Event.Type, object: StripeObject): void {
    const event = {
      id: this.id('evt'),
      object: 'event',
      api_version: Stripe.API_VERSION,
      created: this.now,
      // A copy, so that later changes do not affect the event.
      data: { object: JSON.parse(JSON.stringify(object)) },
      livemode: LIVE_MODE,
      pending_webhooks: 1,
      request: null,
      type,
    } satisfies Stripe.EventBase as Stripe.Event;
    this.events.push(event);
    this.#onEvent(event);
  }
}
