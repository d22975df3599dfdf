/** A gap: open market hours of one contract whose trades the source has lost. */

import type { EpochNs } from '@tapeloom/core/numbers';

/** A contract's gaps are told apart by `from`: a gap with the `from` of a recorded one replaces it. */
export interface TapeGap {
  readonly symbol: string;
  readonly from: EpochNs;
  /** Null: it grows to the watermark. */
  readonly to: EpochNs | null;
  /** The first and the last missing number, where they are known. */
  readonly firstId: number | null;
  readonly lastId: number | null;
  readonly reason: string;
}
