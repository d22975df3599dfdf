/** Where mails go: a mail server, or a folder. One call is one try; the queue decides about the next. */

import type { OutgoingMail } from './mailer.ts';

export interface MailTransport {
  /** Rejects with a `MailFault`, or with whatever else happened, once the signal is aborted too. */
  deliver(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
}

export interface MailFaultOptions {
  /** Whose fault it is: the next mail meets a server's fault as well. */
  readonly of: 'server' | 'mail';
  /** Whether another try cannot help. */
  readonly isFinal: boolean;
}

/** Why a mail was not delivered. The message reaches the log, so it says nothing of the mail or its reader. */
export class MailFault extends Error {
  readonly of: MailFaultOptions['of'];
  readonly isFinal: boolean;

  constructor(message: string, { of, isFinal }: MailFaultOptions) {
    super(message);
    this.of = of;
    this.isFinal = isFinal;
  }
}
