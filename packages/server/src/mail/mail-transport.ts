/** The destination of mails: a mail server or a folder. One call is one try; the queue decides about the next. */

import type { OutgoingMail } from './mailer.ts';

export interface MailTransport {
  /** Rejects with a `MailFault` or any other error, also when the signal aborts. */
  deliver(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
}

export interface MailFaultOptions {
  /** The cause: a server's fault affects the next mail too. */
  readonly of: 'server' | 'mail';
  /** Whether a retry is useless. */
  readonly isFinal: boolean;
}

/** Why a mail was not delivered. The message is logged, so it contains nothing of the mail or its reader. */
export class MailFault extends Error {
  readonly of: MailFaultOptions['of'];
  readonly isFinal: boolean;

  constructor(message: string, { of, isFinal }: MailFaultOptions) {
    super(message);
    this.of = of;
    this.isFinal = isFinal;
  }
}
