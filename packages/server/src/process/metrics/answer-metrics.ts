/** Metrics of responses with unread bytes. */

import type { UnreadAnswers } from '../../http/server/answers/unread-answers.ts';
import { gauge, type Reading } from '../../platform/metrics.ts';

export function answerReadings(unread: UnreadAnswers): readonly Reading[] {
  return [
    gauge('tapeloom_answers_unsent_bytes', 'Bytes of responses waiting for their readers.', () => {
      return unread.bytes;
    }),
    {
      name: 'tapeloom_answers_cut_total',
      help: 'Connections cut: slow reader, largest share at the limit, too many pipelined requests.',
      kind: 'counter',
      label: 'reason',
      read: () => unread.cutTotal,
    },
  ];
}
