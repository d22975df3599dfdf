/** Mails with sign-in and confirmation links. They are useful while the link is valid. */

import type { LinkMailText } from '../mailer.ts';
import { typed } from './mail-content.ts';
import { mailText } from './mail-text.ts';

export interface SignInLink {
  readonly link: string;
  readonly expiresInMinutes: number;
}

/** The same text whether the address has an account or not. */
export function signInMail({ link, expiresInMinutes }: SignInLink): LinkMailText {
  const mail = mailText({
    subject: 'Sign in to Tapeloom',
    heading: 'Sign in to Tapeloom',
    lead: ['Open the link in the browser you want to sign in with.'],
    action: { label: 'Sign in', link },
    closing: [
      onceFor(expiresInMinutes),
      'If this was not you, do nothing: nobody can sign in without the link.',
    ],
  });
  return { ...mail, usefulMinutes: expiresInMinutes };
}

/** For a person who wants to own an account that was made on the command line. */
export function claimMail({
  link,
  expiresInMinutes,
  account,
}: SignInLink & { readonly account: string }): LinkMailText {
  const mail = mailText({
    subject: 'Take over a Tapeloom account',
    heading: 'Take over an account',
    lead: [`With this link you become the owner of the account ${typed(account)}.`],
    action: { label: 'Become its owner', link },
    closing: [
      onceFor(expiresInMinutes),
      'If this was not you, do nothing: the account does not change.',
    ],
  });
  return { ...mail, usefulMinutes: expiresInMinutes };
}

/** To the present address. */
export function emailApprovalMail({
  link,
  expiresInMinutes,
  newEmail,
}: SignInLink & { readonly newEmail: string }): LinkMailText {
  const mail = mailText({
    subject: 'Change your e-mail address at Tapeloom?',
    heading: 'Change your address?',
    lead: [
      `Somebody who is signed in to your account wants to change its address to ${typed(newEmail)}.`,
      'If you approve it, we send a link to the new address. The address changes when you open that link.',
    ],
    action: { label: 'Approve the change', link },
    closing: [
      `${onceFor(expiresInMinutes)} Open it in the browser in which you requested the change.`,
      'If this was not you, do not approve it: then nothing changes. Sign in and sign out everywhere else.',
    ],
  });
  return { ...mail, usefulMinutes: expiresInMinutes };
}

/** To the present address. */
export function deletionMail({ link, expiresInMinutes }: SignInLink): LinkMailText {
  const mail = mailText({
    subject: 'Delete your Tapeloom account?',
    heading: 'Delete your account?',
    lead: [
      'Somebody who is signed in to your account wants to delete it.',
      'If you confirm it, the account is deleted 14 days later, and a subscription no longer renews.',
    ],
    action: { label: 'Confirm the deletion', link },
    closing: [
      `${onceFor(expiresInMinutes)} Open it in the browser in which you requested the deletion.`,
      'If this was not you, do not confirm it: then nothing changes. Sign in and sign out everywhere else.',
    ],
  });
  return { ...mail, usefulMinutes: expiresInMinutes };
}

/** To the present address. */
export function recoveryMail({ link, expiresInMinutes }: SignInLink): LinkMailText {
  const mail = mailText({
    subject: 'Remove the passkeys of your Tapeloom account?',
    heading: 'Remove your passkeys?',
    lead: [
      'Somebody who is signed in to your account reported its passkeys as lost.',
      'If you confirm it, all passkeys of the account are removed 24 hours later. Until then you can stop the removal.',
    ],
    action: { label: 'My passkeys are lost', link },
    closing: [
      onceFor(expiresInMinutes),
      'If this was not you, do not confirm it: then nothing changes. Sign in and sign out everywhere else.',
    ],
  });
  return { ...mail, usefulMinutes: expiresInMinutes };
}

/** To the new address. */
export function emailChangeMail({ link, expiresInMinutes }: SignInLink): LinkMailText {
  const mail = mailText({
    subject: 'Confirm your new e-mail address',
    heading: 'Confirm this address',
    lead: ['Once you confirm this address, you sign in to Tapeloom with it.'],
    action: { label: 'Confirm this address', link },
    closing: [
      `${onceFor(expiresInMinutes)} Open it in the browser in which you requested the change.`,
      'If this was not you, do nothing: no account gets your address.',
    ],
  });
  return { ...mail, usefulMinutes: expiresInMinutes };
}

function onceFor(minutes: number): string {
  return `The link works once, for ${minutes} minutes.`;
}
