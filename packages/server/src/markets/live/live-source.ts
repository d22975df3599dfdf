/**
 * A live source whose trades come from a venue: it runs a `LiveFeed` on a network and hands its offers to the tape, one
 * at a time and in order. An offer that finds the tape full is repeated until it is taken.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Clock } from '../../platform/clock.ts';
import { sleep } from '../../platform/waiting/sleep.ts';
import { IntakeFullError } from '../../tape/tape-errors.ts';
import type { Intake } from '../../tape/write/intake.ts';
import type { NotedOffer } from '../divided-offer.ts';
import type { FeedReport, TradeSource } from '../market.ts';
import type { FeedAction, FeedEvent } from './feed.ts';
import type { FeedStatus } from './feed-status.ts';
import { LiveFeed, type LiveFeedOptions } from './live-feed.ts';
import type { FeedSocket, Network } from './network.ts';
import { reasonOf } from './reason-of.ts';
import { steadyNow } from './steady-now.ts';

const STEP_MS = 20;
/** Without trades, a watermark this often. */
const QUIET_NS = 200_000_000n;
/** While readers wait for a watermark. */
const REQUESTED_NS = 50_000_000n;
const FULL_MS = 50;

export interface LiveSourceOptions extends Omit<LiveFeedOptions, 'intake' | 'now'> {
  readonly intake: Omit<Intake, 'batch'>;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Nanoseconds of a clock that never jumps. */
  readonly monotonicNs: () => bigint;
  readonly network: Network;
}

export class LiveSource implements TradeSource {
  readonly #options: LiveSourceOptions;
  readonly #feed: LiveFeed;
  readonly #sockets = new Map<number, FeedSocket>();
  readonly #stopped = new AbortController();
  readonly #now: () => EpochNs;
  #isRequested = false;
  #isPaused = false;
  #quietSince: EpochNs;

  constructor(options: LiveSourceOptions) {
    this.#options = options;
    this.#now = steadyNow(options.clock, options.monotonicNs);
    this.#quietSince = this.#now();
    this.#feed = new LiveFeed({ ...options, now: this.#quietSince });
  }

  get lagMs(): number {
    return this.status.lagMs;
  }

  get status(): FeedStatus {
    return this.#feed.status(this.#options.clock.now());
  }

  get feed(): FeedReport {
    const { state, reconnects, gapsOpen, gapsClosed, requestsLeft } = this.status;
    return { state, reconnects, gapsOpen, gapsClosed, requestsLeft };
  }

  requestWatermark(): void {
    this.#isRequested = true;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const stepping = this.#step(signal);
    try {
      while (!signal.aborted) {
        const offer = this.#nextOffer();
        if (offer === null) await sleep(clock, STEP_MS, signal);
        else await this.#offer(offer, signal);
      }
    } finally {
      this.#stopped.abort();
      this.#perform(this.#feed.close());
      this.#sockets.clear();
      await stepping;
    }
  }

  /** The feed's own time goes on while the tape writes. */
  async #step(signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.#stopped.signal]);
    while (!either.aborted) {
      this.#perform(this.#feed.timer(this.#now()));
      this.#pause();
      await sleep(this.#options.clock, STEP_MS, either);
    }
  }

  #nextOffer(): NotedOffer | null {
    const now = this.#now();
    const quietNs = this.#isRequested ? REQUESTED_NS : QUIET_NS;
    const isQuiet = now - this.#quietSince < quietNs;
    const offer = this.#feed.nextOffer(now, isQuiet);
    if (!isQuiet) {
      this.#quietSince = now;
      this.#isRequested = false;
    }
    return offer;
  }

  async #offer({ batches, promise, notes }: NotedOffer, signal: AbortSignal): Promise<void> {
    const { intake, clock } = this.#options;
    while (!signal.aborted) {
      try {
        this.#feed.taken(await intake.offer(batches, promise, notes));
        return;
      } catch (error) {
        if (!(error instanceof IntakeFullError)) throw error;
        await sleep(clock, FULL_MS, signal);
      }
    }
  }

  #perform(actions: readonly FeedAction[]): void {
    for (const action of actions) this.#performOne(action);
  }

  #performOne(action: FeedAction): void {
    switch (action.kind) {
      case 'connect':
        this.#connect(action.connection, action.address);
        return;
      case 'send':
        this.#sockets.get(action.connection)?.send(action.message);
        return;
      case 'close':
        this.#sockets.get(action.connection)?.close();
        this.#sockets.delete(action.connection);
        return;
      case 'request':
        void this.#request(action);
        return;
      default:
        action satisfies never;
    }
  }

  #connect(connection: number, address: string): void {
    const tell = (event: FeedEvent) => {
      if (this.#stopped.signal.aborted) return;
      this.#perform(this.#feed.event(connection, event, this.#now()));
      this.#pause();
    };
    try {
      const socket = this.#options.network.connect(address, {
        opened: () => tell({ kind: 'opened' }),
        message: (message) => tell({ kind: 'message', message }),
        closed: (why, retryAfterMs = null) => tell({ kind: 'closed', why, retryAfterMs }),
      });
      this.#sockets.set(connection, socket);
    } catch (error) {
      tell({ kind: 'closed', why: reasonOf(error) });
    }
  }

  /** What waits for the tape has a limit: venues that repeat a day wait in their turn. */
  #pause(): void {
    const { isFull } = this.#feed;
    if (isFull === this.#isPaused) return;
    this.#isPaused = isFull;
    for (const socket of this.#sockets.values()) socket.pause?.(isFull);
  }

  async #request({ id, request }: FeedAction & { readonly kind: 'request' }): Promise<void> {
    let actions: readonly FeedAction[];
    try {
      const answer = await this.#options.network.request(request, this.#stopped.signal);
      actions = this.#feed.page(id, answer, '', this.#now());
    } catch (error) {
      actions = this.#feed.page(id, null, reasonOf(error), this.#now());
    }
    if (!this.#stopped.signal.aborted) this.#perform(actions);
  }
}
