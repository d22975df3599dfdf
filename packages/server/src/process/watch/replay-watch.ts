/**
 * Watches a service that plays a time that is over. Time that stands still is let go when the first stream has come and
 * follows; it is told when all is played, and when it is over: whoever streams has got it, or no more trades are taken in.
 * Nothing is waited for longer than ten seconds, neither a slow reader nor a source that is down.
 */

import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { PlayedTime } from '../../markets/market.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Doors } from '../doors/doors.ts';

const LOOK_EVERY_MS = 50;
/** Ten seconds. */
const LOOKS_MAX = 200;

/** What a replay is watched at. */
export interface WatchedStreams {
  readonly hub: Pick<Doors['hub'], 'tapeTime' | 'state'>;
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
  readonly #over = Promise.withResolvers<'sent' | 'failed'>();
  readonly #timer: Disposable;
  #isHeld: boolean;
  #looksAtBegin = 0;
  #looksDown = 0;
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

  /** `sent`: played, and with every stream. */
  get over(): Promise<'sent' | 'failed'> {
    return this.#over.promise;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #look(): void {
    const streams = this.#streams();
    if (streams === null) return;
    const { hub, gateway } = streams;
    if (this.#isHeld && gateway.metrics.subscriptions > 0) {
      this.#looksAtBegin += 1;
      this.#isHeld = !gateway.hasSentAll && this.#looksAtBegin < LOOKS_MAX;
      if (!this.#isHeld) streams.letTimeGo();
    }
    this.#looksDown = hub.state === 'down' ? this.#looksDown + 1 : 0;
    if (this.#looksDown === LOOKS_MAX) this.#end('failed');
    // Whatever was traded is published with the next whole second of tape time at the latest.
    if (hub.tapeTime === null || hub.tapeTime < this.#time.end + SECOND_NS_BIG) return;
    this.#played.resolve();
    this.#looksAtEnd += 1;
    if (!gateway.hasSentAll && this.#looksAtEnd < LOOKS_MAX) return;
    this.#end('sent');
  }

  #end(how: 'sent' | 'failed'): void {
    this.#over.resolve(how);
    this[Symbol.dispose]();
  }
}
