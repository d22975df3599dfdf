/** Webhooks of the local Stripe: signed when sent, and retried until accepted, for three days. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type Stripe from 'stripe';
import { STRIPE_EVENTS } from '../../../src/billing/stripe/stripe-events.ts';
import { SIGNATURE_HEADER, stripeSignature } from '../../../src/billing/stripe/stripe-webhook.ts';

const MINUTE_S = 60;
/** In seconds, after each attempt. */
const WAITS: readonly number[] = [5, 30, 120, 300, 600, 720, 720, 720, 720, 720].map(
  (minutes) => minutes * MINUTE_S,
);

export interface StripeWebhook {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Returns the HTTP status. */
export type StripeSend = (webhook: StripeWebhook) => Promise<number>;

export interface StripeSenderOptions {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly clock: () => EpochNs;
  readonly send: StripeSend;
}

interface Waiting {
  readonly event: Stripe.Event;
  readonly body: Uint8Array;
  attempts: number;
  sendAt: number;
}

export class StripeSender {
  /** All of them sign: two during a rotation. */
  secrets: readonly string[];
  readonly #options: StripeSenderOptions;
  #waiting: Waiting[] = [];

  constructor(options: StripeSenderOptions) {
    this.#options = options;
    this.secrets = options.secrets;
  }

  /** Events of other kinds are listed, but have no webhooks. */
  add(event: Stripe.Event): void {
    if (!(STRIPE_EVENTS as readonly string[]).includes(event.type)) {
      event.pending_webhooks = 0;
      return;
    }
    const body = Buffer.from(JSON.stringify(event));
    this.#waiting.push({ event, body, attempts: 0, sendAt: this.#now });
  }

  async look(): Promise<void> {
    const now = this.#now;
    const due = this.#waiting.filter(({ sendAt }) => sendAt <= now);
    for (const waiting of due) await this.#send(waiting);
  }

  signed(body: Uint8Array): Readonly<Record<string, string>> {
    const signature = stripeSignature(this.secrets, body, this.#now);
    return { 'content-type': 'application/json; charset=utf-8', [SIGNATURE_HEADER]: signature };
  }

  get #now(): number {
    return Number(this.#options.clock() / 1_000_000_000n);
  }

  async #send(waiting: Waiting): Promise<void> {
    const { url, send } = this.#options;
    const { event, body } = waiting;
    const status = await send({ url, headers: this.signed(body), body }).catch(() => 0);
    const wait = WAITS[waiting.attempts];
    if (status >= 200 && status < 300) event.pending_webhooks = 0;
    if (event.pending_webhooks === 0 || wait === undefined) {
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      return;
    }
    waiting.attempts += 1;
    waiting.sendAt = this.#now + wait;
  }
}
