/**
 * Mails on their way. A few are tried at a time; one that fails is tried again after longer and longer waits, for as
 * long as it is of use. A server that cannot be reached is nobody's fault but its own: then all wait for it together,
 * and one of them tries. What can be asked for by anybody and ends soon, a sign-in link, never takes the last quarter
 * of the room, and no reader has more than a few waiting. Other mails are kept on disk until they are delivered, so
 * that they outlive the process. Nothing is logged of a mail but that there was one.
 */

import { normalEmail } from '@tapeloom/core/person/email-address';
import { MINUTE_MS, MINUTE_NS_BIG, MS_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../platform/clock.ts';
import type { MailSpool, SpooledMail } from './mail-spool.ts';
import { MailFault, type MailTransport } from './mail-transport.ts';
import type { Mailer, OutgoingMail } from './mailer.ts';

const WAITING_MAX = 1_000;
const SHORT_LIVED_WAITING_MAX = 750;
const READER_WAITING_MAX = 20;
const MAIL_CHARACTERS_MAX = 256 * 1024;
const AT_WORK_MAX = 4;
const USEFUL_MINUTES = 2 * 24 * 60;
const SHORT_LIVED_MINUTES_MAX = 60;
/** Before the second try; each further wait is twice as long, up to the last. */
const TRY_AGAIN_MS = { first: 1_000, last: 300_000 } as const;
/** A link is waited for by somebody. */
const TRY_SHORT_LIVED_AGAIN_MS_MAX = 30_000;
const DELIVERY_MS_MAX = MINUTE_MS;
const ENDING_MS_MAX = 2_000;

export type MailOutcome = 'sent' | 'refused' | 'expired' | 'no_room';

export interface MailQueueOptions {
  readonly transport: MailTransport;
  readonly clock: Clock;
  /** Where mails outlive the process; null: they need not. */
  readonly spool: MailSpool | null;
  /** The first mail that fails, and the first delivered after that: not one by one. */
  readonly onFailing: (error: unknown) => void;
  readonly onWorking: () => void;
  /** A mail will never be delivered. */
  readonly onLost: (outcome: Exclude<MailOutcome, 'sent'>, error: unknown) => void;
  /** A mail cannot be kept on disk while it waits, or what was kept cannot be read. */
  readonly onSpoolFault: (error: unknown) => void;
}

interface Waiting {
  readonly mail: OutgoingMail;
  readonly reader: string;
  readonly isShortLived: boolean;
  readonly uselessAt: bigint;
  /** Its name on disk; null: it is not there. */
  readonly kept: Promise<string | null>;
  notBefore: bigint;
  tries: number;
  /** How often the server failed over it. */
  serverTries: number;
}

export class MailQueue implements Mailer, AsyncDisposable {
  readonly #options: MailQueueOptions;
  /** In the order they came; those at work are among them. */
  readonly #waiting = new Set<Waiting>();
  readonly #atWork = new Set<Waiting>();
  readonly #dropping = new Set<Promise<void>>();
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

  send(mail: OutgoingMail): boolean {
    const reader = normalEmail(mail.to)?.key ?? null;
    const size = mail.text.length + mail.html.length + mail.subject.length;
    if (reader === null || size > MAIL_CHARACTERS_MAX) {
      this.#lose('refused', new MailFault('no mail to send', { of: 'mail', isFinal: true }));
      return false;
    }
    const minutes = mail.usefulMinutes ?? USEFUL_MINUTES;
    const isShortLived = minutes <= SHORT_LIVED_MINUTES_MAX;
    if (this.#ending.signal.aborted || !this.#hasRoom(reader, isShortLived)) {
      this.#lose('no_room', null);
      return false;
    }
    const now = this.#options.clock.now();
    const uselessAt = now + BigInt(Math.ceil(minutes)) * MINUTE_NS_BIG;
    const kept = isShortLived ? Promise.resolve(null) : this.#keep({ mail, uselessAt });
    this.#add({ mail, reader, isShortLived, uselessAt, kept });
    if (isShortLived) this.#tryServerSoon(now);
    this.#work();
    return true;
  }

  /** Takes up what a process before this one left. */
  async restore(): Promise<void> {
    const { spool, onSpoolFault } = this.#options;
    try {
      for (const [name, { mail, uselessAt }] of (await spool?.kept()) ?? []) {
        const kept = Promise.resolve(name);
        this.#add({ mail, reader: mail.to, isShortLived: false, uselessAt, kept });
      }
    } catch (error) {
      onSpoolFault(error);
    }
    this.#work();
  }

  /** Resolves once nothing is left to be done now: all is sent, or waits for another try. */
  async idle(): Promise<void> {
    while (this.#atWork.size > 0) {
      this.#idle ??= Promise.withResolvers();
      await this.#idle.promise;
    }
  }

  /** What is under way may end within a moment; the rest is given up, unless it is kept. */
  async [Symbol.asyncDispose](): Promise<void> {
    const timeUp = this.#options.clock.after(ENDING_MS_MAX, () => this.#ending.abort());
    await this.idle();
    timeUp[Symbol.dispose]();
    this.#ending.abort();
    this.#timer?.[Symbol.dispose]();
    for (const one of this.#waiting) {
      if ((await one.kept) === null) this.#end(one, 'expired', null);
    }
    await Promise.all(this.#dropping);
  }

  #add(one: Omit<Waiting, 'notBefore' | 'tries' | 'serverTries'>): void {
    const notBefore = this.#options.clock.now();
    this.#waiting.add({ ...one, notBefore, tries: 0, serverTries: 0 });
  }

  /** However long the server has failed, somebody waits now. */
  #tryServerSoon(now: bigint): void {
    const soon = now + BigInt(TRY_SHORT_LIVED_AGAIN_MS_MAX) * MS_NS_BIG;
    if (this.#serverNotBefore > soon) this.#serverNotBefore = soon;
  }

  #hasRoom(reader: string, isShortLived: boolean): boolean {
    let short = 0;
    let same = 0;
    for (const one of this.#waiting) {
      if (one.isShortLived) short += 1;
      if (one.reader === reader) same += 1;
    }
    if (this.#waiting.size >= WAITING_MAX || same >= READER_WAITING_MAX) return false;
    return !isShortLived || short < SHORT_LIVED_WAITING_MAX;
  }

  /** Begins whatever may begin, and wakes up for what may later. */
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
      // While the server is failing, one mail at a time finds out whether it is back.
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
   * As they came. But a server may fail over some mails alone, such as those to a domain that keeps it waiting: those it
   * failed over least go first, and while it is failing the newest of them, so that nobody can stand in everybody's way.
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
      one.notBefore = now + waitNs(one.tries, one.isShortLived);
      if (fault.isFinal) this.#end(one, 'refused', fault);
      return;
    }
    if (!this.#isFailing) this.#options.onFailing(error);
    this.#isFailing = true;
    one.serverTries += 1;
    this.#serverTries += 1;
    const isWaitedFor = [...this.#waiting].some(({ isShortLived }) => isShortLived);
    this.#serverNotBefore = now + waitNs(this.#serverTries, isWaitedFor);
  }

  #end(one: Waiting, outcome: MailOutcome, error: unknown): void {
    this.#waiting.delete(one);
    const dropping = this.#drop(one).finally(() => this.#dropping.delete(dropping));
    this.#dropping.add(dropping);
    if (outcome === 'sent') this.#outcomes.sent += 1;
    else this.#lose(outcome, error);
  }

  async #keep(spooled: SpooledMail): Promise<string | null> {
    try {
      return (await this.#options.spool?.keep(spooled)) ?? null;
    } catch (error) {
      this.#options.onSpoolFault(error);
      return null;
    }
  }

  async #drop({ kept }: Waiting): Promise<void> {
    const name = await kept;
    if (name === null) return;
    try {
      await this.#options.spool?.drop(name);
    } catch (error) {
      this.#options.onSpoolFault(error);
    }
  }

  #lose(outcome: Exclude<MailOutcome, 'sent'>, error: unknown): void {
    this.#outcomes[outcome] += 1;
    this.#options.onLost(outcome, error);
  }
}

function waitNs(tries: number, isShortLived: boolean): bigint {
  const most = isShortLived ? TRY_SHORT_LIVED_AGAIN_MS_MAX : TRY_AGAIN_MS.last;
  return BigInt(Math.min(TRY_AGAIN_MS.first * 2 ** Math.min(tries - 1, 20), most)) * MS_NS_BIG;
}
