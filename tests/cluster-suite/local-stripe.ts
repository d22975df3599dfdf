/** A local Stripe for all nodes of a cluster, in real time, with webhooks to any node. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_PRICING } from '@tapeloom/server/billing/offers-default';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { StripeServer } from '../../packages/server/testing/billing/stripe/stripe-server.ts';
import { refundCharge } from '../../packages/server/testing/billing/stripe/stripe-world-billing.ts';
import { payCheckout } from '../../packages/server/testing/billing/stripe/stripe-world-checkout.ts';
import type { ClusterNode } from './cluster-node.ts';

const KEY = 'sk_test_0123456789abcdef';
const SECRET = 'whsec_0123456789abcdef';

export class LocalStripe implements AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  readonly #server: StripeServer;
  readonly #directory: string;
  /** The bodies of all webhooks sent. */
  readonly #sent: Uint8Array[] = [];
  /** The node that receives webhooks; null before the first one is named. */
  #door: ClusterNode | null = null;

  private constructor(directory: string) {
    const clock = createClock({ kind: 'system' });
    this.#directory = directory;
    this.#server = new StripeServer({
      key: KEY,
      secrets: [SECRET],
      webhookUrl: 'https://tapeloom.example.com/v1/webhooks/stripe',
      clock: () => clock.now(),
      send: async ({ body }) => {
        this.#sent.push(body);
        return await this.#post(this.#door!, body);
      },
    });
    this.env = {
      TAPELOOM_STRIPE_KEY: KEY,
      TAPELOOM_STRIPE_WEBHOOK_SECRETS: SECRET,
      TAPELOOM_OFFERS: join(directory, 'offers.json'),
    };
  }

  static async open(): Promise<LocalStripe> {
    const directory = await mkdtemp(join(tmpdir(), 'tapeloom-offers-'));
    const stripe = new LocalStripe(directory);
    const countries = [{ code: 'DE', provider: 'stripe' }];
    await writeFile(stripe.env.TAPELOOM_OFFERS!, JSON.stringify({ ...DEFAULT_PRICING, countries }));
    const url = await stripe.#server.listen();
    return Object.assign(stripe, { env: { ...stripe.env, TAPELOOM_STRIPE_URL: url } });
  }

  /** The buyer of an order pays; a node gets the webhook. */
  async pay(orderId: string, door: ClusterNode): Promise<void> {
    payCheckout(this.#server.world, this.#sessionOf(orderId).id, 'card');
    await this.#tell(door);
  }

  /** Refunds the last charge of an order; a node gets the webhook. */
  async refund(orderId: string, door: ClusterNode): Promise<void> {
    const { customer } = this.#sessionOf(orderId);
    const charge = this.#server.world.charges.findLast((it) => it.customer === customer)!;
    refundCharge(this.#server.world, charge.id, null, {});
    await this.#tell(door);
  }

  /** Sends all webhooks again to all these nodes; returns their statuses. */
  async tellAgain(doors: readonly ClusterNode[]): Promise<ReadonlySet<number>> {
    const answers = doors.flatMap((door) => this.#sent.map((body) => this.#post(door, body)));
    return new Set(await Promise.all(answers));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #tell(door: ClusterNode): Promise<void> {
    this.#door = door;
    await this.#server.look();
  }

  #sessionOf(orderId: string) {
    const { sessions } = this.#server.world;
    return sessions.find((session) => session.client_reference_id === orderId)!;
  }

  async #post({ host, port }: ClusterNode, body: Uint8Array): Promise<number> {
    const headers = this.#server.sender.signed(body);
    const url = `http://${host}:${port}/v1/webhooks/stripe`;
    const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
    await response.arrayBuffer();
    return response.status;
  }
}
