/** The tape's intake as feeds need it: with notes, the source's own positions, and the recorded gaps. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { TapeGap } from '../../tape/tape-gap.ts';
import type { IntakeBatch, OfferCounts } from '../../tape/write/intake.ts';
import type { TapeNote } from '../../tape/write/tape-note.ts';

export interface FeedIntake {
  /** As `Intake.offer`. Gaps are durable before the trades of the offer, other notes with the last of them. */
  offer(
    batches: readonly IntakeBatch[],
    promise: EpochNs | null,
    notes?: readonly TapeNote[],
  ): Promise<OfferCounts>;
  lastId(symbol: string): number;
  readonly promise: EpochNs | null;
  /** The source's last durable note with this key. */
  position(key: string): string | null;
  /** The recorded gaps that touch the open day. */
  readonly gaps: readonly TapeGap[];
}
