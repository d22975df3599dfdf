/** The adapter for Stripe with a local Stripe behind it, on a manual clock. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type Stripe from 'stripe';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import type { PaymentProvider } from '../../../src/billing/payment-provider.ts';
import { stripeProvider } from '../../../src/billing/stripe/stripe-provider.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import type { Garble, OddWebhook, ProviderRig, Reach, SentWebhook } from '../provider-rig.ts';
import { StripeServer } from './stripe-server.ts';
import { disputeCharge, refundCharge } from './stripe-world-billing.ts';
import { type PaidBy, payCheckout, settleCheckout } from './stripe-world-checkout.ts';

const START = 1_794_823_200_000_000_000n;
const STEP_MS = 86_400_000;
const KEY = 'sk_test_rig';
const WEBHOOK_URL = 'https://tapeloom.example.com/v1/webhooks/stripe';

export interface StripeRigOptions {
  /** Whether requests use a socket; otherwise they are answered directly. */
  readonly isSocket?: boolean;
  readonly isTaxAutomatic?: boolean;
  readonly clock?: ManualClock;
}

let accounts = 0;

export class StripeRig implements ProviderRig {
  readonly clock: ManualClock;
  readonly server: StripeServer;
  readonly logged: string[] = [];
  provider: PaymentProvider;
  readonly #options: StripeRigOptions;
  readonly #url: string;
  readonly #taken: SentWebhook[];
  readonly #door: { refusals: number };
  #secrets: readonly string[];

  private constructor(
    options: StripeRigOptions,
    of: Pick<StripeRig, 'clock' | 'server'> & {
      readonly url: string;
      readonly secret: string;
      readonly taken: SentWebhook[];
      readonly door: { refusals: number };
    },
  ) {
    this.#options = options;
    this.clock = of.clock;
    this.server = of.server;
    this.#url = of.url;
    this.#taken = of.taken;
    this.#door = of.door;
    this.#secrets = [of.secret];
    this.provider = this.providerWith(this.#secrets);
  }

  static async open(options: StripeRigOptions = {}): Promise<StripeRig> {
    const { clock = new ManualClock(START), isSocket = true } = options;
    accounts += 1;
    const secret = `whsec_${accounts}`;
    const taken: SentWebhook[] = [];
    const door = { refusals: 0 };
    const server = new StripeServer({
      key: KEY,
      secrets: [secret],
      webhookUrl: WEBHOOK_URL,
      clock: () => clock.now(),
      send: async ({ headers, body }) => {
        taken.push({ headers, body });
        if (door.refusals === 0) return 200;
        door.refusals -= 1;
        return 503;
      },
    });
    const url = isSocket ? await server.listen() : 'http://127.0.0.1';
    return new StripeRig(options, { clock, server, url, secret, taken, door });
  }

  /** Another adapter for the same account at Stripe. */
  providerWith(webhookSecrets: readonly string[], key = KEY): PaymentProvider {
    const { isSocket = true, isTaxAutomatic = false } = this.#options;
    return stripeProvider({
      key,
      webhookSecrets,
      isTaxAutomatic,
      url: this.#url,
      clock: this.clock,
      log: createLog({
        level: 'debug',
        readable: false,
        write: (line) => void this.logged.push(line),
      }),
      ...(isSocket ? {} : { request: this.server.request }),
    });
  }

  now(): EpochNs {
    return this.clock.now();
  }

  async pass(ms: number): Promise<void> {
    await this.server.look();
    for (let left = ms, step = 1_000; left > 0; left -= step, step = Math.min(2 * step, STEP_MS)) {
      this.clock.advance(Math.min(left, step));
      await this.server.look();
    }
  }

  pay(ref: string): Promise<void> {
    return this.paid(ref, 'card');
  }

  async paid(ref: string, by: PaidBy): Promise<void> {
    payCheckout(this.server.world, ref, by);
    await this.server.look();
  }

  /** The bank's decision about a bank payment. */
  async settle(ref: string, isPaid: boolean): Promise<void> {
    settleCheckout(this.server.world, ref, isPaid);
    await this.server.look();
  }

  async refund(ref: string, amountMinor: number | null): Promise<void> {
    refundCharge(this.server.world, this.chargeOf(ref), amountMinor, {});
    await this.server.look();
  }

  async dispute(ref: string, outcome: 'open' | 'won' | 'lost'): Promise<void> {
    const status = outcome === 'open' ? 'needs_response' : outcome;
    disputeCharge(this.server.world, this.chargeOf(ref), status);
    await this.server.look();
  }

  /** The newest successful charge. */
  chargeOf(ref: string): string {
    const { world } = this.server;
    const session = world.get(world.sessions, ref);
    const charge = world.charges.findLast(
      ({ status, payment_intent: intent }) =>
        status === 'succeeded' && this.#pays(session, String(intent)),
    );
    if (charge === undefined) throw new Error(`nothing was charged for ${ref}`);
    return charge.id;
  }

  subscriptionOf(ref: string): Stripe.Subscription {
    const { world } = this.server;
    return world.get(world.subscriptions, String(world.get(world.sessions, ref).subscription));
  }

  #pays(session: Stripe.Checkout.Session, intent: string): boolean {
    if (session.payment_intent === intent) return true;
    const { world } = this.server;
    const payment = world.invoicePayments.find((one) => one.payment.payment_intent === intent);
    if (payment === undefined || session.subscription === null) return false;
    const { parent } = world.get(world.invoices, String(payment.invoice));
    return parent?.subscription_details?.subscription === session.subscription;
  }

  refuseWebhooks(times: number): void {
    this.#door.refusals = times;
  }

  async sent(): Promise<readonly SentWebhook[]> {
    await this.server.look();
    return this.#taken;
  }

  oddWebhook(kind: OddWebhook): SentWebhook {
    const event = {
      id: `evt_odd_${kind.replace('-', '_')}`,
      object: 'event',
      created: Number(this.now() / 1_000_000_000n),
      livemode: kind === 'other-mode',
      type: kind === 'unknown-kind' ? 'cupboard.opened' : 'customer.subscription.updated',
      data: { object: { id: kind === 'unknown-kind' ? 'cup_1' : 'sub_never' } },
    };
    const text = { 'not-json': 'paid!', 'no-event': '{"id": 1}' }[kind as string];
    const body = Buffer.from(text ?? JSON.stringify(event));
    return { headers: this.server.sender.signed(body), body };
  }

  async rotateSecret(): Promise<void> {
    const [before] = this.#secrets;
    const secret = `${before}n`;
    this.#secrets = [secret, before!];
    this.server.sender.secrets = [secret];
    this.provider = this.providerWith(this.#secrets);
  }

  reach(reach: Reach): void {
    this.server.reach = reach;
  }

  garble(how: Garble | null): void {
    this.server.garble = how;
  }

  async checkouts(orderId: string): Promise<number> {
    const { sessions } = this.server.world;
    return sessions.filter((one) => one.client_reference_id === orderId).length;
  }

  other(): Promise<ProviderRig> {
    return StripeRig.open({ ...this.#options, clock: this.clock });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server[Symbol.asyncDispose]();
  }
}
