/** The tape's intake as the push source needs it: with notes, remembered batches, recorded gaps and counts. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { TapeGap } from '../../tape/tape-gap.ts';
import type { Intake, IntakeBatch } from '../../tape/write/intake.ts';
import type { OfferCounts } from '../../tape/write/sequencer/offer.ts';
import type { TapeNote } from '../../tape/write/tape-note.ts';

export interface PushIntake extends Pick<Intake, 'lastId' | 'promise'> {
  /** As `Intake.offer`. The notes are durable with the trades. Resolves to what became of the trades. */
  offerCounted(
    batches: readonly IntakeBatch[],
    promise: EpochNs | null,
    notes: readonly TapeNote[],
  ): Promise<OfferCounts>;
  /** The digest of an acknowledged batch that is still remembered; null: unknown. */
  batch(id: string): string | null;
  readonly openGaps: readonly TapeGap[];
}
