/** Tries the configured mail server as the service would use it: its login, or a test mail. */

import { MS_NS_BIG } from '@tapeloom/core/units';
import { mailSender } from '../config/mail-sender.ts';
import { smtpServerAddress } from '../config/smtp-server-address.ts';
import { MailFault } from '../mail/mail-transport.ts';
import { SmtpTransport } from '../mail/smtp-transport.ts';
import { testMail } from '../mail/texts/test-mail.ts';
import { createClock } from '../platform/system-clock.ts';

const ANSWERED_WITHIN_MS = 30_000;

export interface MailTrial {
  readonly smtpUrl: string;
  readonly mailFrom: string;
  /** The recipient of a test mail; null: none. */
  readonly to: string | null;
  readonly interrupted: AbortSignal;
}

/** Resolves to the server's address, and why it cannot be used; null: it can. */
export async function tryMail({
  smtpUrl,
  mailFrom,
  to,
  interrupted,
}: MailTrial): Promise<{ readonly where: string; readonly fault: string | null }> {
  const server = smtpServerAddress(smtpUrl)!;
  const clock = createClock({ kind: 'system' });
  const now = () => new Date(Number(clock.now() / MS_NS_BIG));
  const transport = new SmtpTransport({ server, sender: mailSender(mailFrom)!, now });
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(ANSWERED_WITHIN_MS)]);
  const where = `${server.host}:${server.port}`;
  try {
    if (to === null) await transport.check(signal);
    else await transport.deliver({ to, ...testMail() }, signal);
    return { where, fault: null };
  } catch (error) {
    if (!(error instanceof MailFault)) throw error;
    return { where, fault: error.message };
  }
}
