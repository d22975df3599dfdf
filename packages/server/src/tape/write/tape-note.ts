/** Notes that a source hands over with its trades. They become durable in the commit that completes their offer. */

import type { EpochNs } from '@tapeloom/core/numbers';

export type TapeNote =
  | { readonly kind: 'gap'; readonly gap: TapeGap }
  | { readonly kind: 'position'; readonly key: string; readonly text: string }
  | { readonly kind: 'batch'; readonly id: string; readonly digest: string };

/** Trades of one contract that are missing from the tape. */
export interface TapeGap {
  readonly symbol: string;
  readonly from: EpochNs;
  /** Null: it grows to the watermark. */
  readonly to: EpochNs | null;
  readonly firstId: number | null;
  readonly lastId: number | null;
  readonly reason: string;
}
