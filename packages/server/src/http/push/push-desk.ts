/** What the push endpoint needs of the service: the datasets that take trades, and where each is written. */

import type { PushPosition } from '@tapeloom/protocol/push';
import type { PushAnswer, PushRequest } from '../../platform/push-exchange.ts';

export interface PushDesk {
  /** The datasets that take pushed trades. */
  datasets(): readonly string[];
  /** `here`, or the internal address of the leader such as `http://10.0.0.12:9464`; null: nobody leads now. */
  leaderOf(dataset: string): 'here' | string | null;
  push(dataset: string, request: PushRequest): Promise<PushAnswer>;
  /** Null: the leader has just changed. */
  position(dataset: string): Promise<PushPosition | null>;
}
