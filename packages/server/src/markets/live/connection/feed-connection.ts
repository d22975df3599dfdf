/**
 * One connection to a venue, as a pure state machine. It is alive while data arrives: an acknowledged subscription that
 * stays silent while its market is open ends after 30 s. Where the venue has pages, one of them may prove within a
 * minute that nothing was traded: a quiet market is no reason to connect again.
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
import { shownText } from '../venue-answers.ts';
import { isOpenAt } from '../watermark/open-hours.ts';
import { SendPace } from './send-pace.ts';

const CONNECT_NS_MAX = 10n * SECOND_NS_BIG;
export const SILENT_NS_MAX = 30n * SECOND_NS_BIG;
/** Of a venue with pages: the time for the comparison is in it. */
const UNPROVEN_NS_MAX = 2n * SILENT_NS_MAX;
const SILENT = 'no data for 30 s in an open market';
const NOT_COMPARED = 'no data for 60 s in an open market, and no page to compare with';

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
  /** For the operator. */
  readonly #host: string;
  #state: 'connecting' | 'subscribing' | 'ready' | 'ended' = 'connecting';
  #since: EpochNs;
  #sentAt: EpochNs;
  /** When the newest data came, or a page proved that there is none. */
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
    const address = venue.address(contracts);
    this.#host = URL.parse(address)?.host ?? address;
    this.#actions.push({ kind: 'connect', connection: id, address });
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
        this.#end(`${this.#host}: ${event.why}`, false, event.retryAfterMs);
        break;
      case 'timer':
        this.#timer(now);
        break;
      default:
        event satisfies never;
    }
    this.#send(now);
  }

  /** A page of past trades has none that did not come. */
  compared(now: EpochNs): void {
    this.#dataAt = now;
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
    if (end?.kind === 'garbled') this.#garbled(end.why);
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
      this.#end(`${this.#host}: no answer within 10 s`, true);
    } else if (this.#state === 'ready' && this.#isSilent(now)) {
      this.#end(this.#hasPages ? NOT_COMPARED : SILENT, true);
    } else if (deadAfterMs !== null && now - this.messageAt >= BigInt(deadAfterMs) * MS_NS_BIG) {
      this.#end(`${this.#host}: no message for ${deadAfterMs} ms`, true);
    } else if (keepAlive !== null && this.#state === 'ready' && this.#sends.isEmpty) {
      if (now - this.#sentAt < BigInt(keepAlive.everyMs) * MS_NS_BIG) return;
      this.#sends.add([keepAlive.message]);
    }
  }

  get #hasPages(): boolean {
    return this.#options.venue.page !== null;
  }

  #isSilent(now: EpochNs): boolean {
    if (now - this.#dataAt < (this.#hasPages ? UNPROVEN_NS_MAX : SILENT_NS_MAX)) return false;
    if (this.#isOpen(now)) return true;
    // When the market opens, the silence begins.
    this.#dataAt = now;
    return false;
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

  #garbled(why: string): void {
    this.#end(`${this.#host}: not understood: ${shownText(why)}`, true);
  }

  #end(why: string, isOurs: boolean, retryAfterMs: number | null = null): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    if (isOurs) this.#actions.push({ kind: 'close', connection: this.id });
    this.#options.news.ended(why, retryAfterMs);
  }
}
