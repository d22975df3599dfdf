/** What `/metrics` shows of answers that wait for their readers. */

import type { UnreadAnswers } from '../../http/server/unread-answers.ts';
import { gauge, type Reading } from '../../platform/metrics.ts';

export function answerReadings(unread: UnreadAnswers): readonly Reading[] {
  return [
    gauge('tapeloom_answers_unsent_bytes', 'Of answers, waiting for their readers.', () => {
      return unread.bytes;
    }),
    {
      name: 'tapeloom_answers_cut_total',
      help: 'Connections cut: read too slowly, most of what waited, too many requests ahead.',
      kind: 'counter',
      label: 'reason',
      read: () => unread.cutTotal,
    },
  ];
}
