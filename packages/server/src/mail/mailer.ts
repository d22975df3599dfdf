/**
 * The port for mails with a link. A mail is queued at once and delivered in the background, so no caller waits, and
 * response times do not reveal whether a mail was sent. It is retried while it is useful, then dropped. Mails that must
 * not be lost are written to the database by the transaction that owes them (`accounts/mails/mails-store.ts`).
 */

/** A composed mail without its recipient. */
export interface MailText {
  /** Never contains a person's input. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The link that the mail is sent for, if any. */
  readonly link?: string;
}

/** A mail that is useful only for a while. */
export interface LinkMailText extends MailText {
  readonly usefulMinutes: number;
}

interface Addressed {
  /** One address, as returned by `normalEmail`. */
  readonly to: string;
  /** The part of its `Message-ID` before the `@`: the same for every try. */
  readonly id?: string;
}

export type OutgoingMail = MailText & Addressed;
export type LinkMail = LinkMailText & Addressed;

export interface Mailer {
  /** Never throws or waits. Returns false if the queue is full: the mail is dropped and counted. */
  send(mail: LinkMail): boolean;
}
