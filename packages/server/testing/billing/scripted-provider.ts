/**
 * A payment provider in memory, scripted by the test. It can be down, silent, outdated, or lie. Its webhooks are
 * signed, and wait in `sent` until a test delivers them.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import {
  type CheckoutStart,
  type EventList,
  type Finding,
  type PaymentProvider,
  type ProviderEvent,
  type ProviderObject,
  type Receipt,
  type RefundOutcome,
  RefundRejectedError,
  type RefundWish,
  type StartedCheckout,
  UpstreamError,
  type WebhookHeaders,
} from '../../src/billing/payment-provider.ts';

const SECRET = 'only in tests';

export interface SentWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export class ScriptedProvider implements PaymentProvider {
  readonly name: string;
  /** The state for the next calls: `silent` never responds. */
  trouble: 'none' | 'down' | 'silent' = 'none';
  /** Replaces the true response. */
  lie: ((truth: ProviderObject) => ProviderObject | null) | null = null;
  lieAtStart: ((truth: StartedCheckout) => StartedCheckout) | null = null;
  /** Accepts cancellations, but does not perform them. */
  ignoresCancels = false;
  readonly started: CheckoutStart[] = [];
  readonly sent: SentWebhook[] = [];
  /** The events of the webhooks. */
  readonly told: ProviderEvent[] = [];
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
        const { orderId, kind, amountMinor, currency } = start;
        const nothing = { paidAt: null, paidUntil: null, cancelAtPeriodEnd: false, revision: 0 };
        const said = { ref, orderId, kind, amountMinor, currency, state: 'open' } as const;
        this.#objects.set(ref, { ...said, ...nothing });
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

  /** Alternative names of objects, which events use. */
  readonly located = new Map<string, string>();

  locate(objectRef: string, signal: AbortSignal): Promise<string | null> {
    return this.#answer('locate', signal, () => {
      const ref = this.located.get(objectRef) ?? objectRef;
      return this.#objects.has(ref) ? ref : null;
    });
  }

  eventsSince(from: EpochNs, limit: number, signal: AbortSignal): Promise<EventList> {
    return this.#answer('eventsSince', signal, () => {
      const events = this.told.filter(({ at }) => at >= from).slice(0, limit);
      return { events, nextFrom: events.at(-1)?.at ?? from };
    });
  }

  readonly receiptsOf = new Map<string, readonly Receipt[]>();

  receipts(ref: string, signal: AbortSignal): Promise<readonly Receipt[]> {
    return this.#answer('receipts', signal, () => this.receiptsOf.get(ref) ?? []);
  }

  portal: string | null = null;

  customerPortal(_ref: string, _returnUrl: string, signal: AbortSignal): Promise<string | null> {
    return this.#answer('customerPortal', signal, () => this.portal);
  }

  readonly refunds: (RefundWish & { readonly ref: string })[] = [];
  /** False: refunds are not idempotent. */
  hasRefundKeys = true;

  get findRefund(): PaymentProvider['findRefund'] {
    if (this.hasRefundKeys) return null;
    return (_ref, wanted, signal) =>
      this.#answer('findRefund', signal, () =>
        this.refunds.some(({ key }) => key === wanted) && this.refundOutcome !== 'rejected'
          ? this.refundOutcome
          : null,
      );
  }
  refundOutcome: RefundOutcome | 'rejected' = 'done';

  refund(ref: string, refund: RefundWish, signal: AbortSignal): Promise<RefundOutcome> {
    return this.#answer('refund', signal, () => {
      if (this.refundOutcome === 'rejected') throw new RefundRejectedError('it was rejected');
      const isKnown = this.refunds.some(({ key }) => key === refund.key);
      if (isKnown && this.hasRefundKeys) return this.refundOutcome;
      if (this.object(ref).paidAt === null) return 'nothing';
      this.refunds.push({ ...refund, ref });
      if (this.refundOutcome === 'done') this.giveBack(ref, refund.amountMinor);
      return this.refundOutcome;
    });
  }

  /** Refunds the newest charge; null: all that is left. */
  giveBack(ref: string, amountMinor: number | null): SentWebhook {
    const [newest, ...others] = this.receiptsOf.get(ref) ?? [];
    if (newest === undefined) return this.change(ref, { state: 'refunded' });
    const refundedMinor =
      amountMinor === null ? newest.totalMinor : newest.refundedMinor + amountMinor;
    if (refundedMinor > newest.totalMinor) throw new UpstreamError('so much is not left');
    const isAll = refundedMinor === newest.totalMinor;
    const state = isAll ? 'refunded' : newest.state;
    this.receiptsOf.set(ref, [{ ...newest, refundedMinor, state }, ...others]);
    return this.change(ref, isAll ? { state: 'refunded' } : {});
  }

  charge(ref: string, at: EpochNs): void {
    const { amountMinor, currency } = this.object(ref);
    const before = this.receiptsOf.get(ref) ?? [];
    const id = `${ref}-${before.length + 1}`;
    const nothing = { taxMinor: null, refundedMinor: 0, url: null, state: 'paid' } as const;
    const charge = { id, at, totalMinor: amountMinor!, currency: currency!, ...nothing };
    this.receiptsOf.set(ref, [charge, ...before]);
  }

  examine(signal: AbortSignal): Promise<readonly Finding[]> {
    return this.#answer('examine', signal, () => [
      { what: 'script', outcome: 'ok', detail: 'it answers' },
    ]);
  }

  object(ref: string): ProviderObject {
    return this.#objects.get(ref)!;
  }

  change(ref: string, change: Partial<ProviderObject>): SentWebhook {
    const before = this.object(ref);
    this.#objects.set(ref, {
      ...before,
      ...change,
      revision: before.revision === null ? null : before.revision + 1,
    });
    return this.notify(ref);
  }

  pay(ref: string, paidAt: EpochNs, days: number): SentWebhook {
    const { kind } = this.object(ref);
    this.charge(ref, paidAt);
    const paidUntil = (paidAt + BigInt(days) * 86_400_000_000_000n) as EpochNs;
    return this.change(ref, {
      state: 'paid',
      paidAt,
      paidUntil: kind === 'subscription' ? paidUntil : null,
    });
  }

  notify(ref: string): SentWebhook {
    this.#events += 1;
    const at = BigInt(this.#events) as EpochNs;
    const id = `evt_${this.#events}`;
    this.told.push({ id, objectRef: ref, at });
    const webhook = signed({ id, ref, at: String(at) });
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
