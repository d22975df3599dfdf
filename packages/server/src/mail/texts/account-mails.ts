/** Mails about changes of an account, to its owner's address. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { MailText } from '../mailer.ts';
import { typed } from './mail-content.ts';
import { mailText } from './mail-text.ts';
import { momentText } from './mail-values.ts';

/** To the previous address. */
export function addressIsOldMail({ newEmail }: { readonly newEmail: string }): MailText {
  return mailText({
    subject: 'Your e-mail address at Tapeloom has changed',
    heading: 'Your address has changed',
    lead: [
      `The address of your account is now ${typed(newEmail)}. It was approved with a link that we sent to this address.`,
      'You no longer sign in with this address.',
    ],
    closing: [
      'If this was you, there is nothing to do.',
      'If this was not you, somebody can read your mail. Secure your mailbox, then write to the operator of this service.',
    ],
  });
}

/** To the new address. */
export function addressIsNewMail(): MailText {
  return mailText({
    subject: 'This is your e-mail address at Tapeloom now',
    heading: 'This is your address now',
    lead: ['From now on you sign in to Tapeloom with this address, and receipts come here.'],
    closing: ['We also sent a mail to the previous address of the account.'],
  });
}

export function deletionAskedMail({
  dueAt,
  accountLink,
}: {
  readonly dueAt: EpochNs;
  readonly accountLink: string;
}): MailText {
  return mailText({
    subject: 'Your Tapeloom account will be deleted',
    heading: 'Your account will be deleted',
    lead: [
      `You confirmed the deletion by mail. The account is deleted on ${momentText(dueAt)}. Until then everything works as before, and you can stop the deletion.`,
      'A running subscription no longer renews. On that day it ends, all keys stop working and you are signed out everywhere.',
    ],
    action: { label: 'Keep the account', link: accountLink },
    closing: [
      'If this was not you, somebody can read your mail. Keep the account, sign out everywhere else, and secure your mailbox.',
    ],
  });
}

export function accountDeletedMail({ deletedAt }: { readonly deletedAt: EpochNs }): MailText {
  return mailText({
    subject: 'Your Tapeloom account is deleted',
    heading: 'Your account is deleted',
    lead: [
      `Since ${momentText(deletedAt)} its keys no longer work and your e-mail address is no longer stored with it.`,
      'We keep orders, consents and withdrawals only for as long as the law requires.',
    ],
    closing: ['This is the last mail about this account.'],
  });
}
