/**
 * The rule by which pushed batches move the watermark. The writer's own word (`upTo`) counts; without one the newest
 * trade does, less a grace period in which trades of other contracts may still come.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';

const GRACE_MS = 250n;

/** What a batch says about the venue's time. */
export interface BatchTimes {
  readonly upTo: EpochNs | null;
  readonly newest: EpochNs | null;
}

export interface PushWatermark {
  /** The watermark to offer with the batch; null: it stays. It is called once per batch, in the order of the offers. */
  after(batch: BatchTimes): EpochNs | null;
}

export const pushWatermark: PushWatermark = {
  after: ({ upTo, newest }) => {
    if (upTo !== null || newest === null) return upTo;
    return (newest - GRACE_MS * MS_NS_BIG) as EpochNs;
  },
};
