/** The newest messages of the page's stream, for the wire drawer and the foot. It keeps them as they are: nothing is written out before somebody looks. */

import type { FeedSubscription } from '@tapeloom/charts/feed/sources';
import type { StreamUpdate } from '@tapeloom/client/stream';

const KEPT_MAX = 60;

export interface WireMessage {
  /** Counts all messages since the page opened. */
  readonly number: number;
  readonly indicator: string;
  readonly instrument: string;
  readonly update: StreamUpdate<string>;
}

export class WireLog {
  readonly #newest: WireMessage[] = [];
  readonly #open = new Set<FeedSubscription>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Newest first. */
  get newest(): readonly WireMessage[] {
    return this.#newest.toReversed();
  }

  /** Where a stream would resume; null before its first message. */
  get cursor(): string | null {
    let cursor: string | null = null;
    for (const { state } of this.#open) {
      if (state.cursor !== null) cursor = laterCursor(cursor, state.cursor);
    }
    return cursor;
  }

  /** How far the service itself is behind the tape; null without a stream. */
  get lagMs(): number | null {
    let lag: number | null = null;
    for (const { state } of this.#open) lag = Math.max(lag ?? 0, state.lagMs);
    return lag;
  }

  watch(subscription: FeedSubscription, indicator: string, instrument: string): void {
    this.#open.add(subscription);
    const note = (update: StreamUpdate<string>) => {
      this.#count += 1;
      this.#newest.push({ number: this.#count, indicator, instrument, update });
      if (this.#newest.length > KEPT_MAX) this.#newest.shift();
    };
    subscription.on('snapshot', note);
    subscription.on('upsert', note);
    subscription.on('remove', note);
    subscription.on('status', note);
    subscription.on('reset', note);
    void subscription.ended.then(() => this.#open.delete(subscription));
  }
}

/** Cursors are the day, the rank and a count, between dots. */
function laterCursor(a: string | null, b: string): string {
  if (a === null) return b;
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (const [at, part] of left.entries()) {
    const other = right[at] ?? 0;
    if (part !== other) return part > other ? a : b;
  }
  return a;
}
