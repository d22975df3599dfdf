/** The messages that a connection has still to send, no faster than the venue accepts them. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { FeedMessage, Rate } from '../feed.ts';
import { Pace } from './pace.ts';

const WAITING_MAX = 4_096;

export class SendPace {
  readonly #pace: Pace;
  #waiting: FeedMessage[] = [];

  constructor(rate: Rate) {
    this.#pace = new Pace(rate);
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** A reply that finds the queue full is left out: the venue asks again. */
  add(messages: readonly FeedMessage[]): void {
    if (this.#waiting.length + messages.length > WAITING_MAX) return;
    this.#waiting.push(...messages);
  }

  take(now: EpochNs): readonly FeedMessage[] {
    let count = 0;
    while (count < this.#waiting.length && this.#pace.spend(1, now)) count += 1;
    const due = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    return due;
  }
}
