/**
 * The provider `test` with a manual clock, and a webhook endpoint that can be closed. The clock has no timers: the rig
 * triggers what is due, so a year takes less than a second.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EpochNs } from '@tapeloom/core/numbers';
import { createLog } from '../../src/platform/log/log.ts';
import {
  BUYER_CHANGES,
  type BuyerChange,
  type Change,
  PLAYED_CHANGES,
  refundedBy,
  type TestPayment,
} from '../../src/test-provider/test-payment.ts';
import { TestPayments } from '../../src/test-provider/test-payments.ts';
import { TestProvider } from '../../src/test-provider/test-provider.ts';
import { SIGNATURE_HEADER, signatureOf } from '../../src/test-provider/webhook-signature.ts';
import { LeapingClock } from './leaping-clock.ts';
import type { OddWebhook, ProviderRig, Reach, SentWebhook } from './provider-rig.ts';

export const RIG_URL = 'https://tapeloom.example.com';
const STEP_MS = 86_400_000;

const ODD_EVENT = { id: `evt_${'0'.repeat(32)}`, at: '1794823200000000000' };
/** The provider has one kind of event and one mode. */
const ODD_BODIES: Readonly<Record<OddWebhook, string | null>> = {
  'not-json': 'paid!',
  'no-event': '{"id": 1}',
  'unknown-kind': null,
  'unknown-object': JSON.stringify({ ...ODD_EVENT, object: `pay_${'0'.repeat(32)}` }),
  'other-mode': null,
};

export class TestProviderRig implements ProviderRig {
  readonly clock: LeapingClock;
  readonly directory: string;
  readonly logged: string[] = [];
  payments: TestPayments;
  provider: TestProvider;
  readonly webhooks: (SentWebhook & { readonly url: string })[] = [];
  #refusals = 0;
  #refunds = 0;

  private constructor(clock: LeapingClock, directory: string, payments: TestPayments) {
    this.clock = clock;
    this.directory = directory;
    this.payments = payments;
    this.provider = new TestProvider(payments, () => RIG_URL);
  }

  static async open(clock = new LeapingClock()): Promise<TestProviderRig> {
    const directory = await mkdtemp(join(tmpdir(), 'tapeloom-payments-'));
    const opening: { rig?: TestProviderRig } = {};
    const payments = await openPayments(directory, clock, opening);
    opening.rig = new TestProviderRig(clock, directory, payments);
    return opening.rig;
  }

  async restart(): Promise<void> {
    await this.payments[Symbol.asyncDispose]();
    this.payments = await openPayments(this.directory, this.clock, { rig: this });
    this.provider = new TestProvider(this.payments, () => RIG_URL);
  }

  now(): EpochNs {
    return this.clock.now();
  }

  /** In growing steps, like a webhook's retries. */
  async pass(ms: number): Promise<void> {
    await this.payments.idle();
    for (let left = ms, step = 1_000; left > 0; left -= step, step = Math.min(2 * step, STEP_MS)) {
      this.clock.leap(Math.min(left, step));
      await this.payments.look();
      await this.payments.idle();
    }
  }

  does(ref: string, what: BuyerChange): Promise<TestPayment> {
    return this.#change(ref, BUYER_CHANGES[what]);
  }

  async #change(ref: string, change: Change): Promise<TestPayment> {
    const after = await this.payments.change(ref, change);
    if (after === null || 'refused' in after) throw new Error(`${ref}: ${after?.refused}`);
    return after;
  }

  async pay(ref: string): Promise<void> {
    await this.does(ref, 'pay');
    await this.payments.idle();
  }

  async refund(ref: string, amountMinor: number | null): Promise<void> {
    this.#refunds += 1;
    await this.#change(ref, refundedBy(`staff ${this.#refunds}`, amountMinor));
    await this.payments.idle();
  }

  async dispute(ref: string, outcome: 'open' | 'won' | 'lost'): Promise<void> {
    // A lost dispute leaves the money with the bank: nothing changes any more.
    if (outcome === 'lost') return;
    await this.#change(ref, PLAYED_CHANGES[outcome === 'won' ? 'win' : 'dispute']);
    await this.payments.idle();
  }

  oddWebhook(kind: OddWebhook): SentWebhook | null {
    const text = ODD_BODIES[kind];
    if (text === null) return null;
    const body = Buffer.from(text);
    const signature = signatureOf(this.payments.secrets[0], body, this.now());
    return { headers: { [SIGNATURE_HEADER]: signature }, body };
  }

  rotateSecret(): Promise<void> {
    return this.payments.rotateSecret();
  }

  async checkouts(orderId: string): Promise<number> {
    return this.payments.findByOrder(orderId) === null ? 0 : 1;
  }

  refuseWebhooks(times: number): void {
    this.#refusals = times;
  }

  async sent(): Promise<readonly SentWebhook[]> {
    await this.payments.idle();
    return this.webhooks;
  }

  reach(reach: Reach): void {
    this.payments.reach = reach;
  }

  other(): Promise<ProviderRig> {
    return TestProviderRig.open(this.clock);
  }

  take(webhook: SentWebhook & { readonly url: string }): number {
    this.webhooks.push(webhook);
    if (this.#refusals === 0) return 200;
    this.#refusals -= 1;
    return 503;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.payments[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true, force: true });
  }
}

function openPayments(
  directory: string,
  clock: LeapingClock,
  opening: { rig?: TestProviderRig },
): Promise<TestPayments> {
  const write = (line: string) => opening.rig?.logged.push(line);
  return TestPayments.open({
    directory,
    clock,
    log: createLog({ level: 'info', readable: false, write }),
    webhookUrl: () => `${RIG_URL}/v1/webhooks/test`,
    send: async ({ url, headers, body }) =>
      opening.rig!.take({ url, headers, body: Buffer.from(body) }),
  });
}
