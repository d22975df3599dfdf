/**
 * Assembles mail: by SMTP if a server is configured, else as files in the outbox. The mailbox on the internal port and
 * links on the terminal exist only while mails are files and the public address is this machine.
 */

import { join } from 'node:path';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { Config } from '../config/config.ts';
import { mailSender, OUTBOX_SENDER } from '../config/mail-sender.ts';
import type { PublicAddress } from '../config/public-address.ts';
import { smtpServerAddress } from '../config/smtp-server-address.ts';
import { type SupportAddress, supportAddress } from '../config/support-address.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log/log.ts';
import {
  DevelopmentMailbox,
  type MailboxAnswer,
  type MailboxRequest,
} from './development-mailbox.ts';
import { takeOverEarlierMails } from './earlier-mails.ts';
import { type MailOutcome, MailQueue } from './mail-queue.ts';
import type { MailTransport } from './mail-transport.ts';
import type { LinkMail, Mailer, OutgoingMail } from './mailer.ts';
import { OutboxTransport } from './outbox-transport.ts';
import { OwedMails, type OwedMailsOptions } from './owed-mails.ts';
import { SmtpTransport } from './smtp-transport.ts';
import { withHelp } from './texts/mail-help.ts';

const LOST_BECAUSE = {
  refused: 'a mail was refused for good',
  expired: 'a mail could not be delivered in time',
} as const;

export interface MailServicesOptions {
  readonly config: Pick<Config, 'data' | 'smtpUrl' | 'mailFrom' | 'support'>;
  readonly publicAddress: PublicAddress;
  readonly clock: Clock;
  readonly log: Log;
  readonly owed: Pick<OwedMailsOptions, 'store' | 'textOf' | 'inTurn'>;
  /** Shows a link on the operator's terminal; absent if there is none. */
  readonly showLink?: (subject: string, to: string, link: string) => void;
}

export class MailServices implements Mailer, AsyncDisposable {
  readonly queue: MailQueue;
  readonly owed: OwedMails;
  readonly #options: MailServicesOptions;
  /** Null: mails go by SMTP. */
  readonly #outbox: OutboxTransport | null;
  readonly #mailbox: DevelopmentMailbox;
  readonly #support: SupportAddress | null;

  constructor(options: MailServicesOptions) {
    const { config, clock, log } = options;
    const { smtpUrl, mailFrom, data } = config;
    const directory = join(data, 'outbox');
    const now = () => new Date(Number(clock.now() / MS_NS_BIG));
    const sender = (mailFrom === null ? null : mailSender(mailFrom)) ?? OUTBOX_SENDER;
    const server = smtpUrl === null ? null : smtpServerAddress(smtpUrl);
    this.#options = options;
    this.#support = config.support === null ? null : supportAddress(config.support);
    this.#outbox = server === null ? new OutboxTransport({ directory, sender, now }) : null;
    const transport: MailTransport =
      this.#outbox ?? new SmtpTransport({ server: server!, sender, now });
    this.#mailbox = new DevelopmentMailbox({ now, directory });
    const failing = this.#failing();
    this.queue = new MailQueue({
      transport,
      clock,
      ...failing('links'),
      onLost: (outcome, error) => {
        // Mails beyond the limit are counted, not logged one by one.
        if (outcome !== 'no_room') log.warn({ error }, LOST_BECAUSE[outcome]);
      },
    });
    this.owed = new OwedMails({
      ...options.owed,
      transport: this.#shown(transport),
      clock,
      ...failing('owed'),
      onLost: (outcome, mail, error) => log.error({ mail, error }, LOST_BECAUSE[outcome]),
      onFault: (error, mail) => log.error({ mail, error }, 'an owed mail could not be delivered'),
    });
    void this.#takeOverEarlier();
  }

  get waitingCount(): number {
    return this.queue.waitingCount + this.owed.waitingCount;
  }

  get outcomes(): Readonly<Record<MailOutcome, number>> {
    const { sent, refused, expired, no_room } = this.queue.outcomes;
    const owed = this.owed.outcomes;
    return {
      sent: sent + owed.sent,
      refused: refused + owed.refused,
      expired: expired + owed.expired,
      no_room,
    };
  }

  get triesFailedTotal(): number {
    return this.queue.triesFailedTotal + this.owed.triesFailedTotal;
  }

  /** Files in the outbox, as far as this process knows. */
  get outboxFilesCount(): number {
    return this.#outbox?.filesCount ?? 0;
  }

  /** Whether mails are shown locally: the service runs for its developer on this machine. */
  get isDevelopment(): boolean {
    return this.#outbox !== null && this.#options.publicAddress.isLoopback;
  }

  /** Warns the operator, once the public address is known. */
  tellWhatIsMissing(): void {
    const { publicAddress, log } = this.#options;
    if (this.#outbox === null || publicAddress.isLoopback) return;
    const { origin } = publicAddress;
    log.warn({ origin }, 'mails are files and reach nobody: TAPELOOM_SMTP_URL is not set');
  }

  send(text: LinkMail): boolean {
    const mail = withHelp(text, this.#support);
    const isTaken = this.queue.send(mail);
    this.#show(mail);
    return isTaken;
  }

  /** The response of the internal port; null: the request is for another path. */
  answer(request: MailboxRequest): MailboxAnswer | null {
    return this.isDevelopment ? this.#mailbox.answer(request) : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.queue[Symbol.asyncDispose](), this.owed[Symbol.asyncDispose]()]);
  }

  #show(mail: OutgoingMail): void {
    if (!this.isDevelopment) return;
    this.#mailbox.add(mail);
    if (mail.link !== undefined) this.#options.showLink?.(mail.subject, mail.to, mail.link);
  }

  #shown(transport: MailTransport): MailTransport {
    return {
      deliver: async (text, signal) => {
        const mail = withHelp(text, this.#support);
        await transport.deliver(mail, signal);
        this.#show(mail);
      },
    };
  }

  /** Links and owed mails use the same server: its trouble is reported once for both. */
  #failing() {
    const { log } = this.#options;
    const who = new Set<string>();
    return (one: string) => ({
      onFailing: (error: unknown) => {
        if (who.size === 0) log.error({ error }, 'mail cannot be delivered; it is tried again');
        who.add(one);
      },
      onWorking: () => {
        who.delete(one);
        if (who.size === 0) log.warn('mail is delivered again');
      },
    });
  }

  async #takeOverEarlier(): Promise<void> {
    const { config, clock, log, owed } = this.#options;
    try {
      await takeOverEarlierMails({
        directory: join(config.data, 'mails-waiting'),
        mails: owed.store.mails,
        now: () => clock.now(),
        onUnreadable: (path, error) => {
          log.error({ path, error }, 'a mail of an earlier version cannot be read; it stays there');
        },
      });
    } catch (error) {
      log.error({ error }, 'mails of an earlier version wait for the next start');
    }
  }
}
