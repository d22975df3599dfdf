/**
 * Delivers the mails that the database lists as owed. A mail is recorded as sent after the server accepted it: if the
 * process dies in between, it is sent twice with the same `Message-ID` rather than never. One node of a cluster
 * delivers at a time, and a taken mail is reserved for a while. It is retried for a week; a failing one does not delay
 * others.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, MINUTE_MS, MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { OwedMail } from '../accounts/mails/mails-store.ts';
import { type AccountStore, AccountsUnavailableError } from '../accounts/store/account-store.ts';
import type { Clock } from '../platform/clock.ts';
import { MailFault, type MailTransport } from './mail-transport.ts';
import type { MailText } from './mailer.ts';
import { retryWaitNs } from './retry-wait.ts';

const LOOK_EVERY_MS = 1_000;
const AT_WORK_MAX = 4;
const DELIVERY_MS_MAX = MINUTE_MS;
/** Longer than a delivery and its record take, even if the clocks of two nodes differ. */
const TAKEN_FOR_NS = 2n * MINUTE_NS_BIG;
const OWED_FOR_NS = 7n * DAY_NS_BIG;
/** The longest retry wait of one mail, and of all mails while the server fails. */
const MAIL_WAIT_MS_MAX = 5 * MINUTE_MS;
const SERVER_WAIT_MS_MAX = 30_000;
const ENDING_MS_MAX = 2_000;

export interface OwedMailsOptions {
  readonly store: Pick<AccountStore, 'mails'>;
  readonly clock: Clock;
  readonly transport: MailTransport;
  /** Null: nothing is left to send. */
  readonly textOf: (mail: OwedMail) => Promise<MailText | null>;
  /** Runs the work, or leaves it to the node whose task it is now. */
  readonly inTurn: (work: () => Promise<unknown>) => Promise<unknown>;
  /** Called for the first failure, and for the first success after it. */
  readonly onFailing: (error: unknown) => void;
  readonly onWorking: () => void;
  /** A mail will never be delivered. */
  readonly onLost: (outcome: 'refused' | 'expired', mailId: string, error: unknown) => void;
  /** A fault other than a failed delivery; the mail is retried. */
  readonly onFault: (error: unknown, mailId: string | null) => void;
}

export class OwedMails implements AsyncDisposable {
  readonly #options: OwedMailsOptions;
  readonly #timer: Disposable;
  readonly #atWork = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  readonly #outcomes = { sent: 0, refused: 0, expired: 0 };
  #looking: Promise<void> | null = null;
  #waitingCount = 0;
  #triesFailed = 0;
  #serverTries = 0;
  #serverNotBefore = 0n;
  #isEnding = false;

  constructor(options: OwedMailsOptions) {
    this.#options = options;
    const { clock, inTurn, onFault } = options;
    this.#timer = clock.every(LOOK_EVERY_MS, () => {
      if (this.#looking !== null) return;
      inTurn(() => this.look()).catch((error: unknown) => onFault(error, null));
    });
  }

  /** As of the last look. */
  get waitingCount(): number {
    return this.#waitingCount;
  }

  get triesFailedTotal(): number {
    return this.#triesFailed;
  }

  get outcomes(): Readonly<Record<'sent' | 'refused' | 'expired', number>> {
    return this.#outcomes;
  }

  /** Delivers all due mails; resolves when each was tried. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Deliveries in progress may finish within a moment; the next process delivers the rest. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer[Symbol.dispose]();
    using _ = this.#options.clock.after(ENDING_MS_MAX, () => this.#ending.abort());
    this.#isEnding = true;
    await this.#looking;
    this.#ending.abort();
  }

  async #look(): Promise<void> {
    const { store, clock, onFault } = this.#options;
    try {
      const { count, due } = await store.mails.waitingMails(clock.now());
      this.#waitingCount = count;
      if (due > 0) await this.#deliverDue();
    } catch (error) {
      // The account store reports this itself.
      if (!(error instanceof AccountsUnavailableError)) onFault(error, null);
    }
    await Promise.all(this.#atWork);
  }

  async #deliverDue(): Promise<void> {
    const { store, clock } = this.#options;
    for (;;) {
      const now = clock.now();
      if (this.#isEnding || now < this.#serverNotBefore) return;
      // While the server fails, one mail at a time probes it.
      const free = (this.#serverTries > 0 ? 1 : AT_WORK_MAX) - this.#atWork.size;
      const until = (now + TAKEN_FOR_NS) as EpochNs;
      const taken = free > 0 ? await store.mails.takeMails(now, until, free) : [];
      for (const mail of taken) {
        const delivery = this.#deliver(mail).finally(() => this.#atWork.delete(delivery));
        this.#atWork.add(delivery);
      }
      if (this.#atWork.size === 0) return;
      await Promise.race(this.#atWork);
    }
  }

  /** Never rejects. */
  async #deliver(mail: OwedMail): Promise<void> {
    const { store, clock, textOf, onFault } = this.#options;
    try {
      const text = await textOf(mail);
      if (text === null) return await store.mails.giveMailUp(mail);
      if (!(await this.#handOver(mail, text))) return;
      await store.mails.mailSent(clock.now(), mail);
      this.#outcomes.sent += 1;
      this.#waitingCount = Math.max(0, this.#waitingCount - 1);
    } catch (error) {
      if (error instanceof AccountsUnavailableError) return;
      onFault(error, mail.id);
      await this.#putOff(mail).catch(() => undefined);
    }
  }

  /** Whether the mail server accepted it. */
  async #handOver(mail: OwedMail, text: MailText): Promise<boolean> {
    const { clock, transport } = this.#options;
    const late = new AbortController();
    using _ = clock.after(DELIVERY_MS_MAX, () => late.abort());
    try {
      const signal = AbortSignal.any([late.signal, this.#ending.signal]);
      await transport.deliver({ ...text, to: mail.reader, id: mail.id }, signal);
      this.#serverIsThere();
      return true;
    } catch (error) {
      this.#triesFailed += 1;
      await this.#failed(mail, error);
      return false;
    }
  }

  #serverIsThere(): void {
    if (this.#serverTries > 0) this.#options.onWorking();
    this.#serverTries = 0;
    this.#serverNotBefore = 0n;
  }

  async #failed(mail: OwedMail, error: unknown): Promise<void> {
    const { store, clock, onFailing, onLost } = this.#options;
    const now = clock.now();
    const fault = error instanceof MailFault ? error : null;
    if (fault?.of === 'mail') this.#serverIsThere();
    else if (!this.#ending.signal.aborted) {
      if (this.#serverTries === 0) onFailing(error);
      this.#serverTries += 1;
      this.#serverNotBefore = now + retryWaitNs(this.#serverTries, SERVER_WAIT_MS_MAX);
    }
    // Given up only after a try at that time: a clock that jumps ahead loses no mail.
    const isLate = now - mail.createdAt >= OWED_FOR_NS;
    if (fault?.isFinal !== true && !isLate) return await this.#putOff(mail);
    const outcome = fault?.isFinal === true ? 'refused' : 'expired';
    await store.mails.giveMailUp(mail);
    this.#outcomes[outcome] += 1;
    onLost(outcome, mail.id, error);
  }

  async #putOff(mail: OwedMail): Promise<void> {
    const { store, clock } = this.#options;
    const tryAt = clock.now() + retryWaitNs(mail.tries + 1, MAIL_WAIT_MS_MAX);
    await store.mails.putMailOff(mail, tryAt as EpochNs);
  }
}
