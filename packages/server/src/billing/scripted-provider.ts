/**
 * A payment provider in memory, for tests: what happens there is said by the test, and it can be down, silent,
 * behind the times, or lie. Its webhooks are signed, and wait in `sent` until somebody delivers them.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import {
  type CheckoutStart,
  type PaymentProvider,
  type ProviderEvent,
  type ProviderObject,
  type StartedCheckout,
  UpstreamError,
  type WebhookHeaders,
} from './payment-provider.ts';

const SECRET = 'only in tests';

export interface SentWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export class ScriptedProvider implements PaymentProvider {
  readonly name: string;
  /** What the next calls meet: `silent` never answers. */
  trouble: 'none' | 'down' | 'silent' = 'none';
  /** What is answered instead of the truth. */
  lie: ((truth: ProviderObject) => ProviderObject | null) | null = null;
  lieAtStart: ((truth: StartedCheckout) => StartedCheckout) | null = null;
  /** A cancellation is accepted, and nothing comes of it. */
  ignoresCancels = false;
  readonly started: CheckoutStart[] = [];
  readonly sent: SentWebhook[] = [];
  readonly calls: string[] = [];
  readonly #objects = new Map<string, ProviderObject>();
  #events = 0;

  constructor(name = 'test') {
    this.name = name;
  }

  startCheckout(start: CheckoutStart, signal: AbortSignal): Promise<StartedCheckout> {
    return this.#answer('startCheckout', signal, () => {
      const ref = `${this.name}_${start.orderId}`;
      if (!this.#objects.has(ref)) {
        this.started.push(start);
        const { orderId, kind } = start;
        const nothing = { paidAt: null, paidUntil: null, cancelAtPeriodEnd: false, revision: 0 };
        this.#objects.set(ref, { ref, orderId, kind, state: 'open', ...nothing });
      }
      const truth = { ref, url: `https://pay.example/${ref}` };
      return this.lieAtStart?.(truth) ?? truth;
    });
  }

  readWebhook(headers: WebhookHeaders, body: Uint8Array): ProviderEvent | null {
    const given = Buffer.from(String(headers['x-signature']), 'hex');
    const wanted = signatureOf(body);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
    const { id, ref, at } = JSON.parse(Buffer.from(body).toString());
    return { id, objectRef: ref, at: BigInt(at) as EpochNs };
  }

  fetch(ref: string, signal: AbortSignal): Promise<ProviderObject | null> {
    return this.#answer('fetch', signal, () => {
      const truth = this.#objects.get(ref) ?? null;
      return truth === null || this.lie === null ? truth : this.lie(truth);
    });
  }

  cancelAtPeriodEnd(ref: string, isCancelled: boolean, signal: AbortSignal): Promise<void> {
    return this.#answer('cancelAtPeriodEnd', signal, () => {
      if (!this.ignoresCancels) this.change(ref, { cancelAtPeriodEnd: isCancelled });
    });
  }

  closeCheckout(ref: string, signal: AbortSignal): Promise<void> {
    return this.#answer('closeCheckout', signal, () => {
      if (this.object(ref).state === 'open' && !this.ignoresCancels) {
        this.change(ref, { state: 'failed' });
      }
    });
  }

  cancelNow(ref: string, signal: AbortSignal): Promise<void> {
    return this.#answer('cancelNow', signal, () => {
      const { state, kind } = this.object(ref);
      if (this.ignoresCancels) return;
      if (state === 'open') this.change(ref, { state: 'failed' });
      else if (kind === 'subscription') this.change(ref, { state: 'ended' });
    });
  }

  object(ref: string): ProviderObject {
    return this.#objects.get(ref)!;
  }

  /** Something happens there, and a webhook is on its way. */
  change(ref: string, change: Partial<ProviderObject>): SentWebhook {
    const before = this.object(ref);
    this.#objects.set(ref, { ...before, ...change, revision: before.revision + 1 });
    return this.notify(ref);
  }

  pay(ref: string, paidAt: EpochNs, days: number): SentWebhook {
    const { kind } = this.object(ref);
    const paidUntil = (paidAt + BigInt(days) * 86_400_000_000_000n) as EpochNs;
    return this.change(ref, {
      state: 'paid',
      paidAt,
      paidUntil: kind === 'subscription' ? paidUntil : null,
    });
  }

  notify(ref: string): SentWebhook {
    this.#events += 1;
    const webhook = signed({ id: `evt_${this.#events}`, ref, at: String(this.#events) });
    this.sent.push(webhook);
    return webhook;
  }

  #answer<Result>(call: string, signal: AbortSignal, work: () => Result): Promise<Result> {
    this.calls.push(call);
    if (this.trouble === 'down') return Promise.reject(new UpstreamError(`${this.name} is down`));
    if (this.trouble === 'none') return Promise.resolve().then(work);
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  }
}

export function signed(event: Readonly<Record<string, string>>): SentWebhook {
  const body = Buffer.from(JSON.stringify(event));
  return { headers: { 'x-signature': signatureOf(body).toString('hex') }, body };
}

function signatureOf(body: Uint8Array): Buffer {
  return createHmac('sha256', SECRET).update(body).digest();
}
