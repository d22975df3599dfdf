/** Metrics of mail: waiting mails, and outcomes. */

import type { MailServices } from '../../mail/mail-services.ts';
import { counter, gauge, type Reading } from '../../platform/metrics.ts';

export function mailReadings(mail: MailServices): readonly Reading[] {
  return [
    gauge('tapeloom_mails_waiting', 'Mails that are not delivered yet.', () => mail.waitingCount),
    {
      name: 'tapeloom_mails_total',
      help: 'Mails by outcome.',
      kind: 'counter',
      label: 'outcome',
      read: () => ({ ...mail.outcomes }),
    },
    counter(
      'tapeloom_mail_tries_failed_total',
      'Failed deliveries, including those that are retried.',
      () => {
        return mail.triesFailedTotal;
      },
    ),
    gauge('tapeloom_outbox_files', 'Mails in the outbox folder, as of the last one.', () => {
      return mail.outboxFilesCount;
    }),
  ];
}
