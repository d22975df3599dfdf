/**
 * One connection to a venue, as a pure state machine. It is alive while data arrives: an acknowledged subscription that
 * stays silent while its market is open ends after 30 s.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG, SECOND_NS_BIG } from '@tapeloom/core/units';
import type {
  FeedAction,
  FeedContract,
  FeedEvent,
  FeedMessage,
  Reading,
  Venue,
  VenueReader,
} from '../feed.ts';
import type { Line } from '../lines/line.ts';
import { isOpenAt } from '../watermark/open-hours.ts';
import { SendPace } from './send-pace.ts';

const CONNECT_NS_MAX = 10n * SECOND_NS_BIG;
export const SILENT_NS_MAX = 30n * SECOND_NS_BIG;

/** What the owner of the connection learns. */
export interface ConnectionNews {
  readings(readings: readonly Reading[]): void;
  /** Live trades arrive from now on. */
  ready(): void;
  /** `retryAfterMs`: as the venue says; null: it does not. */
  ended(why: string, retryAfterMs: number | null): void;
}

export interface FeedConnectionOptions {
  readonly id: number;
  readonly venue: Venue;
  readonly contracts: readonly FeedContract[];
  readonly lines: ReadonlyMap<string, Line>;
  readonly news: ConnectionNews;
  /** The venue's time, for its open hours. */
  readonly venueNow: (now: EpochNs) => EpochNs;
  readonly now: EpochNs;
}

export class FeedConnection {
  readonly id: number;
  readonly #options: FeedConnectionOptions;
  readonly #sends: SendPace;
  readonly #reader: VenueReader;
  #state: 'connecting' | 'subscribing' | 'ready' | 'ended' = 'connecting';
  #since: EpochNs;
  #sentAt: EpochNs;
  #dataAt: EpochNs;
  /** When the newest message came. */
  messageAt: EpochNs;
  wasOpened = false;
  hasData = false;
  #actions: FeedAction[] = [];

  constructor(options: FeedConnectionOptions) {
    const { id, venue, contracts, now } = options;
    this.id = id;
    this.#options = options;
    this.#sends = new SendPace(venue.limits.messages);
    this.#reader = venue.reader(contracts, options.lines, options.venueNow(now));
    this.#since = now;
    this.#sentAt = now;
    this.#dataAt = now;
    this.messageAt = now;
    this.#actions.push({ kind: 'connect', connection: id, address: venue.address(contracts) });
  }

  get state(): 'connecting' | 'subscribing' | 'ready' | 'ended' {
    return this.#state;
  }

  /** Since when it is connecting, or connected. */
  get since(): EpochNs {
    return this.#since;
  }

  takeActions(): readonly FeedAction[] {
    const actions = this.#actions;
    this.#actions = [];
    return actions;
  }

  step(event: FeedEvent, now: EpochNs): void {
    if (this.#state === 'ended') return;
    switch (event.kind) {
      case 'opened':
        this.#opened(now);
        break;
      case 'message':
        this.#message(event.message, now);
        break;
      case 'closed':
        this.#end(event.why, false);
        break;
      case 'timer':
        this.#timer(now);
        break;
      default:
        event satisfies never;
    }
    this.#send(now);
  }

  close(why: string): void {
    this.#end(why, true);
  }

  #opened(now: EpochNs): void {
    const { venue, contracts, lines } = this.#options;
    this.#state = 'subscribing';
    this.wasOpened = true;
    this.#since = now;
    this.messageAt = now;
    this.#sends.add(venue.subscribe(contracts, lines));
  }

  #message(message: FeedMessage, now: EpochNs): void {
    this.messageAt = now;
    const readings = this.#readings(message);
    for (const reading of readings) {
      if (reading.kind === 'trades' || reading.kind === 'leftOut') {
        this.#dataAt = now;
        this.hasData = true;
        this.#ready(now);
      } else if (reading.kind === 'subscribed') this.#ready(now);
      else if (reading.kind === 'reply') this.#sends.add([reading.message]);
    }
    this.#options.news.readings(readings);
    const end = readings.find(({ kind }) => kind === 'garbled' || kind === 'ended');
    if (end?.kind === 'garbled') this.#end(`not understood: ${end.why}`, true);
    else if (end?.kind === 'ended') this.#end(end.why, true, end.retryAfterMs);
  }

  /** A fault of a reader must not stop the other feeds. */
  #readings(message: FeedMessage): readonly Reading[] {
    try {
      return this.#reader.read(message);
    } catch (error) {
      return [{ kind: 'garbled', why: error instanceof Error ? error.message : String(error) }];
    }
  }

  #timer(now: EpochNs): void {
    const { keepAlive, deadAfterMs } = this.#options.venue;
    if (this.#state !== 'ready' && now - this.#since >= CONNECT_NS_MAX) {
      this.#end('no answer within 10 s', true);
    } else if (
      this.#state === 'ready' &&
      now - this.#dataAt >= SILENT_NS_MAX &&
      this.#isOpen(now)
    ) {
      this.#end('no data for 30 s in an open market', true);
    } else if (deadAfterMs !== null && now - this.messageAt >= BigInt(deadAfterMs) * MS_NS_BIG) {
      this.#end(`no message for ${deadAfterMs} ms`, true);
    } else if (keepAlive !== null && this.#state === 'ready') {
      if (now - this.#sentAt < BigInt(keepAlive.everyMs) * MS_NS_BIG) return;
      this.#sends.add([keepAlive.message]);
    }
  }

  #isOpen(now: EpochNs): boolean {
    const at = this.#options.venueNow(now);
    return this.#options.contracts.some(({ hours }) => isOpenAt(hours, at));
  }

  #send(now: EpochNs): void {
    if (this.#state === 'connecting' || this.#state === 'ended') return;
    for (const message of this.#sends.take(now)) {
      this.#actions.push({ kind: 'send', connection: this.id, message });
      this.#sentAt = now;
    }
    if (!this.#options.venue.acknowledges && this.#sends.isEmpty) this.#ready(now);
  }

  #ready(now: EpochNs): void {
    if (this.#state !== 'subscribing') return;
    this.#state = 'ready';
    this.#dataAt = now;
    this.#options.news.ready();
  }

  #end(why: string, isOurs: boolean, retryAfterMs: number | null = null): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    if (isOurs) this.#actions.push({ kind: 'close', connection: this.id });
    this.#options.news.ended(why, retryAfterMs);
  }
}
