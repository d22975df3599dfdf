/**
 * Mail, composed: by SMTP where a server is configured, else as files in the outbox. Only while mails are files and
 * the public address is this machine are there a mailbox on the internal port and links on the operator's terminal.
 */

import { join } from 'node:path';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { Config } from '../config/config.ts';
import { mailSender, OUTBOX_SENDER } from '../config/mail-sender.ts';
import type { PublicAddress } from '../config/public-address.ts';
import { smtpServerAddress } from '../config/smtp-server-address.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import {
  DevelopmentMailbox,
  type MailboxAnswer,
  type MailboxRequest,
} from './development-mailbox.ts';
import { MailQueue } from './mail-queue.ts';
import { MailSpool } from './mail-spool.ts';
import type { MailTransport } from './mail-transport.ts';
import type { Mailer, OutgoingMail } from './mailer.ts';
import { OutboxTransport } from './outbox-transport.ts';
import { SmtpTransport } from './smtp-transport.ts';

const LOST_BECAUSE = {
  refused: 'a mail was refused for good',
  expired: 'a mail could not be delivered in time',
} as const;

export interface MailServicesOptions {
  readonly config: Pick<Config, 'data' | 'smtpUrl' | 'mailFrom'>;
  readonly publicAddress: PublicAddress;
  readonly clock: Clock;
  readonly log: Log;
  /** Shows a link to who started the service; left out where that is no terminal. */
  readonly showLink?: (subject: string, to: string, link: string) => void;
}

export class MailServices implements Mailer, AsyncDisposable {
  readonly queue: MailQueue;
  readonly #options: MailServicesOptions;
  /** Null: mails go by SMTP. */
  readonly #outbox: OutboxTransport | null;
  readonly #mailbox: DevelopmentMailbox;

  constructor(options: MailServicesOptions) {
    const { config, clock, log } = options;
    const { smtpUrl, mailFrom, data } = config;
    const directory = join(data, 'outbox');
    const now = () => new Date(Number(clock.now() / MS_NS_BIG));
    const sender = (mailFrom === null ? null : mailSender(mailFrom)) ?? OUTBOX_SENDER;
    const server = smtpUrl === null ? null : smtpServerAddress(smtpUrl);
    this.#options = options;
    this.#outbox = server === null ? new OutboxTransport({ directory, sender, now }) : null;
    const transport: MailTransport =
      this.#outbox ?? new SmtpTransport({ server: server!, sender, now });
    this.#mailbox = new DevelopmentMailbox({ now, directory });
    this.queue = new MailQueue({
      transport,
      clock,
      spool: new MailSpool(join(data, 'mails-waiting')),
      onFailing: (error) => log.error({ error }, 'mail cannot be delivered; it is tried again'),
      onWorking: () => log.warn('mail is delivered again'),
      onLost: (outcome, error) => {
        // What there is no room for is counted, not told one by one.
        if (outcome !== 'no_room') log.warn({ error }, LOST_BECAUSE[outcome]);
      },
      onSpoolFault: (error) => log.error({ error }, 'a mail that waits cannot be kept on disk'),
    });
    void this.queue.restore();
  }

  /** Files in the outbox, as far as this process knows. */
  get outboxFilesCount(): number {
    return this.#outbox?.filesCount ?? 0;
  }

  /** Whether mails are shown to who runs the service on this machine for himself. */
  get isDevelopment(): boolean {
    return this.#outbox !== null && this.#options.publicAddress.isLoopback;
  }

  /** For the operator's log, once the public address is known. */
  tellWhatIsMissing(): void {
    const { publicAddress, log } = this.#options;
    if (this.#outbox === null || publicAddress.isLoopback) return;
    const { origin } = publicAddress;
    log.warn({ origin }, 'mails are files and reach nobody: TAPELOOM_SMTP_URL is not set');
  }

  send(mail: OutgoingMail): boolean {
    const isTaken = this.queue.send(mail);
    if (!this.isDevelopment) return isTaken;
    this.#mailbox.add(mail);
    if (mail.link !== undefined) this.#options.showLink?.(mail.subject, mail.to, mail.link);
    return isTaken;
  }

  /** What the internal port answers; null: the request is for something else. */
  answer(request: MailboxRequest): MailboxAnswer | null {
    return this.isDevelopment ? this.#mailbox.answer(request) : null;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.queue[Symbol.asyncDispose]();
  }
}
