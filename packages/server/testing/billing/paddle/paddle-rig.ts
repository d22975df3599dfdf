/** The provider `paddle` in front of a local server that responds like Paddle, with a manual clock. */

import type { ITransactionResponse } from '@paddle/paddle-node-sdk';
import type { EpochNs } from '@tapeloom/core/numbers';
import { orderOf } from '../../../src/billing/paddle/paddle-payment.ts';
import { paddleProvider } from '../../../src/billing/paddle/paddle-provider.ts';
import { paddleSignature, SIGNATURE_HEADER } from '../../../src/billing/paddle/paddle-webhook.ts';
import type { PaymentProvider } from '../../../src/billing/payment-provider.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { LeapingClock } from '../leaping-clock.ts';
import type { Garble, OddWebhook, ProviderRig, Reach, SentWebhook } from '../provider-rig.ts';
import { LocalPaddle } from './local-paddle.ts';

export const RIG_URL = 'https://tapeloom.example.com';
export const RIG_SECRET = 'pdl_ntfset_01h00000000000000000000000_abcdefghijklmnopqrstuvwxyz';
export const RIG_KEY = 'pdl_sdbx_apikey_01h00000000000000000000000_abcdefghijklmnopqrstuv_AbC';
export const RIG_TOKEN = `test_${'7d279f61a3499fed520f7cd8c08'}`;
const STEP_MS = 86_400_000;

const ODD_EVENT = {
  event_id: `evt_${'0'.repeat(26)}`,
  notification_id: `ntf_${'0'.repeat(26)}`,
  occurred_at: '2026-11-16T10:00:00.000000Z',
};
/** Paddle's events do not name their mode: each mode has its own secrets. */
const ODD_BODIES: Readonly<Record<OddWebhook, string | null>> = {
  'not-json': 'paid!',
  'no-event': '{"event_id": 1}',
  'unknown-kind': JSON.stringify({
    ...ODD_EVENT,
    event_id: `evt_${'0'.repeat(25)}1`,
    event_type: 'customer.updated',
    data: { id: `ctm_${'0'.repeat(26)}` },
  }),
  'unknown-object': JSON.stringify({
    ...ODD_EVENT,
    event_type: 'transaction.completed',
    data: { id: `txn_${'0'.repeat(26)}` },
  }),
  'other-mode': null,
};

export class PaddleRig implements ProviderRig {
  readonly clock: LeapingClock;
  readonly local: LocalPaddle;
  readonly webhooks: SentWebhook[] = [];
  provider: PaymentProvider;
  #refusals = 0;
  #rotations = 0;

  private constructor(clock: LeapingClock, local: LocalPaddle) {
    this.clock = clock;
    this.local = local;
    this.provider = this.#open();
  }

  static async open(clock = new LeapingClock(), name = '0'): Promise<PaddleRig> {
    const opening: { rig?: PaddleRig } = {};
    const local = await LocalPaddle.open({
      clock,
      key: RIG_KEY,
      name,
      deliver: (webhook) => opening.rig!.take(webhook),
    });
    local.addDestination(`${RIG_URL}/v1/webhooks/paddle`, `${RIG_SECRET}${name}`);
    const rig = new PaddleRig(clock, local);
    opening.rig = rig;
    return rig;
  }

  restart(): void {
    this.provider = this.#open();
  }

  #open(secrets: readonly string[] = this.local.secrets): PaymentProvider {
    return paddleProvider({
      key: RIG_KEY,
      webhookSecrets: [...secrets],
      clientToken: RIG_TOKEN,
      url: this.local.url,
      publicUrl: () => RIG_URL,
      clock: this.clock,
      log: createLog({ level: 'silent', readable: true, write: () => undefined }),
    });
  }

  now(): EpochNs {
    return this.clock.now();
  }

  /** In growing steps, like a webhook's retries. */
  async pass(ms: number): Promise<void> {
    await this.local.pass();
    for (let left = ms, step = 1_000; left > 0; left -= step, step = Math.min(2 * step, STEP_MS)) {
      this.clock.leap(Math.min(left, step));
      await this.local.pass();
    }
  }

  async pay(ref: string): Promise<void> {
    this.local.books.pay(ref);
    await this.local.idle();
  }

  async refund(ref: string, amountMinor: number | null): Promise<void> {
    const { books } = this.local;
    const { id, details } = books.newestCharge(ref);
    const items = [{ item_id: details!.line_items[0]!.id, amount: String(amountMinor) }];
    const wish = amountMinor === null ? { type: 'full' } : { type: 'partial', items };
    books.refund({ transaction_id: id, reason: 'asked for in the dashboard', ...wish });
    await this.local.idle();
  }

  async dispute(ref: string, dispute: 'open' | 'won' | 'lost'): Promise<void> {
    this.local.books.dispute(ref, dispute);
    await this.local.idle();
  }

  refuseWebhooks(times: number): void {
    this.#refusals = times;
  }

  async sent(): Promise<readonly SentWebhook[]> {
    await this.local.idle();
    return this.webhooks;
  }

  oddWebhook(kind: OddWebhook): SentWebhook | null {
    const text = ODD_BODIES[kind];
    if (text === null) return null;
    const body = Buffer.from(text);
    const signature = paddleSignature(this.local.secrets, body, this.now());
    return { headers: { [SIGNATURE_HEADER]: signature }, body };
  }

  async rotateSecret(): Promise<void> {
    const before = this.local.secrets.splice(0);
    this.#rotations += 1;
    this.local.secrets.push(`${RIG_SECRET}-${this.#rotations}`);
    this.provider = this.#open([...this.local.secrets, ...before]);
  }

  async checkouts(orderId: string): Promise<number> {
    const all = [...this.local.books.transactions.values()];
    const isIts = (one: ITransactionResponse) =>
      one.origin === 'api' && orderOf({ customData: one.custom_data ?? null }) === orderId;
    return all.filter(isIts).length;
  }

  reach(reach: Reach): void {
    this.local.reach = reach;
  }

  garble(how: Garble | null): void {
    this.local.garble = how;
  }

  other(): Promise<ProviderRig> {
    return PaddleRig.open(this.clock, '1');
  }

  take(webhook: SentWebhook): number {
    this.webhooks.push(webhook);
    if (this.#refusals === 0) return 200;
    this.#refusals -= 1;
    return 503;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.local[Symbol.asyncDispose]();
  }
}
