/**
 * Topics without subscribers, kept so that a returning client finds them warm and its cursor in their ring. Each
 * belongs to the account that watched it last. A topic ends when its time is over, or when its account has too many of
 * them. If a slot or memory is needed, the account with the most loses its least recently used one. While the process
 * is short of memory, a topic ends unless its client returns within seconds.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MINUTE_MS, SECOND_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../platform/clock.ts';

/** As long as its ring reaches back. */
export const TOPIC_LINGER_MS = 15 * 60_000;
/** For this time a topic is spared while its account has anything else to give: the client may be about to return. */
export const IDLE_GRACE_MS = MINUTE_MS;

/** For this time it is spared while memory is short: a client whose connection broke is back by then. */
const SHORT_LINGER_NS = 20n * SECOND_NS_BIG;

/** Why an idle topic ended: its time, its account's number, or its slot or memory was needed. */
export type IdleEnd = 'time' | 'account' | 'place' | 'memory';

interface Idle {
  readonly account: string;
  readonly since: EpochNs;
  /** Later ones have higher numbers. */
  readonly order: number;
  timer: Disposable;
  isPastGrace: boolean;
}

export class IdleTopics<T> implements Disposable {
  readonly #timers: Pick<Clock, 'after' | 'now'>;
  readonly #end: (topic: T, why: IdleEnd) => void;
  readonly #idle = new Map<T, Idle>();
  /** By account, in the order in which they became idle. */
  readonly #byAccount = new Map<string, Set<T>>();
  #lastOrder = 0;

  /** `end` ends a topic and removes it from here. */
  constructor(timers: Pick<Clock, 'after' | 'now'>, end: (topic: T, why: IdleEnd) => void) {
    this.#timers = timers;
    this.#end = end;
  }

  get count(): number {
    return this.#idle.size;
  }

  /** The number of idle topics of the account with the most. */
  get mostOfOne(): number {
    return this.#largest()?.size ?? 0;
  }

  /** Makes the topic an idle one of this account, which keeps at most `most`. No effect on an idle topic. */
  add(topic: T, account: string, most: number): void {
    if (this.#idle.has(topic)) return;
    this.#lastOrder += 1;
    const idle: Idle = {
      account,
      since: this.#timers.now(),
      order: this.#lastOrder,
      isPastGrace: false,
      timer: this.#timers.after(IDLE_GRACE_MS, () => {
        idle.isPastGrace = true;
        idle.timer = this.#timers.after(TOPIC_LINGER_MS - IDLE_GRACE_MS, () => {
          this.#end(topic, 'time');
        });
      }),
    };
    this.#idle.set(topic, idle);
    const topics = this.#byAccount.getOrInsertComputed(account, () => new Set());
    topics.add(topic);
    while (topics.size > most) this.#end(first(topics)!, 'account');
  }

  /** The topic is in use again, or gone. */
  delete(topic: T): void {
    const idle = this.#idle.get(topic);
    if (idle === undefined) return;
    idle.timer[Symbol.dispose]();
    this.#idle.delete(topic);
    const topics = this.#byAccount.get(idle.account)!;
    topics.delete(topic);
    if (topics.size === 0) this.#byAccount.delete(idle.account);
  }

  /** Ends a topic of the account with the most; false when none is idle. */
  freePlace(): boolean {
    const topics = this.#largest();
    if (topics === null) return false;
    this.#end(first(topics)!, 'place');
    return true;
  }

  /** Ends a topic of this account that holds memory: one past its grace, or any. False when there is none. */
  freeMemory(account: string, age: 'past-grace' | 'any', holds: (topic: T) => boolean): boolean {
    for (const topic of this.#byAccount.get(account) ?? []) {
      // Those after it are younger still.
      if (age === 'past-grace' && !this.#idle.get(topic)!.isPastGrace) return false;
      if (!holds(topic)) continue;
      this.#end(topic, 'memory');
      return true;
    }
    return false;
  }

  /** Memory is short: ends all but those that have just become idle. Returns how many. */
  shorten(): number {
    const before = this.#timers.now() - SHORT_LINGER_NS;
    let ended = 0;
    for (const [topic, { since }] of this.#idle) {
      // Those after it are younger still.
      if (since > before) break;
      this.#end(topic, 'memory');
      ended += 1;
    }
    return ended;
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#idle.values()) timer[Symbol.dispose]();
    this.#idle.clear();
    this.#byAccount.clear();
  }

  /** The topics of the account with the most; among equals, of the one with the least recently used topic. */
  #largest(): ReadonlySet<T> | null {
    let largest: ReadonlySet<T> | null = null;
    for (const topics of this.#byAccount.values()) {
      const isMore = largest === null || topics.size > largest.size;
      const isEqual = topics.size === largest?.size;
      if (isMore || (isEqual && this.#orderOf(topics) < this.#orderOf(largest!))) largest = topics;
    }
    return largest;
  }

  #orderOf(topics: ReadonlySet<T>): number {
    return this.#idle.get(first(topics)!)!.order;
  }
}

function first<T>(topics: ReadonlySet<T>): T | undefined {
  const [topic] = topics;
  return topic;
}
