/** What the push endpoint needs of the service: the datasets that take trades, and where each is written. */

import type { PushPosition } from '@tapeloom/protocol/push';
import type { PushAnswer, PushRequest } from '../../platform/push-exchange.ts';

/** Where a dataset is written. */
export type PushLeader =
  | { readonly t: 'here' }
  /** `url`: the internal address of the node, such as `http://10.0.0.12:9464`. */
  | { readonly t: 'elsewhere'; readonly url: string }
  /** The node reports no address. */
  | { readonly t: 'unaddressed'; readonly node: string }
  | { readonly t: 'nobody' };

export interface PushDesk {
  /** The datasets that take pushed trades. */
  datasets(): readonly string[];
  leaderOf(dataset: string): PushLeader;
  push(dataset: string, request: PushRequest): Promise<PushAnswer>;
  /** Null: the leader has just changed. */
  position(dataset: string): Promise<PushPosition | null>;
}
