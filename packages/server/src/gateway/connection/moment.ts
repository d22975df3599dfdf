/** The times by which requests are judged: that of the service, and that of each instrument's tape. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Clock } from '../../platform/clock.ts';
import type { TopicHub } from '../../topics/topic-hub.ts';

export interface Moment {
  /** The service's time. */
  readonly now: EpochNs;
  /** The watermark of an instrument's tape, or the service's time before the first one. */
  tapeTimeOf(instrument: string): EpochNs;
}

export function momentOf(hub: Pick<TopicHub, 'tapeTimeOf'>, clock: Pick<Clock, 'now'>): Moment {
  const now = clock.now();
  return { now, tapeTimeOf: (instrument) => hub.tapeTimeOf(instrument) ?? now };
}
