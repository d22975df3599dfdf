/**
 * The port of mail: what is sent is queued at once and delivered in the background, so that nobody waits for a mail
 * server, and nobody can tell by the time of an answer whether a mail was sent. A mail that cannot be delivered is
 * tried again for a while and then given up; metrics and the log say so without a word of its content.
 */

export interface OutgoingMail {
  /** One address, as `normalEmail` gives it. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A mail without its reader, as the texts are made. */
export type MailText = Omit<OutgoingMail, 'to'>;

export interface Mailer {
  /** Never throws and never waits. Whatever the queue has no room for is dropped, and counted. */
  send(mail: OutgoingMail): void;
}
