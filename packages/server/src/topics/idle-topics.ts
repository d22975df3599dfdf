/**
 * Topics that nobody listens to, kept so that a client that comes back finds them warm and its cursor
 * in their ring. Each leaves after its time, or earlier, the least recently used first, when its place
 * or its memory is needed. For a short while after its last subscriber no topic is given up for its
 * memory: all clients may be on their way back.
 */

import type { Clock } from '../platform/clock.ts';

/** As long as its ring reaches back. */
export const TOPIC_LINGER_MS = 15 * 60_000;
/** So long the memory of an idle topic is safe. */
export const IDLE_GRACE_MS = 60_000;

export class IdleTopics<T> implements Disposable {
  readonly #timers: Pick<Clock, 'after'>;
  /** Ends a topic whose time has passed. */
  readonly #expire: (topic: T) => void;
  /** The one that became idle first comes first. */
  readonly #waiting = new Map<T, Disposable>();
  readonly #pastGrace = new Set<T>();

  constructor(timers: Pick<Clock, 'after'>, expire: (topic: T) => void) {
    this.#timers = timers;
    this.#expire = expire;
  }

  get count(): number {
    return this.#waiting.size;
  }

  /** Has no effect on a topic that is idle already. */
  add(topic: T): void {
    if (this.#waiting.has(topic)) return;
    const afterGrace = () => {
      this.#pastGrace.add(topic);
      const rest = TOPIC_LINGER_MS - IDLE_GRACE_MS;
      this.#waiting.set(
        topic,
        this.#timers.after(rest, () => this.#expire(topic)),
      );
    };
    this.#waiting.set(topic, this.#timers.after(IDLE_GRACE_MS, afterGrace));
  }

  /** The topic is in use again, or gone. */
  delete(topic: T): void {
    this.#waiting.get(topic)?.[Symbol.dispose]();
    this.#waiting.delete(topic);
    this.#pastGrace.delete(topic);
  }

  /** The topic that was used least recently, null when none is idle. */
  get oldest(): T | null {
    const [oldest] = this.#waiting.keys();
    return oldest ?? null;
  }

  /** The one that was used least recently of those whose memory may be taken. */
  get oldestPastGrace(): T | null {
    const [oldest] = this.#pastGrace;
    return oldest ?? null;
  }

  [Symbol.dispose](): void {
    for (const timer of this.#waiting.values()) timer[Symbol.dispose]();
    this.#waiting.clear();
    this.#pastGrace.clear();
  }
}
