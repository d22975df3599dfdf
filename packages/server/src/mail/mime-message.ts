/**
 * A mail as mail servers carry it: plain text first, then HTML. Every header is ours but the reader's address, which
 * has been read as one address; what composes it is loaded with the first mail, so that the start stays quick.
 */

import { normalEmail } from '@tapeloom/core/person/email-address';
import type { MailSender } from '../config/mail-sender.ts';
import { MailFault } from './mail-transport.ts';
import type { OutgoingMail } from './mailer.ts';

export interface MimeMessage {
  readonly from: string;
  /** With its domain as the name system has it. */
  readonly to: string;
  readonly bytes: Buffer;
}

export async function mimeMessage(
  mail: OutgoingMail,
  sender: MailSender,
  at: Date,
): Promise<MimeMessage> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const to = deliveryAddress(mail.to);
  const from = deliveryAddress(sender.address);
  const bytes = await new MailComposer({
    from: { name: sender.name, address: from },
    to: { name: '', address: to },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    date: at,
    ...(mail.id === undefined ? {} : { messageId: `<${mail.id}@${domainOf(from)}>` }),
    // Neither answers of machines nor texts from a file or a web address.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: '\r\n',
  })
    .compile()
    .build();
  return { from, to, bytes };
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

function deliveryAddress(text: string): string {
  const read = normalEmail(text);
  if (read === null) throw new MailFault('no address to write to', { of: 'mail', isFinal: true });
  const local = read.email.slice(0, read.email.lastIndexOf('@'));
  return local + read.key.slice(read.key.lastIndexOf('@'));
}
