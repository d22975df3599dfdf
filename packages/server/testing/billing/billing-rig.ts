/** Billing over a real store in memory, with a scripted provider for each of two regions and a manual clock. */

import { type Plan, planAt } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import type { OrderRecord } from '../../src/accounts/orders/orders-store.ts';
import type { AccountStore } from '../../src/accounts/store/account-store.ts';
import { openSqliteAccountStore } from '../../src/accounts/store/sqlite/sqlite-account-store.ts';
import { Billing, type CheckoutWish, type Refusal } from '../../src/billing/billing.ts';
import type { OfferBook } from '../../src/billing/offer-book.ts';
import { Payments } from '../../src/billing/payments.ts';
import type { OutgoingMail } from '../../src/mail/mailer.ts';
import type { OwedMails } from '../../src/mail/owed-mails.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { owedMailsOver } from '../mail/owed-mail-desk.ts';
import { ScriptedProvider, type SentWebhook } from './scripted-provider.ts';

export const START = 1_790_000_000_123_456_789n as EpochNs;
export const DAY_NS = 86_400_000_000_000n;
export const MINUTE_NS = 60_000_000_000n;

export const OFFERS: OfferBook = {
  offers: [
    { id: 'live', name: 'Live', billing: 'monthly', grants: ['live'] },
    { id: 'history', name: 'Historical', billing: 'once', grants: ['history'] },
  ],
  prices: [
    { offer: 'live', amountMinor: 7_900, interval: 'month' },
    { offer: 'history', amountMinor: 49_000, interval: null },
  ],
  currency: 'EUR',
  taxIncluded: true,
  countries: [
    { code: 'DE', provider: 'test' },
    { code: 'FR', provider: 'test' },
    { code: 'US', provider: 'other' },
  ],
  waiver: { version: '2', text: 'I give up my right of withdrawal.' },
  providerOf: (country) => ({ DE: 'test', FR: 'test', US: 'other' })[country] ?? null,
};

export class BillingRig implements AsyncDisposable {
  readonly store: AccountStore;
  readonly clock: ManualClock;
  readonly provider: ScriptedProvider;
  readonly other = new ScriptedProvider('other');
  readonly mails: OutgoingMail[] = [];
  /** The operator's log lines. */
  readonly logged: string[] = [];
  /** Handles a delivered mail. */
  onMail: (mail: OutgoingMail) => void = (mail) => void this.mails.push(mail);
  readonly owed: OwedMails;
  readonly payments: Payments;
  readonly billing: Billing;
  #accounts = 0;
  #ids = 0;

  private constructor(store: AccountStore, clock: ManualClock, provider: ScriptedProvider) {
    this.clock = clock;
    this.provider = provider;
    const log = createLog({
      level: 'warn',
      readable: false,
      write: (line) => this.logged.push(line),
    });
    this.owed = owedMailsOver({
      store,
      clock,
      offers: OFFERS,
      publicUrl: () => 'https://tapeloom.example',
      deliver: async (mail) => this.onMail(mail),
      receiptOf: (order) => this.billing.receipts.newestOf(order),
    });
    this.store = store;
    const providers = [this.provider, this.other];
    this.payments = new Payments({ store, providers, clock, log });
    this.billing = new Billing({
      store,
      payments: this.payments,
      offers: () => OFFERS,
      publicUrl: () => 'https://tapeloom.example',
      clock,
      log,
      random: (count) => {
        this.#ids += 1;
        return Buffer.from(String(this.#ids).padStart(count, '0'));
      },
    });
  }

  static async open(): Promise<BillingRig> {
    const store = await openSqliteAccountStore(':memory:');
    return BillingRig.over(store, new ManualClock(START));
  }

  /** Over accounts that the caller manages. */
  static over(
    store: AccountStore,
    clock: ManualClock,
    provider = new ScriptedProvider('test'),
  ): BillingRig {
    return new BillingRig(store, clock, provider);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.billing.withdrawals.idle();
    await this.payments.idle();
    await this.store[Symbol.asyncDispose]();
  }

  pass(ns: bigint): void {
    this.clock.advanceTo(this.now + ns);
  }

  get now(): EpochNs {
    return this.clock.now();
  }

  async account(): Promise<string> {
    this.#accounts += 1;
    const call = { now: this.now, actor: { kind: 'operator' } } as const;
    const name = `account ${this.#accounts}`;
    const made = await this.store.createAccount(call, { name, grants: [] });
    if ('refused' in made) throw new Error(made.refused);
    return made.id;
  }

  checkout(accountId: string, wish: Partial<CheckoutWish> = {}): Promise<OrderRecord | Refusal> {
    return this.billing.checkout({
      accountId,
      sessionId: 'ses_1',
      offer: 'live',
      country: 'DE',
      waiver: { accepted: true, version: '2' },
      address: '192.0.2.7',
      ...wish,
    });
  }

  /** An unpaid order. */
  async order(accountId: string, wish: Partial<CheckoutWish> = {}): Promise<OrderRecord> {
    const order = await this.checkout(accountId, wish);
    if ('refused' in order) throw new Error(`refused: ${order.refused}`);
    return order;
  }

  /** A paid order, reported by a webhook. */
  async bought(accountId: string, wish: Partial<CheckoutWish> = {}): Promise<OrderRecord> {
    const order = await this.order(accountId, wish);
    await this.deliver(this.provider.pay(order.ref, this.now, 30));
    return this.again(order);
  }

  async again(order: OrderRecord): Promise<OrderRecord> {
    return (await this.store.orders.findOrder(null, order.id))!;
  }

  async deliver(webhook: SentWebhook, to = 'test'): Promise<void> {
    await this.payments.receive(to, webhook.headers, webhook.body);
    await this.payments.idle();
  }

  async planOf(accountId: string): Promise<Plan> {
    return planAt((await this.store.findAccount(accountId))!.grants, this.now);
  }
}
