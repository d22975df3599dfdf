/** Adds the help address to a composed mail: below the signature, and below the card. */

import type { SupportAddress } from '../../config/support-address.ts';
import type { MailText } from '../mailer.ts';
import { escapeHtml } from './escape-html.ts';
import { HELP_PLACE, helpRow } from './mail-html.ts';

export function withHelp<Mail extends MailText>(mail: Mail, support: SupportAddress | null): Mail {
  if (support === null) return mail;
  const link = `<a href="${escapeHtml(support.href)}">${escapeHtml(support.text)}</a>`;
  return {
    ...mail,
    text: `${mail.text}Help: ${support.text}\n`,
    html: mail.html.replace(HELP_PLACE, () => helpRow(`Help: ${link}`)),
  };
}
