/**
 * One subscription of one connection, as a topic sees it. It passes on what its mode lets through, and
 * after it is ended nothing.
 */

import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { StreamState } from '@tapeloom/protocol/status-states';
import type { Flush } from '../topics/flush.ts';
import type { Subscriber } from '../topics/topic.ts';
import type { Attachment } from '../topics/topic-hub.ts';

/** The connection's side of a subscription. */
export interface SubscriptionOwner {
  write(sub: string, mode: StreamMode, flush: Flush): void;
  becameReady(subscription: StreamSubscription): void;
  gotSnapshot(subscription: StreamSubscription): void;
  statusChanged(sub: string, state: StreamState, lagMs: number): void;
  ended(sub: string, code: ErrorCode, message: string): void;
}

export class StreamSubscription implements Subscriber {
  readonly sub: string;
  readonly mode: StreamMode;
  readonly depth: number;
  /** Set once the hub has taken it in. */
  attachment: Attachment | null = null;
  readonly #owner: SubscriptionOwner;
  #hasSnapshot = false;

  constructor(sub: string, mode: StreamMode, depth: number, owner: SubscriptionOwner) {
    this.sub = sub;
    this.mode = mode;
    this.depth = depth;
    this.#owner = owner;
  }

  /** Where a client could resume: the position of the last flush it was given. */
  get cursor(): string | null {
    return this.#hasSnapshot ? (this.attachment?.topic.position ?? null) : null;
  }

  ready(): void {
    this.#owner.becameReady(this);
  }

  snapshot(snapshot: Flush): void {
    this.#hasSnapshot = true;
    this.flush(snapshot);
    this.#owner.gotSnapshot(this);
  }

  flush(flush: Flush): void {
    this.#owner.write(this.sub, this.mode, flush);
  }

  status(state: StreamState, lagMs: number): void {
    this.#owner.statusChanged(this.sub, state, lagMs);
  }

  ended(code: ErrorCode, message: string): void {
    this.#owner.ended(this.sub, code, message);
  }
}
