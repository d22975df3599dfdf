/** The error for a tape that is ahead of the machine's clock. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';

export class TapeAheadError extends Error {
  constructor(promise: EpochNs, now: EpochNs) {
    super(
      `the tape reaches to ${timeText(promise)}, but the clock shows ${timeText(now)}. ` +
        'If the clock is wrong, correct it. If it was ahead before, run tapeloom tape trim --after ' +
        `${timeText(now)}: it moves the later part aside and deletes nothing. A directory of a service that ran with ` +
        '--speed needs --speed again.',
    );
  }
}

function timeText(instant: EpochNs): string {
  return new Date(Number(instant / MS_NS_BIG)).toISOString();
}
