/**
 * The contracts of one connection. It connects again after growing waits, and opens the next connection before the venue
 * ends the present one. Both deliver for a while, so that nothing is between them.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG, MS_NS_BIG } from '@tapeloom/core/units';
import { type Backoff, backoffMs } from '../../../platform/waiting/retry.ts';
import type { FeedAction, FeedContract, FeedEvent, Reading, Venue } from '../feed.ts';
import type { Line } from '../lines/line.ts';
import { FeedConnection, SILENT_NS_MAX } from './feed-connection.ts';
import type { VenueBudget } from './venue-budget.ts';

const BACKOFF_FIRST_MS = 250;
const BACKOFF_LAST_MS = 15_000;
/** While the venue accepts no connection, an attempt costs it little: trades come soon after it does. */
const UNREACHABLE_LAST_MS = 1_250;
const JITTER_SHARE = 0.5;
/** The next connection is opened this long before the venue ends the present one. */
const OVERLAP_NS = 5n * MINUTE_NS_BIG;

export interface FeedSlotOptions {
  readonly venue: Venue;
  readonly contracts: readonly FeedContract[];
  readonly lines: ReadonlyMap<string, Line>;
  readonly budget: VenueBudget;
  readonly random: () => number;
  readonly nextId: () => number;
  readonly venueNow: (now: EpochNs) => EpochNs;
  readonly onReadings: (readings: readonly Reading[], now: EpochNs) => void;
}

export class FeedSlot {
  readonly #options: FeedSlotOptions;
  /** Between connections that brought no trades. */
  readonly #backoff: Backoff;
  /** Between attempts that brought no connection. */
  readonly #unreachable: Backoff;
  #present: FeedConnection | null = null;
  #next: FeedConnection | null = null;
  #retryAt: EpochNs | null = null;
  #failures = 0;
  #unopened = 0;
  #now: EpochNs = 0n as EpochNs;
  #actions: FeedAction[] = [];
  /** Symbols that the venue does not serve: it may refuse all others that are requested with one of them. */
  readonly #refused = new Set<string>();
  /** Whether the lines have a connection that delivers. */
  isReady = false;
  reconnects = 0;
  /** Why the last connection ended; null: none has. */
  lastEnd: string | null = null;
  /** Why the venue wants no connection for a while; null: it does, or none is known. */
  refusal: string | null = null;

  constructor(options: FeedSlotOptions) {
    this.#options = options;
    const jitter = { share: JITTER_SHARE, random: options.random };
    this.#backoff = { firstMs: BACKOFF_FIRST_MS, lastMs: BACKOFF_LAST_MS, jitter };
    this.#unreachable = { ...this.#backoff, lastMs: UNREACHABLE_LAST_MS };
  }

  get contracts(): readonly FeedContract[] {
    return this.#options.contracts;
  }

  get state(): 'waiting' | 'connecting' | 'subscribing' | 'ready' {
    const state = this.#present?.state ?? 'ended';
    return state === 'ended' ? 'waiting' : state;
  }

  /** When its connection has last proven that it is alive. */
  get messageAt(): EpochNs | null {
    return this.isReady ? (this.#present?.messageAt ?? null) : null;
  }

  takeActions(): readonly FeedAction[] {
    const actions = this.#actions;
    this.#actions = [];
    return actions;
  }

  /** Whether the connection is one of this slot. */
  event(connection: number, event: FeedEvent, now: EpochNs): boolean {
    const found = [this.#present, this.#next].find((one) => one?.id === connection) ?? null;
    if (found === null) return false;
    this.#step(found, event, now);
    return true;
  }

  timer(now: EpochNs): void {
    this.#now = now;
    for (const one of [this.#present, this.#next]) {
      if (one !== null) this.#step(one, { kind: 'timer' }, now);
    }
    if (this.#present === null) this.#connect(now);
    else this.#overlap(this.#present, now);
  }

  /** Its subscription is silent although the venue has newer trades. */
  renew(why: string, now: EpochNs): void {
    this.#now = now;
    this.#present?.close(why);
    this.#collect(this.#present);
  }

  /** A page has shown that the present connection has left out nothing. */
  compared(now: EpochNs): void {
    this.#present?.compared(now);
  }

  close(): void {
    for (const one of [this.#next, this.#present]) {
      one?.close('stopped');
      this.#collect(one);
    }
  }

  #step(connection: FeedConnection, event: FeedEvent, now: EpochNs): void {
    this.#now = now;
    connection.step(event, now);
    this.#collect(connection);
  }

  #collect(connection: FeedConnection | null): void {
    if (connection !== null) this.#actions.push(...connection.takeActions());
  }

  #connect(now: EpochNs): void {
    if (this.contracts.every(({ symbol }) => this.#refused.has(symbol))) return;
    if (this.#retryAt !== null && now < this.#retryAt) return;
    if (this.#options.budget.mayConnect(now)) this.#present = this.#open(now);
  }

  #overlap(present: FeedConnection, now: EpochNs): void {
    const lifeMs = this.#options.venue.limits.connectionLifeMs;
    if (this.#next !== null) {
      const isProven = this.#next.hasData || now - this.#next.since >= SILENT_NS_MAX;
      if (this.#next.state !== 'ready' || !isProven) return;
      present.close('replaced by the next connection');
      this.#collect(present);
      return;
    }
    if (lifeMs === null || present.state !== 'ready') return;
    const isDue = now - present.since >= BigInt(lifeMs) * MS_NS_BIG - OVERLAP_NS;
    const mayTry = this.#retryAt === null || now >= this.#retryAt;
    if (isDue && mayTry && this.#options.budget.mayConnect(now)) this.#next = this.#open(now);
  }

  #open(now: EpochNs): FeedConnection {
    const { venue, lines, nextId, venueNow, onReadings } = this.#options;
    const contracts = this.contracts.filter(({ symbol }) => !this.#refused.has(symbol));
    const connection: FeedConnection = new FeedConnection({
      id: nextId(),
      venue,
      contracts,
      lines,
      venueNow,
      now,
      news: {
        ready: () => this.#ready(),
        readings: (readings) => {
          for (const reading of readings) {
            if (reading.kind === 'trades') this.#failures = 0;
            else if (reading.kind === 'refused') this.#refused.add(reading.symbol);
          }
          onReadings(readings, this.#now);
        },
        ended: (why, retryAfterMs) => this.#ended(connection, why, retryAfterMs),
      },
    });
    this.#collect(connection);
    return connection;
  }

  #ready(): void {
    this.refusal = null;
    if (this.isReady) return;
    this.isReady = true;
    for (const line of this.#options.lines.values()) line.connected(this.#now);
  }

  #ended(connection: FeedConnection, why: string, retryAfterMs: number | null): void {
    this.lastEnd = why;
    if (retryAfterMs !== null) this.refusal = why;
    this.#collect(connection);
    const isPresent = connection === this.#present;
    if (isPresent) {
      this.#present = this.#next;
      this.reconnects += 1;
    }
    this.#next = null;
    const hasOther = this.#present?.state === 'ready';
    if (isPresent && this.isReady && !hasOther) {
      this.isReady = false;
      for (const line of this.#options.lines.values()) line.disconnected();
    }
    const waitMs = Math.max(this.#nextWaitMs(connection), retryAfterMs ?? 0);
    this.#retryAt = (this.#now + BigInt(Math.ceil(waitMs)) * MS_NS_BIG) as EpochNs;
  }

  #nextWaitMs({ wasOpened }: FeedConnection): number {
    if (!wasOpened) {
      this.#unopened += 1;
      return backoffMs(this.#unopened - 1, this.#unreachable);
    }
    this.#unopened = 0;
    this.#failures += 1;
    return backoffMs(this.#failures - 1, this.#backoff);
  }
}
