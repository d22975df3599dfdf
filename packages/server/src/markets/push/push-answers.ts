/** The answers to batches that are refused for reasons outside of their content. */

import type { PushAnswer } from '../../platform/push-exchange.ts';

const RETRY_SECONDS = 1;
/** A restart takes longer than a full queue. */
const RESTART_SECONDS = 5;

export function conflict(batchId: string): PushAnswer {
  const detail =
    `The batch ${batchId} was pushed before with other content. Nothing of this one was taken. ` +
    'Use a new id for each batch; repeat a batch without changes.';
  return { t: 'refused', code: 'BATCH_CONFLICT', detail };
}

export function busy(why: string): PushAnswer {
  const detail = `${why} Push the same batch again in ${RETRY_SECONDS} s.`;
  return { t: 'refused', code: 'BUSY', detail, retryAfterSeconds: RETRY_SECONDS };
}

export function stopping(): PushAnswer {
  return busy('The dataset does not take trades at the moment: it is starting or stopping.');
}

export function stopped(): PushAnswer {
  const detail =
    'The tape of this dataset has stopped because the disk failed. The batch may or may not be on disk: ' +
    'push it again with the same id after the restart.';
  return { t: 'refused', code: 'TAPE_STOPPED', detail, retryAfterSeconds: RESTART_SECONDS };
}
