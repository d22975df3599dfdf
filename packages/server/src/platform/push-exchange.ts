/** A pushed batch and its answer as they pass between the internal port and the thread that writes the tape. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { OffTickPrice, PushErrorCode, PushFault, PushReceipt } from '@tapeloom/protocol/push';

export type PushContentType = 'application/x-ndjson' | 'application/x-dbn';

export interface PushRequest {
  readonly batchId: string;
  readonly contentType: PushContentType;
  /** The venue's time before which nothing will follow. */
  readonly upTo: EpochNs | null;
  /** The writer has no more trades before this time than the tape has: the rest is missing for good. */
  readonly missingBefore: EpochNs | null;
  /** The trade number of the first record of a DBN body, which has no trade numbers. */
  readonly firstId: number | null;
  readonly body: Uint8Array;
}

/** Of a `refused` batch nothing was taken. It may be pushed again if `retryAfterSeconds` is set. */
export type PushAnswer =
  | { readonly t: 'acknowledged'; readonly receipt: PushReceipt }
  | {
      readonly t: 'refused';
      readonly code: PushErrorCode;
      readonly detail: string;
      readonly errors?: readonly PushFault[];
      readonly offTick?: OffTickPrice;
      readonly retryAfterSeconds?: number;
    };
