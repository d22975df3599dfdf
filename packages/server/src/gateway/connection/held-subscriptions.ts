/**
 * The subscriptions that one connection holds, by the name its client gave them, and what only they need:
 * turns on the line, and pages made ahead. What has ended is out of here before it says its last word.
 */

import { PagesAhead, PullTurns } from '../delivery/pull-turns.ts';
import type { StreamSubscription } from '../delivery/stream-subscription.ts';

export class HeldSubscriptions {
  readonly #bySub = new Map<string, StreamSubscription>();
  readonly #counters: { subscriptions: number };
  readonly turns: PullTurns;
  #pagesAhead: PagesAhead | null = null;

  /** `hasRoom`: whether little waits on the line; `counters` are of all connections. */
  constructor(hasRoom: () => boolean, counters: { subscriptions: number }) {
    this.turns = new PullTurns(hasRoom);
    this.#counters = counters;
  }

  get pagesAhead(): PagesAhead {
    this.#pagesAhead ??= new PagesAhead();
    return this.#pagesAhead;
  }

  /** Whether the client has all there is of each at this moment. */
  get areLive(): boolean {
    return this.#bySub.values().every(({ isLive }) => isLive);
  }

  /** All there are now; ending one changes nothing of this list. */
  all(): readonly StreamSubscription[] {
    return [...this.#bySub.values()];
  }

  /** Where each could be resumed, by its name; those that have nothing yet are left out. */
  cursors(): ReadonlyMap<string, string> {
    const cursors = new Map<string, string>();
    for (const { sub, cursor } of this.#bySub.values()) {
      if (cursor !== null) cursors.set(sub, cursor);
    }
    return cursors;
  }

  /** False for what has ended, or was replaced. */
  has(subscription: StreamSubscription): boolean {
    return this.#bySub.get(subscription.sub) === subscription;
  }

  begin(sub: string, subscription: StreamSubscription): void {
    this.#bySub.set(sub, subscription);
    this.#counters.subscriptions += 1;
    subscription.begin();
  }

  /** False when there is none of this name. */
  end(sub: string): boolean {
    const subscription = this.#bySub.get(sub);
    if (subscription === undefined) return false;
    this.#bySub.delete(sub);
    this.#counters.subscriptions -= 1;
    subscription.end();
    return true;
  }

  /** Nobody gets a turn any more; the names of those that are still to be ended. */
  stop(): readonly string[] {
    this.turns.stop();
    return [...this.#bySub.keys()];
  }
}
