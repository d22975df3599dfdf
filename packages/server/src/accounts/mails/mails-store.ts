/**
 * The part of the account store about mails that must not be lost. The transaction that owes a mail writes a row, which
 * is removed when the mail server has accepted it. A row holds the obligation; the text is composed at each delivery.
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
  /** All passkeys at once, by a recovery or by the operator. */
  'passkeys-removed',
  'recovery-asked',
  'recovery-stopped',
  /** Composed by an earlier version, which stored it as a file. */
  'composed',
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

export interface NewMail {
  /**
   * Identifies the obligation: owed twice, it is one mail. Also the start of the mail's `Message-ID`, before the `@`.
   */
  readonly id: string;
  readonly kind: MailKind;
  /** The recipient's address. */
  readonly reader: string;
  readonly orderId: string | null;
  /** Values of its text that the order does not have. */
  readonly details: Readonly<Record<string, string>>;
}

export interface OwedMail extends NewMail {
  readonly createdAt: EpochNs;
  readonly tries: number;
  /** Until then no other process delivers it. */
  readonly takenUntil: EpochNs;
}

export interface MailsWaiting {
  readonly count: number;
  readonly due: number;
}

export interface MailsStore {
  /** Owes a mail in a transaction of its own. */
  oweMail(now: EpochNs, mail: NewMail): Promise<void>;
  waitingMails(now: EpochNs): Promise<MailsWaiting>;
  /** Takes due mails, those with the fewest failures first; until `until` no other process gets them. */
  takeMails(now: EpochNs, until: EpochNs, limit: number): Promise<readonly OwedMail[]>;
  /** The mail server accepted it: the row is removed, and its order or withdrawal records that. */
  mailSent(now: EpochNs, mail: OwedMail): Promise<void>;
  /** Its delivery failed; ignored when another process has taken it meanwhile. */
  putMailOff(mail: OwedMail, tryAt: EpochNs): Promise<void>;
  /** Removes a mail that can never be delivered. */
  giveMailUp(mail: OwedMail): Promise<void>;
}
