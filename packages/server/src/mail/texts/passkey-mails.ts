/** Mails about passkeys, to the address of the account's owner. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { MailText } from '../mailer.ts';
import { typed } from './mail-content.ts';
import { mailText } from './mail-text.ts';
import { momentText } from './mail-values.ts';

const NOT_YOU =
  'If this was not you, sign in, remove unknown passkeys under Account, and sign out everywhere else.';

interface ChangedPasskey {
  readonly name: string;
  readonly at: EpochNs;
  readonly accountLink: string;
}

export function passkeyAddedMail({ name, at, accountLink }: ChangedPasskey): MailText {
  return mailText({
    subject: 'A passkey was added to your Tapeloom account',
    heading: 'A passkey was added',
    lead: [
      `Since ${momentText(at)} you can sign in to your account with the passkey ${typed(name)}.`,
      'From now on, you need a passkey to create a key, change the address or delete the account.',
    ],
    action: { label: 'Passkeys of your account', link: accountLink },
    closing: ['If this was you, there is nothing to do.', NOT_YOU],
  });
}

export function passkeyRemovedMail({ name, at, accountLink }: ChangedPasskey): MailText {
  return mailText({
    subject: 'A passkey was removed from your Tapeloom account',
    heading: 'A passkey was removed',
    lead: [
      `Since ${momentText(at)} you can no longer sign in to your account with the passkey ${typed(name)}.`,
    ],
    action: { label: 'Passkeys of your account', link: accountLink },
    closing: ['If this was you, there is nothing to do.', NOT_YOU],
  });
}

export function passkeysRemovedMail({
  at,
  isByOperator,
  accountLink,
}: {
  readonly at: EpochNs;
  readonly isByOperator: boolean;
  readonly accountLink: string;
}): MailText {
  const why = isByOperator
    ? 'The operator of this service has removed all passkeys of your account.'
    : 'The 24 hours of the recovery have passed, so all passkeys of your account are removed.';
  return mailText({
    subject: 'The passkeys of your Tapeloom account are removed',
    heading: 'Your passkeys are removed',
    lead: [
      `${why} This happened on ${momentText(at)}.`,
      'Sign in with a link to this address; then you can add a new passkey.',
    ],
    action: { label: 'Sign in', link: accountLink },
    closing: [
      'If this was not you, secure your mailbox, then write to the operator of this service.',
    ],
  });
}

/** Includes the link that stops it without a sign-in. */
export function recoveryAskedMail({
  dueAt,
  stopLink,
}: {
  readonly dueAt: EpochNs;
  readonly stopLink: string;
}): MailText {
  return mailText({
    subject: 'The passkeys of your Tapeloom account will be removed',
    heading: 'Your passkeys will be removed',
    lead: [
      `Somebody with access to this mailbox reported your passkeys as lost. All of them are removed on ${momentText(dueAt)}.`,
      'After that, a link to this address is enough to sign in.',
    ],
    action: { label: 'Stop it and keep my passkeys', link: stopLink },
    closing: [
      'If this was you, wait until that time; there is nothing else to do.',
      'If this was not you, somebody can read your mail. Stop the removal, and secure your mailbox.',
    ],
  });
}

export function recoveryStoppedMail({ accountLink }: { readonly accountLink: string }): MailText {
  return mailText({
    subject: 'Your passkeys at Tapeloom stay',
    heading: 'The recovery was stopped',
    lead: ['The removal of your passkeys was stopped. All passkeys of your account stay.'],
    action: { label: 'Passkeys of your account', link: accountLink },
    closing: [
      'If this was not you and your passkeys are lost, request the recovery again, or write to the operator of this service.',
    ],
  });
}
