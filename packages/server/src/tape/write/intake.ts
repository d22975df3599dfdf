/**
 * The tape's intake: the interface through which a source hands over trades. A source knows nothing of ranks. It may
 * resend a trade until it is acknowledged; an acknowledged trade is on disk for good.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { TapeGap } from '../tape-gap.ts';
import type { TapeNote } from './tape-note.ts';

/** Trades of one contract whose source time lies on one UTC day, in the feed's order. */
export interface IntakeBatch {
  readonly symbol: string;
  readonly day: UtcDay;
  readonly count: number;
  /** The trade's number in its contract's feed: a safe integer that grows along the feed. */
  readonly id: Float64Array;
  /** Source time, nanoseconds since the midnight of `day`. */
  readonly ts: Float64Array;
  /** Price in ticks. A double, so that a price off the tick grid is detected and rejected, not rounded. */
  readonly price: Float64Array;
  /** Lots. */
  readonly size: Float64Array;
  /** Aggressor: +1 buyer, -1 seller, 0 unknown. */
  readonly side: Int8Array;
}

/** What became of an offer's trades. The others were accepted, or wait for a later day. */
export interface OfferCounts {
  readonly duplicate: number;
  readonly tooOld: number;
  /** Accepted, but earlier than the watermark. */
  readonly late: number;
  /** Rejected for any other reason. */
  readonly rejected: number;
}

export interface Intake {
  /**
   * Takes trades and then the source's watermark (`promise`): no trade of its dataset earlier than that will follow.
   * Resolves, to what became of the trades, once everything is on disk, or rejected and counted. Rejects when it is not
   * on disk and never will be. The columns must not change until then. When too much is pending, the offer is rejected
   * and may be repeated. Notes are on disk with the trades; a RangeError means that they cannot be recorded.
   */
  offer(
    batches: readonly IntakeBatch[],
    promise: EpochNs | null,
    notes?: readonly TapeNote[],
  ): Promise<OfferCounts>;
  /** The highest feed number on the tape for this contract, -1 if none: the point from which a source resumes. */
  lastId(symbol: string): number;
  /** The durable watermark, null on an empty tape. */
  readonly promise: EpochNs | null;
  /** The newest durable position under this key; null: there is none. */
  position(key: string): string | null;
  /** The digest of a durable batch; null when the batch is unknown or no longer remembered. */
  batch(id: string): string | null;
  /** The durable gaps that touch the open day or a later time, with their beginning as recorded. */
  readonly gaps: readonly TapeGap[];
}
