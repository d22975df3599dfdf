/** Mails about what happens to an account, to the address of its owner. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { MailText } from '../mailer.ts';
import { typed } from './mail-content.ts';
import { mailText } from './mail-text.ts';
import { momentText } from './mail-values.ts';

/** To the address the account still has. */
export function emailChangeNoticeMail({
  newEmail,
  accountLink,
}: {
  readonly newEmail: string;
  /** The account's page in the portal. */
  readonly accountLink: string;
}): MailText {
  return mailText({
    subject: 'Your e-mail address at Tapeloom is to change',
    heading: 'Your address is to change',
    lead: [
      `Somebody who is signed in to your account asked to change its address to ${typed(newEmail)}.`,
      'It changes when the link that was sent there is opened. Until then you sign in with this address.',
    ],
    action: { label: 'Look at the account', link: accountLink },
    closing: [
      'You? Then there is nothing to do here.',
      'Not you? Open the account and sign out everywhere else.',
    ],
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
      `As asked for, the account is deleted on ${momentText(dueAt)}. Until then all works as before, and you can change your mind.`,
      'A running subscription does not renew any more. On that day it ends, all keys stop working and you are signed out everywhere.',
    ],
    action: { label: 'Keep the account', link: accountLink },
    closing: ['Not you? Open the account, keep it, and sign out everywhere else.'],
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
