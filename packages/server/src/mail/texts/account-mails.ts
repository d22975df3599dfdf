/** Mails about what happens to an account, to the address of its owner. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { MailText } from '../mailer.ts';
import { typed } from './mail-content.ts';
import { mailText } from './mail-text.ts';
import { momentText } from './mail-values.ts';

/** To the address that the account had until now. */
export function addressIsOldMail({ newEmail }: { readonly newEmail: string }): MailText {
  return mailText({
    subject: 'Your e-mail address at Tapeloom has changed',
    heading: 'Your address has changed',
    lead: [
      `The address of your account is now ${typed(newEmail)}. The change was approved by a link that was sent to this address.`,
      'You no longer sign in with this address.',
    ],
    closing: [
      'You? Then there is nothing to do.',
      'Not you? Somebody can read your mail: secure your mailbox, then write to the operator of this service.',
    ],
  });
}

/** To the address that it has from now on. */
export function addressIsNewMail(): MailText {
  return mailText({
    subject: 'This is your e-mail address at Tapeloom now',
    heading: 'This is your address now',
    lead: ['From now on you sign in to Tapeloom with this address, and receipts come here.'],
    closing: ['We told the address that the account had before.'],
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
      `As you confirmed by mail, the account is deleted on ${momentText(dueAt)}. Until then all works as before, and you can change your mind.`,
      'A running subscription does not renew any more. On that day it ends, all keys stop working and you are signed out everywhere.',
    ],
    action: { label: 'Keep the account', link: accountLink },
    closing: [
      'Not you? Somebody can read your mail. Keep the account, sign out everywhere else, and secure your mailbox.',
    ],
  });
}

export function accountDeletedMail({ deletedAt }: { readonly deletedAt: EpochNs }): MailText {
  return mailText({
    subject: 'Your Tapeloom account is deleted',
    heading: 'Your account is deleted',
    lead: [
      `Since ${momentText(deletedAt)} its keys no longer work and your e-mail address is no longer stored with it.`,
      'Orders, consents and withdrawals are kept for as long as the law asks for, and for nothing else.',
    ],
    closing: ['This is the last mail about this account.'],
  });
}
