/**
 * The port of mail: what is sent is queued at once and delivered in the background, so that nobody waits for a mail
 * server, and nobody can tell by the time of an answer whether a mail was sent. A mail that cannot be delivered is
 * tried again for as long as it is of use, and then given up; metrics and the log say so without a word of its content.
 */

/** A mail without its reader, as the texts are made. */
export interface MailText {
  /** Never holds what a person typed. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** What it is sent for, if that is a link. */
  readonly link?: string;
  /** How long it is worth to be delivered; left out: two days. What is of use for an hour at most yields to the rest. */
  readonly usefulMinutes?: number;
}

export interface OutgoingMail extends MailText {
  /** One address, as `normalEmail` gives it. */
  readonly to: string;
}

export interface Mailer {
  /** Never throws and never waits. Whatever the queue has no room for is dropped, and counted: then it is false. */
  send(mail: OutgoingMail): boolean;
}
