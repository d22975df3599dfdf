/**
 * Watches a service that plays a time that is over. Time that stands still is let go when the first stream has come and
 * follows; it is told when all is played, and when whoever streams has got it. Who does not read is not waited for
 * longer than a moment.
 */

import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { PlayedTime } from '../markets/market.ts';
import type { Clock } from '../platform/clock.ts';
import type { Doors } from './doors.ts';

const LOOK_EVERY_MS = 50;
const SENT_LOOKS_MAX = 200;

/** What a replay is watched at. */
export interface WatchedStreams {
  readonly hub: Pick<Doors['hub'], 'tapeTime'>;
  readonly gateway: {
    readonly hasSentAll: boolean;
    readonly metrics: Pick<Doors['gateway']['metrics'], 'subscriptions'>;
  };
  letTimeGo(): void;
}

export class ReplayWatch implements Disposable {
  readonly #streams: () => WatchedStreams | null;
  readonly #time: PlayedTime;
  readonly #played = Promise.withResolvers<void>();
  readonly #sent = Promise.withResolvers<void>();
  readonly #timer: Disposable;
  #isHeld: boolean;
  #looksAtEnd = 0;

  /** `clock` has real time. */
  constructor(streams: () => WatchedStreams | null, time: PlayedTime, clock: Clock) {
    this.#streams = streams;
    this.#time = time;
    this.#isHeld = time.isHeld;
    this.#timer = clock.every(LOOK_EVERY_MS, () => this.#look());
  }

  get played(): Promise<void> {
    return this.#played.promise;
  }

  /** Played, and with every stream. */
  get sent(): Promise<void> {
    return this.#sent.promise;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #look(): void {
    const streams = this.#streams();
    if (streams === null) return;
    const { hub, gateway } = streams;
    if (this.#isHeld && gateway.metrics.subscriptions > 0 && gateway.hasSentAll) {
      this.#isHeld = false;
      streams.letTimeGo();
    }
    // Whatever was traded is published with the next whole second of tape time at the latest.
    if (hub.tapeTime === null || hub.tapeTime < this.#time.end + SECOND_NS_BIG) return;
    this.#played.resolve();
    this.#looksAtEnd += 1;
    if (!gateway.hasSentAll && this.#looksAtEnd < SENT_LOOKS_MAX) return;
    this.#sent.resolve();
    this[Symbol.dispose]();
  }
}
