/**
 * The part of the account store about mails that must not be lost. A mail is owed by a row that is written in the
 * transaction that owes it; the row goes when the mail server has taken the mail. A row holds what is owed and to
 * whom, not the text: that is composed at each delivery.
 */

import type { EpochNs } from '@tapeloom/core/numbers';

export const MAIL_KINDS = [
  'order-confirmed',
  'order-renewed',
  'order-cancelled',
  'order-ended',
  'payment-failed',
  'usage',
  'withdrawal-received',
  'deletion-asked',
  'account-deleted',
  'email-changed',
  'passkey-added',
  'passkey-removed',
  /** All of them at once, by a recovery or by the operator. */
  'passkeys-removed',
  'recovery-asked',
  'recovery-stopped',
  /** Composed by an earlier version, which kept it as a file. */
  'composed',
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

export interface NewMail {
  /** Names the obligation: owed twice, it is one mail. It is also the mail's `Message-ID`, before the `@`. */
  readonly id: string;
  readonly kind: MailKind;
  /** The address it goes to. */
  readonly reader: string;
  readonly orderId: string | null;
  /** What its text needs beside the order. */
  readonly details: Readonly<Record<string, string>>;
}

export interface OwedMail extends NewMail {
  readonly createdAt: EpochNs;
  /** How often its delivery failed. */
  readonly tries: number;
  /** Until then nobody else delivers it. */
  readonly takenUntil: EpochNs;
}

export interface MailsWaiting {
  readonly count: number;
  /** How many of them may be delivered now. */
  readonly due: number;
}

export interface MailsStore {
  /** Owes a mail by itself. */
  oweMail(now: EpochNs, mail: NewMail): Promise<void>;
  waitingMails(now: EpochNs): Promise<MailsWaiting>;
  /** Takes mails that are due, those that failed least first; until then nobody else gets them. */
  takeMails(now: EpochNs, until: EpochNs, limit: number): Promise<readonly OwedMail[]>;
  /** The mail server took it: it is no longer owed, and what it was about remembers it. */
  mailSent(now: EpochNs, mail: OwedMail): Promise<void>;
  /** Its delivery failed; ignored when somebody else has taken it meanwhile. */
  putMailOff(mail: OwedMail, tryAt: EpochNs): Promise<void>;
  /** It will never be delivered. */
  giveMailUp(mail: OwedMail): Promise<void>;
}
