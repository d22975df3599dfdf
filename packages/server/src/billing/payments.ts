/**
 * Applies the providers' responses to orders and rights. A webhook is a hint, stored before its response. Then the provider is queried, and
 * its latest answer decides the order and its rights. So webhooks may arrive in any order, repeatedly or never:
 * `reconcile` lists events and queries everything that may have changed. Concurrent runs do no harm.
 */

import { grantsOfPayment, type Payment } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { Heard, OrderRecord, PaymentEventRecord } from '../accounts/orders/orders-store.ts';
import type { AccountStore } from '../accounts/store/account-store.ts';
import type { Actor } from '../accounts/store/store-call.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log/log.ts';
import { SerialQueues } from '../platform/waiting/serial-queue.ts';
import { AskedProvider } from './asked-provider.ts';
import { nextLook } from './next-look.ts';
import { PaymentListings } from './payment-listings.ts';
import {
  type PaymentProvider,
  PaymentUnknownError,
  UpstreamError,
  type WebhookHeaders,
} from './payment-provider.ts';
import { UnattendedWork } from './unattended-work.ts';

/** The most queries of one round; the rest is left for the next. */
const ROUND_MAX = 200;
/** After this many failures in a row, a provider is skipped for the rest of the round. */
const FAILURES_MAX = 3;
/** The retry wait doubles from a minute up to an hour. */
const DOUBLINGS_MAX = 6;
/** An event may arrive before its order is placed; after this many attempts it concerns nothing of ours. */
const UNKNOWN_LOOKS_MAX = 5;
/** The attempt at which an event without an order is logged: an order placed meanwhile would exist by then. */
const UNKNOWN_TOLD_AT = 2;
/** The event is given up after this many answers that it concerns nothing of ours. */
const NOTHING_LOOKS_MAX = 2;
const FORGOTTEN_AT_ONCE = 500;
const FAULT_LENGTH_MAX = 500;

const BILLING: Actor = { kind: 'billing' };

export interface PaymentsOptions {
  readonly store: AccountStore;
  readonly providers: readonly PaymentProvider[];
  readonly clock: Clock;
  readonly log: Log;
}

export type WebhookOutcome = 'unknown-provider' | 'unsigned' | 'received' | 'known';

export interface Round {
  /** Events that no webhook delivered. */
  readonly listed: number;
  readonly events: number;
  readonly orders: number;
  /** Events and orders for which querying the provider failed. */
  readonly failed: number;
  readonly changed: number;
}

type Unsettled = Pick<PaymentEventRecord, 'provider' | 'id' | 'objectRef' | 'attempts'>;

export class Payments {
  readonly #options: PaymentsOptions;
  readonly #providers: ReadonlyMap<string, AskedProvider>;
  readonly #listings: PaymentListings;
  readonly #queues = new SerialQueues();
  /** Queued queries by order: a request before such a query begins shares it. */
  readonly #waiting = new Map<string, Promise<OrderRecord>>();
  readonly #work: UnattendedWork<Round>;
  /** Providers whose last call failed. */
  readonly #failing = new Set<string>();
  readonly #webhooks: Record<WebhookOutcome, number> = {
    'unknown-provider': 0,
    unsigned: 0,
    received: 0,
    known: 0,
  };
  #failedTotal = 0;

  constructor(options: PaymentsOptions) {
    const { providers, clock } = options;
    this.#options = options;
    this.#work = new UnattendedWork(options.log, 'a payment event could not be settled');
    this.#listings = new PaymentListings(options);
    this.#providers = new Map(providers.map((one) => [one.name, new AskedProvider(one, clock)]));
  }

  has(name: string): boolean {
    return this.#providers.has(name);
  }

  provider(name: string): AskedProvider {
    const provider = this.#providers.get(name);
    if (provider === undefined) throw new UpstreamError(`there is no provider ${name} here`);
    return provider;
  }

  /** Received webhooks, by outcome. */
  get webhooks(): Readonly<Record<WebhookOutcome, number>> {
    return this.#webhooks;
  }

  /** How often a call of a provider failed. */
  get failedTotal(): number {
    return this.#failedTotal;
  }

  get failing(): number {
    return this.#failing.size;
  }

  /** Resolves when the event is stored. The event is settled in the background. */
  async receive(name: string, headers: WebhookHeaders, body: Uint8Array): Promise<WebhookOutcome> {
    const outcome = await this.#receive(name, headers, body);
    this.#webhooks[outcome] += 1;
    return outcome;
  }

  async #receive(name: string, headers: WebhookHeaders, body: Uint8Array): Promise<WebhookOutcome> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const provider = this.#providers.get(name);
    if (provider === undefined) return 'unknown-provider';
    const event = provider.readWebhook(headers, body, now);
    if (event === null) return 'unsigned';
    const kept = { provider: name, id: event.id, objectRef: event.objectRef, at: event.at };
    if (!(await store.orders.receiveEvent(now, kept))) return 'known';
    this.#work.inBackground(this.#settle({ ...kept, attempts: 0 }));
    return 'received';
  }

  /** Asks the provider about an order now, and stores the answer. */
  look(order: OrderRecord, actor: Actor = BILLING): Promise<OrderRecord> {
    const waiting = this.#waiting.get(order.id);
    if (waiting !== undefined) return waiting;
    let hasBegun = false;
    const look = this.#queues.run(order.id, () => {
      hasBegun = true;
      this.#waiting.delete(order.id);
      return this.#look(order, actor);
    });
    if (!hasBegun) this.#waiting.set(order.id, look);
    return look;
  }

  /** Makes the next round list all providers' events: events that were stored may be missing now. */
  listAgain(): void {
    this.#listings.listAgain();
  }

  /** Asks about everything that is due. */
  reconcile(): Promise<Round> {
    return this.#work.round(() => this.#reconcile());
  }

  /** Resolves when no work is in progress. */
  idle(): Promise<void> {
    return this.#work.idle();
  }

  async #look(order: OrderRecord, actor: Actor): Promise<OrderRecord> {
    const { store, clock } = this.#options;
    const ask = await store.orders.beginAsk(order);
    const object = await this.provider(order.provider).fetch(order);
    this.#answered(order.provider);
    const { kind, state, paidAt, paidUntil, cancelAtPeriodEnd, revision } = object;
    const payment = { kind, state, paidAt, paidUntil, cancelAtPeriodEnd };
    const now = clock.now();
    const lookAt = nextLook({ createdAt: order.createdAt, payment }, now);
    const heard = await store.orders.hearPayment(
      { now, actor },
      {
        provider: order.provider,
        ref: order.ref,
        payment,
        revision,
        grants: grantsOfPayment(order.grants, payment),
        ask,
        lookAt,
      },
    );
    // Its reference was found before, and orders are not removed while their account exists.
    if (heard === null) throw new Error(`order ${order.id} is gone`);
    if (heard.isAccountGone) await this.#endForNobody(heard);
    else if (heard.order.writtenOffAt !== null) await this.#endWrittenOff(heard.order, payment);
    return { ...heard.order, lookAt };
  }

  /** A deleted account is charged nothing more; the operator must refund what was charged all the same. */
  async #endForNobody({ before, order, isNew }: Heard): Promise<void> {
    const { store, clock, log } = this.#options;
    const { id, provider, ref, kind, state } = order;
    const isFirst = before.paidAt === null && order.paidAt !== null;
    if (isNew && (isFirst || state === 'paid')) {
      log.error({ order: id, provider, ref }, 'a deleted account was charged: give the money back');
    }
    const isRunning = state === 'paid' || state === 'past_due' || state === 'cancelled';
    if (state !== 'open' && (kind === 'purchase' || !isRunning)) return;
    await this.provider(provider).cancelNow(ref);
    await store.orders.lookAgain(order, (clock.now() + MINUTE_NS_BIG) as EpochNs);
  }

  /** An order that was written off is charged nothing: its payment is cancelled until it has ended. */
  async #endWrittenOff(order: OrderRecord, { kind, state }: Payment): Promise<void> {
    const { store, clock } = this.#options;
    const isRunning = state === 'paid' || state === 'past_due' || state === 'cancelled';
    if (state !== 'open' && (kind === 'purchase' || !isRunning)) return;
    await store.orders.lookAgain(order, (clock.now() + MINUTE_NS_BIG) as EpochNs);
    await this.provider(order.provider).cancelNow(order.ref);
  }

  /** Settles an event: its order takes over the provider's answer, or the event is put off. */
  async #settle(event: Unsettled): Promise<'changed' | 'same' | 'failed'> {
    const { store } = this.#options;
    const { provider, objectRef: ref } = event;
    try {
      const order =
        (await store.orders.findOrderByRef({ provider, ref })) ?? (await this.#locate(event));
      return order === null ? 'same' : await this.#hear(event, order);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      this.#warn(provider, error, { event: event.id });
      const fault = error.message.slice(0, FAULT_LENGTH_MAX);
      await store.orders.putOffEvent(event, { tryAt: this.#after(event.attempts), fault });
      return 'failed';
    }
  }

  async #hear(event: Unsettled, order: OrderRecord): Promise<'changed' | 'same'> {
    const { store, clock, log } = this.#options;
    if (order.writtenOffAt !== null) {
      const about = { order: order.id, event: event.id, provider: order.provider, ref: order.ref };
      log.warn(about, 'a payment that was written off changed: look at it with its provider');
      await store.orders.putOffEvent(event, { tryAt: null, fault: 'its order was written off' });
      await store.orders.lookAgain(order, clock.now());
      return 'same';
    }
    const after = await this.look(order);
    if (after.revision > order.revision) return 'changed';
    // Something changed, but the provider's answer does not include it yet.
    const soon = (clock.now() + MINUTE_NS_BIG) as EpochNs;
    if (after.lookAt === null || soon < after.lookAt) await store.orders.lookAgain(order, soon);
    return 'same';
  }

  /** The order of an event that names another object of the provider; null: the event is put off. */
  async #locate(event: Unsettled): Promise<OrderRecord | null> {
    const { store } = this.#options;
    const { provider, objectRef, attempts } = event;
    const ref = await this.provider(provider).locate(objectRef);
    this.#answered(provider);
    if (ref !== null && ref !== objectRef) await store.orders.nameEvent(event, ref);
    const order = ref === null ? null : await store.orders.findOrderByRef({ provider, ref });
    if (order !== null) return order;
    if (ref !== null && attempts + 1 === UNKNOWN_TOLD_AT) this.#tellOrphan(event, ref);
    const isLast = attempts + 1 >= (ref === null ? NOTHING_LOOKS_MAX : UNKNOWN_LOOKS_MAX);
    const tryAt = isLast ? null : this.#after(attempts);
    await store.orders.putOffEvent(event, { tryAt, fault: 'no order has this reference' });
    return null;
  }

  /** After a restore, these are the orders placed after the backup. */
  #tellOrphan({ id, provider }: Unsettled, ref: string): void {
    const words = 'a payment belongs to no order here: look at it with its provider';
    this.#options.log.warn({ event: id, provider, ref }, words);
  }

  async #reconcile(): Promise<Round> {
    const { store, clock } = this.#options;
    const counts = { listed: 0, events: 0, orders: 0, failed: 0, changed: 0 };
    const failures = new Map<string, number>();
    const isDown = (provider: string) => (failures.get(provider) ?? 0) >= FAILURES_MAX;
    const note = (provider: string, outcome: 'changed' | 'same' | 'failed') => {
      failures.set(provider, outcome === 'failed' ? (failures.get(provider) ?? 0) + 1 : 0);
      if (outcome === 'failed') counts.failed += 1;
      if (outcome === 'changed') counts.changed += 1;
    };
    for (const provider of await this.#listings.due(this.#providers)) {
      const listed = await this.#list(provider);
      if (listed === 'failed') note(provider.name, 'failed');
      else counts.listed += listed;
    }
    for (const event of await store.orders.dueEvents(clock.now(), ROUND_MAX)) {
      if (isDown(event.provider)) continue;
      counts.events += 1;
      note(event.provider, await this.#settle(event));
    }
    for (const order of await store.orders.dueOrders(clock.now(), ROUND_MAX)) {
      if (isDown(order.provider)) continue;
      counts.orders += 1;
      note(order.provider, await this.#lookInRound(order));
    }
    await store.orders.forgetEvents(clock.now(), FORGOTTEN_AT_ONCE);
    return counts;
  }

  async #list(provider: AskedProvider): Promise<number | 'failed'> {
    try {
      const added = await this.#listings.list(provider);
      this.#answered(provider.name);
      return added;
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      this.#warn(provider.name, error, { call: 'eventsSince' });
      return 'failed';
    }
  }

  async #lookInRound(order: OrderRecord): Promise<'changed' | 'same' | 'failed'> {
    try {
      const after = await this.look(order);
      return after.revision > order.revision ? 'changed' : 'same';
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      this.#warn(order.provider, error, { order: order.id });
      if (error instanceof PaymentUnknownError && order.writtenOffAt !== null) {
        await this.#options.store.orders.lookAgain(order, null);
        return 'same';
      }
      // An order with invalid answers must not block the others.
      await this.#options.store.orders.lookAgain(order, this.#after(DOUBLINGS_MAX - 2));
      return 'failed';
    }
  }

  #after(attempts: number): EpochNs {
    const wait = MINUTE_NS_BIG * 2n ** BigInt(Math.min(attempts, DOUBLINGS_MAX));
    return (this.#options.clock.now() + wait) as EpochNs;
  }

  /** Warns when the trouble begins; while it lasts, every order meets it. */
  #warn(provider: string, error: UpstreamError, about: Readonly<Record<string, string>>): void {
    const level = this.#failing.has(provider) ? 'debug' : 'warn';
    this.#failing.add(provider);
    this.#failedTotal += 1;
    this.#options.log[level]({ error, ...about }, 'a payment provider could not be asked');
  }

  #answered(provider: string): void {
    if (!this.#failing.delete(provider)) return;
    this.#options.log.warn({ provider }, 'a payment provider answers again');
  }
}
