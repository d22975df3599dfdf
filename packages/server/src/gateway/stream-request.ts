/**
 * From a well-formed `subscribe` to what it means today: which contract, which indicator, which
 * canonical parameters. A name means one thing at a time; anything unknown is refused with its code.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { StreamMode, SubscribeMessage } from '@tapeloom/protocol/client-messages';
import type { TopicSpec } from '../topics/engine-link.ts';
import type { ErrorReply } from './client-message.ts';

/** A subscription that may start: what was asked, and what it stands for. */
export interface StreamRequest {
  readonly message: SubscribeMessage;
  readonly spec: TopicSpec;
  readonly tickSizeNanos: number;
  readonly mode: StreamMode;
  readonly depth: number;
}

export type ResolveStream = (
  message: SubscribeMessage,
  day: UtcDay,
) => StreamRequest | Omit<ErrorReply, 'sub'>;
