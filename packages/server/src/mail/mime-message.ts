/**
 * A mail in its wire form: plain text first, then HTML. Every header is ours except the recipient's address, which was
 * parsed as one address. The composer is loaded with the first mail, so that the start stays quick.
 */

import { normalEmail } from '@tapeloom/core/person/email-address';
import type { MailSender } from '../config/mail-sender.ts';
import { MailFault } from './mail-transport.ts';
import type { OutgoingMail } from './mailer.ts';

export interface MimeMessage {
  readonly from: string;
  /** Its domain is in DNS form. */
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
    // Prevents automatic replies, and contents from files or web addresses.
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
