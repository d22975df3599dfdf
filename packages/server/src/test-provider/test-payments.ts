/**
 * The provider `test` itself: an external system simulated within our process. It stores its payments in its own files,
 * follows its clock, and reports every change by a signed webhook, which it repeats until it is accepted, for about
 * three days at most. It has only the data that we send. No money moves.
 */

import { randomBytes } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log/log.ts';
import { SerialQueues } from '../platform/waiting/serial-queue.ts';
import { type Asked, type AskedAnswer, PaymentFiles } from './payment-files.ts';
import {
  type Change,
  dueAt,
  type NewTestPayment,
  newTestPayment,
  PLAYED_CHANGES,
  type PlayedChange,
  passed,
  type TestEvent,
  type TestPayment,
} from './test-payment.ts';
import { SIGNATURE_HEADER, signatureOf } from './webhook-signature.ts';

const LOOK_EVERY_MS = 1_000;
/** The waits before a failed webhook is sent again; the last one repeats. */
const RETRY_S = [1, 5, 30, 120, 600, 3_600];
/** After about three days a webhook is given up: it was only a hint. */
const ATTEMPTS_MAX = 78;
const SENDING_MAX = 4;
/** For all accounts; beyond this the oldest failed checkouts are removed. */
const PAYMENTS_MAX = 10_000;

/** `down`: every call fails. `silent`: no call is answered. `cut`: a call is performed, but its answer is lost. */
export const REACHES = ['up', 'down', 'silent', 'cut'] as const;
/** An action of the provider as a whole too. */
export const ROTATE = 'rotate';
export type Reach = (typeof REACHES)[number];

export interface Webhook {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface TestPaymentsOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly webhookUrl: () => string;
  /** Sends one and resolves to the response's status; rejects without a response. */
  readonly send: (webhook: Webhook, signal: AbortSignal) => Promise<number>;
}

/** The provider has reached its limit of payments. */
class NoRoomError extends Error {}

export class TestPayments implements AsyncDisposable {
  reach: Reach = 'up';
  readonly #options: TestPaymentsOptions;
  readonly #files: PaymentFiles;
  readonly #payments: Map<string, TestPayment>;
  #secrets: readonly [Uint8Array, ...Uint8Array[]];
  readonly #queues = new SerialQueues();
  readonly #timer: Disposable;
  readonly #gone = new AbortController();
  /** Events that are being sent, by id. */
  readonly #sending = new Map<string, Promise<void>>();
  #looking: Promise<void> | null = null;

  private constructor(
    options: TestPaymentsOptions,
    files: PaymentFiles,
    secrets: readonly [Uint8Array, ...Uint8Array[]],
    payments: readonly TestPayment[],
  ) {
    this.#options = options;
    this.#files = files;
    this.#secrets = secrets;
    this.#payments = new Map(payments.map((payment) => [payment.ref, payment]));
    this.#timer = options.clock.every(LOOK_EVERY_MS, () => void this.look());
  }

  static async open(options: TestPaymentsOptions): Promise<TestPayments> {
    const files = await PaymentFiles.open(options.directory);
    const payments = await files.payments((file, error) =>
      options.log.error({ error, file }, 'a payment of the provider test cannot be read'),
    );
    await files.forgetAnswers();
    return new TestPayments(options, files, await files.secrets(), payments);
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  find(ref: string): TestPayment | null {
    return this.#payments.get(ref) ?? null;
  }

  findByOrder(orderId: string): TestPayment | null {
    for (const payment of this.#payments.values()) {
      if (payment.orderId === orderId) return payment;
    }
    return null;
  }

  /** The secret that signs webhooks, followed by the previous one. */
  get secrets(): readonly [Uint8Array, ...Uint8Array[]] {
    return this.#secrets;
  }

  get size(): number {
    return this.#payments.size;
  }

  /** The events of all payments from then on, oldest first. */
  toldSince(
    from: EpochNs,
  ): readonly { readonly ref: string; readonly id: string; readonly at: EpochNs }[] {
    return [...this.#payments.values()]
      .flatMap(({ ref, told }) => told.map(({ id, at }) => ({ ref, id, at })))
      .filter(({ at }) => at >= from)
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1));
  }

  /** Returns the one payment of an order, also when called again. */
  start(terms: Omit<NewTestPayment, 'ref'>): Promise<TestPayment> {
    return this.#queues.run(terms.orderId, async () => {
      const known = this.findByOrder(terms.orderId);
      if (known !== null) return known;
      await this.#makeRoom();
      const ref = `pay_${randomBytes(16).toString('hex')}`;
      const payment = newTestPayment({ ...terms, ref }, this.clock.now());
      await this.#save(payment);
      return payment;
    });
  }

  /** The payment afterwards, or why it is impossible; null: there is none. It is on disk when this resolves. */
  async change(
    ref: string,
    change: Change,
  ): Promise<TestPayment | { readonly refused: string } | null> {
    const outcome = await this.#queues.run(ref, async () => {
      const payment = this.find(ref);
      if (payment === null) return null;
      const after = change(payment, this.clock.now(), newEventId());
      if (!('refused' in after) && after !== payment) await this.#save(after);
      return after;
    });
    if (outcome !== null && !('refused' in outcome)) this.#send();
    return outcome;
  }

  /** Signs with a new secret from now on. Earlier signatures stay valid until the next rotation. */
  async rotateSecret(): Promise<void> {
    await this.#queues.run(ROTATE, async () => {
      this.#secrets = await this.#files.rotateSecret(this.#secrets[0]);
    });
  }

  /** Applies what is due and sends events; its clock repeats this. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error) => this.#options.log.error({ error }, 'the provider test failed'))
      .finally(() => {
        this.#looking = null;
      });
    return this.#looking;
  }

  /** Resolves when no work or delivery is in progress. */
  async idle(): Promise<void> {
    while (this.#looking !== null || this.#sending.size > 0) {
      await this.#looking;
      await Promise.all(this.#sending.values());
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer[Symbol.dispose]();
    this.#gone.abort();
    await this.idle();
  }

  async #look(): Promise<void> {
    for (const { id, asked } of await this.#files.takeAsked()) {
      await this.#files.answer(id, await this.#play(asked));
    }
    const now = this.clock.now();
    for (const [ref, payment] of this.#payments) {
      const due = dueAt(payment);
      if (due !== null && due <= now) await this.#pass(ref);
    }
    this.#send();
  }

  /** Several periods may have elapsed since the last look. */
  async #pass(ref: string): Promise<void> {
    for (;;) {
      const before = this.find(ref);
      if ((await this.change(ref, passed)) === before) return;
    }
  }

  async #play(asked: Asked | null): Promise<AskedAnswer> {
    if (asked === null) return { refused: 'The request cannot be read.' };
    const { action, orderId } = asked;
    const reach = REACHES.find((it) => it === action);
    if (reach !== undefined) {
      this.reach = reach;
      return { done: reach };
    }
    if (action === ROTATE) {
      await this.rotateSecret();
      return { done: action };
    }
    if (!Object.hasOwn(PLAYED_CHANGES, action)) {
      return { refused: `There is no "${action}" to play.` };
    }
    const payment = orderId === null ? null : this.findByOrder(orderId);
    if (payment === null) return { refused: 'The provider test has no such order.' };
    const after = await this.change(payment.ref, PLAYED_CHANGES[action as PlayedChange]);
    return after !== null && 'refused' in after ? after : { done: this.find(payment.ref)!.state };
  }

  #send(): void {
    const now = this.clock.now();
    for (const payment of this.#payments.values()) {
      for (const event of payment.events) {
        if (this.#sending.size >= SENDING_MAX) return;
        if (event.sendAt > now || this.#sending.has(event.id)) continue;
        const sent = this.#sendOne(payment.ref, event)
          .catch((error) => this.#options.log.error({ error }, 'a webhook could not be noted'))
          .finally(() => {
            this.#sending.delete(event.id);
            if (!this.#gone.signal.aborted) this.#send();
          });
        this.#sending.set(event.id, sent);
      }
    }
  }

  async #sendOne(ref: string, event: TestEvent): Promise<void> {
    const isTaken = await this.#isTaken(ref, event);
    // It is sent again after a restart.
    if (this.#gone.signal.aborted) return;
    const attempts = event.attempts + 1;
    const waitS = RETRY_S[Math.min(event.attempts, RETRY_S.length - 1)]!;
    const sendAt = (this.clock.now() + BigInt(waitS) * SECOND_NS_BIG) as EpochNs;
    const isOver = isTaken || attempts >= ATTEMPTS_MAX;
    if (attempts >= ATTEMPTS_MAX && !isTaken) {
      this.#options.log.warn(
        { ref, event: event.id },
        'a webhook of the provider test was given up',
      );
    }
    await this.#queues.run(ref, async () => {
      const payment = this.find(ref);
      if (payment === null) return;
      const events = payment.events.flatMap((it) => {
        if (it.id !== event.id) return [it];
        return isOver ? [] : [{ ...it, attempts, sendAt }];
      });
      await this.#save({ ...payment, events });
    });
  }

  async #isTaken(ref: string, event: TestEvent): Promise<boolean> {
    const { send, webhookUrl } = this.#options;
    const body = JSON.stringify({ id: event.id, object: ref, at: event.at.toString() });
    const signature = signatureOf(this.#secrets[0], Buffer.from(body), this.clock.now());
    const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature };
    try {
      const status = await send({ url: webhookUrl(), headers, body }, this.#gone.signal);
      return status >= 200 && status < 300;
    } catch {
      return false;
    }
  }

  async #save(payment: TestPayment): Promise<void> {
    await this.#files.save(payment);
    this.#payments.set(payment.ref, payment);
  }

  async #makeRoom(): Promise<void> {
    if (this.#payments.size < PAYMENTS_MAX) return;
    const oldest = this.#payments.values().find(({ state }) => state === 'failed');
    if (oldest === undefined) throw new NoRoomError(`there are ${PAYMENTS_MAX} payments already`);
    await this.#files.remove(oldest);
    this.#payments.delete(oldest.ref);
  }
}

function newEventId(): string {
  return `evt_${randomBytes(16).toString('hex')}`;
}
