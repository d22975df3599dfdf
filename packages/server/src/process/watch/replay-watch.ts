/**
 * Watches a service that replays past time. A held clock starts when the first stream has subscribed and received
 * everything. `played` resolves when all is played; `over` when every stream has received it, or ingest is down. Each
 * wait is limited to ten seconds, for a slow consumer as for a source that is down.
 */

import type { Contract } from '@tapeloom/core/instrument/contract';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { PlayedTime } from '../../markets/market.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Doors } from '../doors/doors.ts';

const LOOK_EVERY_MS = 50;
/** Ten seconds. */
const LOOKS_MAX = 200;

export interface WatchedStreams {
  readonly hub: Pick<Doors['hub'], 'tapeTimeOf' | 'isSourceUp' | 'state'>;
  readonly gateway: {
    readonly hasSentAll: boolean;
    readonly metrics: Pick<Doors['gateway']['metrics'], 'subscriptions'>;
  };
  letTimeGo(): void;
}

export interface PlayedContract extends PlayedTime {
  readonly contract: Pick<Contract, 'symbol'>;
}

export class ReplayWatch implements Disposable {
  readonly #streams: () => WatchedStreams | null;
  readonly #time: PlayedContract;
  readonly #played = Promise.withResolvers<void>();
  readonly #over = Promise.withResolvers<'sent' | 'failed'>();
  readonly #timer: Disposable;
  #isHeld: boolean;
  #looksAtBegin = 0;
  #looksDown = 0;
  #looksAtEnd = 0;

  constructor(streams: () => WatchedStreams | null, time: PlayedContract, clock: Clock) {
    this.#streams = streams;
    this.#time = time;
    this.#isHeld = time.isHeld;
    this.#timer = clock.every(LOOK_EVERY_MS, () => this.#look());
  }

  get played(): Promise<void> {
    return this.#played.promise;
  }

  /** `sent`: all is played and sent to every stream. */
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
    const { symbol } = this.#time.contract;
    const isUp = hub.state === 'up' && hub.isSourceUp(symbol);
    this.#looksDown = isUp ? 0 : this.#looksDown + 1;
    if (this.#looksDown === LOOKS_MAX) this.#end('failed');
    // Trades are published with the next whole second of tape time at the latest.
    const tapeTime = hub.tapeTimeOf(symbol);
    if (tapeTime === null || tapeTime < this.#time.end + SECOND_NS_BIG) return;
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
