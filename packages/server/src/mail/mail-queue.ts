/**
 * The queue of mails that are useful for an hour at most, such as sign-in links. They are kept in memory only: a reader
 * who misses one requests another. Failed mails are retried with backoff while they are useful. While the server fails,
 * one mail at a time probes it. Each reader may have a few waiting mails. Logs never contain a mail's contents. Other
 * mails are owed: see `owed-mails.ts`.
 */

import { randomBytes } from 'node:crypto';
import { normalEmail } from '@tapeloom/core/person/email-address';
import { MINUTE_MS, MINUTE_NS_BIG, MS_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../platform/clock.ts';
import { MailFault, type MailTransport } from './mail-transport.ts';
import type { LinkMail, Mailer } from './mailer.ts';
import { retryWaitNs } from './retry-wait.ts';

const WAITING_MAX = 750;
const READER_WAITING_MAX = 20;
const MAIL_CHARACTERS_MAX = 256 * 1024;
const AT_WORK_MAX = 4;
/** Short, since a person is waiting for the mail. */
const TRY_AGAIN_MS_MAX = 30_000;
const DELIVERY_MS_MAX = MINUTE_MS;
const ENDING_MS_MAX = 2_000;
const ID_BYTES = 16;

export type MailOutcome = 'sent' | 'refused' | 'expired' | 'no_room';

export interface MailQueueOptions {
  readonly transport: MailTransport;
  readonly clock: Clock;
  /** Called for the first failure, and for the first delivery after it: not for each mail. */
  readonly onFailing: (error: unknown) => void;
  readonly onWorking: () => void;
  /** A mail will never be delivered. */
  readonly onLost: (outcome: Exclude<MailOutcome, 'sent'>, error: unknown) => void;
}

interface Waiting {
  readonly mail: LinkMail;
  readonly reader: string;
  readonly uselessAt: bigint;
  notBefore: bigint;
  tries: number;
  /** How often the server failed on this mail. */
  serverTries: number;
}

export class MailQueue implements Mailer, AsyncDisposable {
  readonly #options: MailQueueOptions;
  /** In order of arrival, including those in delivery. */
  readonly #waiting = new Set<Waiting>();
  readonly #atWork = new Set<Waiting>();
  readonly #ending = new AbortController();
  readonly #outcomes: Record<MailOutcome, number> = { sent: 0, refused: 0, expired: 0, no_room: 0 };
  #timer: Disposable | null = null;
  #triesFailed = 0;
  #serverTries = 0;
  #serverNotBefore = 0n;
  #isFailing = false;
  #idle: PromiseWithResolvers<void> | null = null;

  constructor(options: MailQueueOptions) {
    this.#options = options;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  get triesFailedTotal(): number {
    return this.#triesFailed;
  }

  get outcomes(): Readonly<Record<MailOutcome, number>> {
    return this.#outcomes;
  }

  send(mail: LinkMail): boolean {
    const reader = normalEmail(mail.to)?.key ?? null;
    const size = mail.text.length + mail.html.length + mail.subject.length;
    if (reader === null || size > MAIL_CHARACTERS_MAX) {
      this.#lose('refused', new MailFault('no mail to send', { of: 'mail', isFinal: true }));
      return false;
    }
    if (this.#ending.signal.aborted || !this.#hasRoom(reader)) {
      this.#lose('no_room', null);
      return false;
    }
    const now = this.#options.clock.now();
    // All tries of a mail have the same id.
    const id = `link.${randomBytes(ID_BYTES).toString('hex')}`;
    const uselessAt = now + BigInt(Math.ceil(mail.usefulMinutes)) * MINUTE_NS_BIG;
    const entry = { mail: { ...mail, id }, reader, uselessAt, notBefore: now };
    this.#waiting.add({ ...entry, tries: 0, serverTries: 0 });
    this.#work();
    return true;
  }

  /** Resolves when no delivery is in progress: every mail is sent or waits for a retry. */
  async idle(): Promise<void> {
    while (this.#atWork.size > 0) {
      this.#idle ??= Promise.withResolvers();
      await this.#idle.promise;
    }
  }

  /** Deliveries in progress may finish within a moment; the other mails are dropped. */
  async [Symbol.asyncDispose](): Promise<void> {
    const timeUp = this.#options.clock.after(ENDING_MS_MAX, () => this.#ending.abort());
    await this.idle();
    timeUp[Symbol.dispose]();
    this.#ending.abort();
    this.#timer?.[Symbol.dispose]();
    for (const one of this.#waiting) this.#end(one, 'expired', null);
  }

  #hasRoom(reader: string): boolean {
    let same = 0;
    for (const one of this.#waiting) if (one.reader === reader) same += 1;
    return this.#waiting.size < WAITING_MAX && same < READER_WAITING_MAX;
  }

  /** Starts all due deliveries, and sets a timer for the next one. */
  #work(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
    if (this.#ending.signal.aborted) return;
    const now = this.#options.clock.now();
    let next: bigint | null = null;
    for (const one of this.#inTurn()) {
      if (this.#atWork.has(one)) continue;
      if (one.uselessAt <= now) {
        this.#end(one, 'expired', null);
        continue;
      }
      // While the server fails, one mail at a time probes it.
      const atWorkMax = this.#serverTries > 0 ? 1 : AT_WORK_MAX;
      const due = one.notBefore > this.#serverNotBefore ? one.notBefore : this.#serverNotBefore;
      if (due <= now && this.#atWork.size < atWorkMax) void this.#try(one);
      else if (due > now && (next === null || due < next)) next = due;
    }
    if (next === null) return;
    const waitMs = Number((next - now + MS_NS_BIG - 1n) / MS_NS_BIG);
    this.#timer = this.#options.clock.after(waitMs, () => this.#work());
  }

  /**
   * In order of arrival. But a server may fail only on some mails, for example to a domain that stalls it. So mails
   * with fewer server failures go first and, while it fails, newer ones first: no mail can block all others.
   */
  #inTurn(): Iterable<Waiting> {
    const mails = [...this.#waiting];
    if (this.#serverTries > 0) mails.reverse();
    return mails.sort((a, b) => a.serverTries - b.serverTries);
  }

  async #try(one: Waiting): Promise<void> {
    const { transport, clock } = this.#options;
    this.#atWork.add(one);
    const late = new AbortController();
    const timer = clock.after(DELIVERY_MS_MAX, () => late.abort());
    try {
      await transport.deliver(one.mail, AbortSignal.any([late.signal, this.#ending.signal]));
      this.#worked(one);
    } catch (error) {
      this.#failed(one, error);
    } finally {
      timer[Symbol.dispose]();
      this.#atWork.delete(one);
      if (this.#atWork.size === 0) {
        this.#idle?.resolve();
        this.#idle = null;
      }
      this.#work();
    }
  }

  #worked(one: Waiting): void {
    this.#end(one, 'sent', null);
    this.#serverIsThere();
  }

  #serverIsThere(): void {
    this.#serverTries = 0;
    this.#serverNotBefore = 0n;
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#options.onWorking();
  }

  #failed(one: Waiting, error: unknown): void {
    const fault = error instanceof MailFault ? error : null;
    this.#triesFailed += 1;
    if (this.#ending.signal.aborted) return;
    const now = this.#options.clock.now();
    if (fault?.of === 'mail') {
      this.#serverIsThere();
      one.tries += 1;
      one.notBefore = now + retryWaitNs(one.tries, TRY_AGAIN_MS_MAX);
      if (fault.isFinal) this.#end(one, 'refused', fault);
      return;
    }
    if (!this.#isFailing) this.#options.onFailing(error);
    this.#isFailing = true;
    one.serverTries += 1;
    this.#serverTries += 1;
    this.#serverNotBefore = now + retryWaitNs(this.#serverTries, TRY_AGAIN_MS_MAX);
  }

  #end(one: Waiting, outcome: MailOutcome, error: unknown): void {
    this.#waiting.delete(one);
    if (outcome === 'sent') this.#outcomes.sent += 1;
    else this.#lose(outcome, error);
  }

  #lose(outcome: Exclude<MailOutcome, 'sent'>, error: unknown): void {
    this.#outcomes[outcome] += 1;
    this.#options.onLost(outcome, error);
  }
}
