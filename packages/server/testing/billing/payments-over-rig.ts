/** Orders and rights over a real store and a provider's rig, on the rig's time. */

import type { PaymentKind } from '@tapeloom/core/entitlement/payment';
import { type Plan, planAt } from '@tapeloom/core/entitlement/plan';
import type { OrderRecord } from '../../src/accounts/orders/orders-store.ts';
import type { AccountStore } from '../../src/accounts/store/account-store.ts';
import { openSqliteAccountStore } from '../../src/accounts/store/sqlite/sqlite-account-store.ts';
import { Billing } from '../../src/billing/billing.ts';
import type { OfferBook } from '../../src/billing/offer-book.ts';
import type { PaymentProvider } from '../../src/billing/payment-provider.ts';
import { Payments, type WebhookOutcome } from '../../src/billing/payments.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { OFFERS } from './billing-rig.ts';
import type { ProviderRig, SentWebhook } from './provider-rig.ts';

const URL = 'https://tapeloom.example.com';
const NEVER: Disposable = { [Symbol.dispose]: () => {} };

/** Opens a new store at every call. */
export type OpenStore = () => Promise<AccountStore>;

interface PaymentsOverRigOptions {
  /** The store; default: one in memory. */
  readonly openStore?: OpenStore | undefined;
  readonly provider?: PaymentProvider;
}

const inMemory: OpenStore = () => openSqliteAccountStore(':memory:');

export class PaymentsOverRig implements AsyncDisposable {
  readonly rig: ProviderRig;
  readonly store: AccountStore;
  payments: Payments;
  billing: Billing;
  #accounts = 0;

  private constructor(rig: ProviderRig, store: AccountStore, provider: PaymentProvider) {
    this.rig = rig;
    this.store = store;
    const { payments, billing } = compose(rig, store, provider);
    this.payments = payments;
    this.billing = billing;
  }

  /** `provider`: the rig's own, possibly wrapped. */
  static async open(
    rig: ProviderRig,
    { openStore = inMemory, provider = rig.provider }: PaymentsOverRigOptions = {},
  ): Promise<PaymentsOverRig> {
    return new PaymentsOverRig(rig, await openStore(), provider);
  }

  /** Simulates a restart of the process, with the present secrets. */
  async restart(): Promise<void> {
    await this.payments.idle();
    const { payments, billing } = compose(this.rig, this.store, this.rig.provider);
    this.payments = payments;
    this.billing = billing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.payments.idle();
    await this.store[Symbol.asyncDispose]();
  }

  async account(): Promise<string> {
    this.#accounts += 1;
    const call = { now: this.rig.now(), actor: { kind: 'operator' } } as const;
    const made = await this.store.createAccount(call, {
      name: `account ${this.#accounts}`,
      grants: [],
    });
    if ('refused' in made) throw new Error(made.refused);
    // Some providers require the buyer's address.
    const email = `buyer-${this.#accounts}@example.com`;
    await this.store.people.setOwner(call, made.id, { email, key: email });
    return made.id;
  }

  /** An unpaid order. */
  async order(accountId: string, kind: PaymentKind): Promise<OrderRecord> {
    const order = await this.billing.checkout({
      accountId,
      sessionId: null,
      offer: kind === 'subscription' ? 'live' : 'history',
      country: 'DE',
      waiver: { accepted: true, version: OFFERS.waiver.version },
      address: '192.0.2.7',
    });
    if ('refused' in order) throw new Error(`refused: ${order.refused}`);
    return order;
  }

  /** The same order while it can still change; otherwise one of a new account. */
  async orderToGoOn(before: OrderRecord | null, kind: PaymentKind): Promise<OrderRecord> {
    const known = before === null ? null : await this.again(before);
    if (known !== null && !isOver(known)) return known;
    return this.order(await this.account(), kind);
  }

  async again(order: OrderRecord): Promise<OrderRecord> {
    return (await this.store.orders.findOrder(null, order.id))!;
  }

  /** All at once, arriving in this order. */
  async receive(webhooks: readonly SentWebhook[]): Promise<readonly WebhookOutcome[]> {
    const { name } = this.rig.provider;
    const outcomes = await Promise.all(
      webhooks.map(({ headers, body }) => this.payments.receive(name, headers, body)),
    );
    await this.payments.idle();
    return outcomes;
  }

  async planOf(accountId: string): Promise<Plan> {
    return planAt((await this.store.findAccount(accountId))!.grants, this.rig.now());
  }
}

/** The order is final, except for disputes. */
function isOver({ kind, state }: OrderRecord): boolean {
  return state === 'ended' || state === 'failed' || (kind === 'purchase' && state === 'refunded');
}

function compose(
  rig: ProviderRig,
  store: AccountStore,
  provider: PaymentProvider,
): { readonly payments: Payments; readonly billing: Billing } {
  const { name } = provider;
  const offers: OfferBook = {
    ...OFFERS,
    countries: [{ code: 'DE', provider: name }],
    providerOf: (country) => (country === 'DE' ? name : null),
  };
  const log = createLog({ level: 'silent', readable: true, write: () => undefined });
  const clock: Clock = { now: () => rig.now(), after: () => NEVER, every: () => NEVER };
  const common = { store, publicUrl: () => URL };
  const payments = new Payments({ store, providers: [provider], clock, log });
  const billing = new Billing({ ...common, payments, offers: () => offers, clock, log });
  return { payments, billing };
}
