/** Checks mail: whether the server accepts our login, and with `--mail-to` a test mail. */

import { join } from 'node:path';
import type { Config } from '@tapeloom/server/config/config';
import { PublicAddress } from '@tapeloom/server/config/public-address';
import { tryMail } from '@tapeloom/server/operations/try-mail';
import { UsageError } from '../command.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const CHECK = 'mail';
const SET = 'Set TAPELOOM_SMTP_URL and TAPELOOM_MAIL_FROM (docs/operating/mail.md).';
const LOOK = 'Check TAPELOOM_SMTP_URL, the password and the network (docs/operating/mail.md).';

/** `to`: the recipient of a test mail; null: no mail is sent. */
export async function checkMail(
  { smtpUrl, mailFrom, publicUrl, port, data }: Config,
  to: string | null,
  interrupted: AbortSignal,
): Promise<readonly Finding[]> {
  if (smtpUrl === null || mailFrom === null) {
    if (to !== null)
      throw new UsageError('--mail-to requires a mail server: set TAPELOOM_SMTP_URL');
    const detail = `no mail server; mails are written to files in ${join(data, 'outbox')}`;
    return new PublicAddress(publicUrl, port).isLoopback
      ? [ok(CHECK, `${detail}; only this machine uses the service`)]
      : [warning(CHECK, `${detail} and not sent`, SET)];
  }
  const { where, fault: why } = await tryMail({ smtpUrl, mailFrom, to, interrupted });
  if (why !== null) return [fault(CHECK, `${where}: ${why}`, LOOK)];
  return to === null
    ? [ok(CHECK, `${where} accepts the login`)]
    : [ok(CHECK, `${where} accepted a test mail to ${to}; check that it arrives`)];
}
