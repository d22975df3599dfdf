/**
 * The door of the tape: what a source hands over and what it gets back. A source knows nothing of
 * ranks. It may send a trade again until it was acknowledged; afterwards the trade is on disk for ever.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';

/** Trades of one contract whose source time lies on one UTC day, in the feed's order. */
export interface IntakeBatch {
  readonly symbol: string;
  readonly day: UtcDay;
  readonly count: number;
  /** The trade's own number in the feed of its contract: a safe integer that grows along the feed. */
  readonly id: Float64Array;
  /** Source time, nanoseconds since the midnight of `day`. */
  readonly ts: Float64Array;
  /** Price in ticks. A double, so that a price off the tick grid is seen and refused, not rounded. */
  readonly price: Float64Array;
  /** Lots. */
  readonly size: Float64Array;
  /** Aggressor: +1 buyer, -1 seller, 0 unknown. */
  readonly side: Int8Array;
}

export interface Intake {
  /**
   * Takes trades and, after them, the source's promise that no trade earlier than `promise` will follow
   * for any contract of its dataset. Resolves once all of it is on disk (or refused and counted); rejects
   * when it is not and never will be. The columns must stay as they are until then. When too much is
   * waiting already, the offer is refused and may be made again.
   */
  offer(batches: readonly IntakeBatch[], promise: EpochNs | null): Promise<void>;
  /** The highest feed number on the tape for this contract, -1 if none: where a source goes on. */
  lastId(symbol: string): number;
  /** The durable promise so far, null on an empty tape. */
  readonly promise: EpochNs | null;
}
