/**
 * Runs the feed of one dataset at one venue, as a pure machine: connections, their limits, and the pages that close
 * holes. All feeds of a venue share its budget. Events go in, actions come out; the lines have the trades.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type {
  ConnectionState,
  FeedAction,
  FeedContract,
  FeedEvent,
  PageAnswer,
  Reading,
  Venue,
} from '../feed.ts';
import { instantOf, type Line } from '../lines/line.ts';
import { Backfiller, type FeedMember } from './backfiller.ts';
import { SILENT_NS_MAX } from './feed-connection.ts';
import { FeedSlot } from './feed-slot.ts';
import type { VenueBudget } from './venue-budget.ts';
import type { VenueTime } from './venue-time.ts';

export interface SupervisorOptions {
  readonly venue: Venue;
  readonly contracts: readonly FeedContract[];
  readonly lines: ReadonlyMap<string, Line>;
  readonly budget: VenueBudget;
  readonly random: () => number;
  readonly venueTime: VenueTime;
  readonly now: EpochNs;
}

export class Supervisor {
  readonly #venue: Venue;
  readonly #budget: VenueBudget;
  readonly #members = new Map<string, FeedMember>();
  readonly #slots: readonly FeedSlot[];
  readonly #slotOf = new Map<string, FeedSlot>();
  readonly #backfiller: Backfiller;
  readonly #venueTime: VenueTime;
  /** Prints that are no order flow, by their kind. */
  readonly leftOut = new Map<string, number>();
  /** Oddities behind which nothing is missing, by their kind. */
  readonly notes = new Map<string, number>();
  /** Contracts that the venue does not serve. */
  readonly refused = new Map<string, string>();

  constructor({ venue, contracts, lines, budget, random, venueTime, now }: SupervisorOptions) {
    this.#venue = venue;
    this.#budget = budget;
    this.#venueTime = venueTime;
    for (const contract of contracts) {
      const line = lines.get(contract.symbol)!;
      const checkEveryNs = SILENT_NS_MAX;
      const member = {
        ...{ contract, line, liveAt: now, checkAt: now, checkEveryNs, missed: 0 },
        ...{ wrong: 0, askAgainAt: now },
      };
      this.#members.set(contract.symbol, member);
    }
    const venueNow = (at: EpochNs) => this.#venueTime.at(at) ?? at;
    let lastId = 0;
    const nextId = () => {
      lastId += 1;
      return lastId;
    };
    this.#slots = chunks(contracts, venue.limits.contractsPerConnection).map((some) => {
      const own = new Map(some.map(({ symbol }) => [symbol, lines.get(symbol)!]));
      const onReadings = (readings: readonly Reading[], at: EpochNs) => this.#read(readings, at);
      const shared = { venue, budget, random, nextId, venueNow, onReadings };
      const slot = new FeedSlot({ ...shared, contracts: some, lines: own });
      for (const { symbol } of some) this.#slotOf.set(symbol, slot);
      return slot;
    });
    this.#backfiller = new Backfiller({
      venue,
      budget,
      members: this.#members,
      isReady: (symbol) => this.isReady(symbol),
      venueNow,
      isWitness: (symbol) => this.#isWitness(symbol),
      onCompared: (symbol, at) => this.#slotOf.get(symbol)!.compared(at),
      onSilent: (symbol, at) =>
        this.#slotOf.get(symbol)!.renew(`the subscription of ${symbol} is silent`, at),
    });
  }

  event(connection: number, event: FeedEvent, now: EpochNs): readonly FeedAction[] {
    this.#slots.find((slot) => slot.event(connection, event, now));
    return this.#actions();
  }

  page(id: number, answer: PageAnswer | null, why: string, now: EpochNs): readonly FeedAction[] {
    this.#backfiller.answered(id, answer, why, now);
    return this.#actions();
  }

  timer(now: EpochNs): readonly FeedAction[] {
    for (const slot of this.#slots) slot.timer(now);
    return [...this.#actions(), ...this.#backfiller.step(now)];
  }

  close(): readonly FeedAction[] {
    for (const slot of this.#slots) slot.close();
    return this.#actions();
  }

  /** Whether live trades of this contract arrive. */
  isReady(symbol: string): boolean {
    return this.#slotOf.get(symbol)?.isReady ?? false;
  }

  /** The venue's time at the last proof that this contract's connection is alive; null: unknown. */
  venueTimeOf(symbol: string): EpochNs | null {
    const messageAt = this.#slotOf.get(symbol)?.messageAt ?? null;
    return messageAt === null ? null : this.#venueTime.at(messageAt);
  }

  get state(): ConnectionState {
    const states = this.#slots.map((slot) => slot.state);
    for (const state of ['waiting', 'connecting', 'subscribing'] as const) {
      if (states.includes(state)) return state;
    }
    const lines = [...this.#members.values()].map(({ line }) => line);
    if (lines.some(({ holeSince }) => holeSince !== null)) return 'backfilling';
    return lines.every(({ isWhole }) => isWhole) ? 'live' : 'joining';
  }

  get reconnects(): number {
    return this.#slots.reduce((sum, slot) => sum + slot.reconnects, 0);
  }

  get lastEnd(): string | null {
    return this.#slots.find(({ lastEnd }) => lastEnd !== null)?.lastEnd ?? null;
  }

  get lastFailure(): string | null {
    const refusal = this.#slots.find((slot) => slot.refusal !== null)?.refusal ?? null;
    return refusal ?? this.#backfiller.lastFailure;
  }

  requestsLeft(now: EpochNs): number {
    return this.#budget.requestsLeft(now);
  }

  /** Whether no other contract of its connection has traded later. */
  #isWitness(symbol: string): boolean {
    const members = this.#slotOf.get(symbol)!.contracts.map((it) => this.#members.get(it.symbol)!);
    const latest = members.reduce((one, other) => (other.liveAt > one.liveAt ? other : one));
    return latest.contract.symbol === symbol;
  }

  #actions(): readonly FeedAction[] {
    return this.#slots.flatMap((slot) => slot.takeActions());
  }

  #read(readings: readonly Reading[], now: EpochNs): void {
    for (const reading of readings) {
      if (reading.kind === 'trades') this.#live(reading, now);
      else if (reading.kind === 'alive') {
        if (reading.venueTime !== null) this.#venueTime.seen(reading.venueTime, now);
      } else if (reading.kind === 'leftOut') addOne(this.leftOut, reading.what);
      else if (reading.kind === 'note') addOne(this.notes, reading.what);
      else if (reading.kind === 'refused') this.refused.set(reading.symbol, reading.why);
      else if (reading.kind === 'repeated') {
        const line = this.#members.get(reading.symbol)?.line;
        line?.repeated?.(this.#venueTime.at(now) ?? now);
      }
    }
  }

  #live({ symbol, trades }: Reading & { readonly kind: 'trades' }, now: EpochNs): void {
    const member = this.#members.get(symbol);
    const last = trades.at(-1);
    if (member === undefined || last === undefined) return;
    member.liveAt = now;
    member.missed = 0;
    member.checkEveryNs = SILENT_NS_MAX;
    member.line.live(trades, now);
    // A venue that repeats the past names times that are no news: they do not raise the latest one.
    this.#venueTime.seen(instantOf(last), now);
  }

  get venue(): string {
    return this.#venue.name;
  }
}

function addOne(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function chunks<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const found: Item[][] = [];
  for (let from = 0; from < items.length; from += size) found.push(items.slice(from, from + size));
  return found;
}
