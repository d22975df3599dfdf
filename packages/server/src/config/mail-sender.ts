/** The configured sender of mails: an address, or a name and an address in angle brackets. */

import { normalEmail } from '@tapeloom/core/person/email-address';
import { typedTextFault } from '@tapeloom/core/person/plain-text';

const DEFAULT_NAME = 'Tapeloom';
const NAMED = /^([^<>"]{1,64})<([^<>]+)>$/;

export interface MailSender {
  readonly name: string;
  readonly address: string;
}

/** The sender in mails that only this machine sees. */
export const OUTBOX_SENDER: MailSender = {
  name: DEFAULT_NAME,
  address: 'no-reply@tapeloom.invalid',
};

export const MAIL_FROM_ACCEPTS =
  'an e-mail address such as no-reply@example.com, or Tapeloom <no-reply@example.com>';

/** Null: the text is neither. */
export function mailSender(text: string): MailSender | null {
  const [, name = DEFAULT_NAME, address = text] = NAMED.exec(text) ?? [];
  const read = normalEmail(address);
  if (read === null || typedTextFault(name) !== null || name.trim() === '') return null;
  return { name: name.trim(), address: read.email };
}
