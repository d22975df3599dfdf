/**
 * The port of mails with a link: what is sent is queued at once and delivered in the background, so that nobody waits
 * for a mail server, and nobody can tell by the time of an answer whether a mail was sent. A mail that cannot be
 * delivered is tried again for as long as it is of use, and then given up. Mails that must not be lost do not come
 * here: the transaction that owes them writes them into the accounts' database (`accounts/mails/mails-store.ts`).
 */

/** A mail without its reader, as the texts are made. */
export interface MailText {
  /** Never holds what a person typed. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** What it is sent for, if that is a link. */
  readonly link?: string;
}

/** A mail that is of use for a while only. */
export interface LinkMailText extends MailText {
  readonly usefulMinutes: number;
}

interface Addressed {
  /** One address, as `normalEmail` gives it. */
  readonly to: string;
  /** Its `Message-ID`, before the `@`: the same at every try. */
  readonly id?: string;
}

export type OutgoingMail = MailText & Addressed;
export type LinkMail = LinkMailText & Addressed;

export interface Mailer {
  /** Never throws and never waits. Whatever the queue has no room for is dropped, and counted: then it is false. */
  send(mail: LinkMail): boolean;
}
