/**
 * The watermark of a feed: the time before which all trades of all its members are known, or recorded as missing. It
 * follows the venue's time less a grace period, never the machine's clock, and never goes back. While a member is
 * interrupted it stops. After `gapAfterMs` a gap is recorded, which then grows behind the watermark. Pure: `now` is the
 * time of the caller's clock and is used for durations.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MINUTE_MS, MS_NS_BIG } from '@tapeloom/core/units';
import { dayOf, earlier, epochNs, later } from '@tapeloom/core/utc-day';
import type { TapeGap } from '../../../tape/tape-gap.ts';
import type { TapeNote } from '../../../tape/write/tape-note.ts';
import { GapLedger, type Loss, START } from './gap-ledger.ts';
import type { OpenHours } from './open-hours.ts';

const GRACE_MS = 250;
const GAP_AFTER_MS = 15 * MINUTE_MS;
const DOWN_AFTER_NS = 60_000_000_000n;

export type FeedState = 'live' | 'stale' | 'down';

export interface FeedWatermarkOptions {
  readonly graceMs?: number;
  readonly gapAfterMs?: number;
  /** The parts of the feed that can be interrupted on their own: contracts, or one for all of them. */
  readonly members: readonly string[];
  /** The contracts of a member; default: the member is a contract. */
  readonly symbolsOf?: (member: string) => readonly string[];
  /** The trading days of a contract; null: always open. */
  readonly hoursOf: (symbol: string) => OpenHours;
  /** Whether the feed has joined this contract before: its trades or notes are on the tape. */
  readonly isKnown: (symbol: string) => boolean;
  /** The last number of this contract on the tape, -1 if none. */
  readonly lastId: (symbol: string) => number;
  /** The durable watermark; null on an empty tape. */
  readonly start: EpochNs | null;
  /** The gaps on the tape that touch the open day. */
  readonly gaps: readonly TapeGap[];
  readonly position: (key: string) => string | null;
  /** The venue's time when our clock shows `now`; null: unknown. Default: from the last `reach`. */
  readonly venueNow?: (now: EpochNs) => EpochNs | null;
  readonly now: EpochNs;
}

/** What to offer to the tape: the notes before the watermark, or together with it. */
export interface NextWatermark {
  readonly promise: EpochNs | null;
  readonly notes: readonly TapeNote[];
}

/** From where on a member has all trades. */
export interface Recovered {
  readonly from: EpochNs;
  /** The number before the first trade that is there, where the feed has numbers. */
  readonly lastMissingId?: number;
}

/**
 * `starting`: it was never known complete on this tape; the others do not wait for it. `whole`: complete up to `venue`.
 * `interrupted`: complete up to `venue`, and nothing is known since. `gap`: interrupted for so long that a gap grows.
 * `abandoned`: its gap grows with the watermark of the others.
 */
interface Member {
  readonly name: string;
  state: 'starting' | 'whole' | 'interrupted' | 'gap' | 'abandoned';
  /** The venue's time up to which it is complete, and the time of our clock when it got there. */
  venue: EpochNs | null;
  venueAt: EpochNs;
  interruptedAt: EpochNs;
}

interface LastTrade {
  readonly ts: EpochNs;
  readonly id: number;
}

export class FeedWatermark {
  readonly #options: FeedWatermarkOptions;
  readonly #graceNs: bigint;
  readonly #gapAfterNs: bigint;
  readonly #members = new Map<string, Member>();
  readonly #lastTrades = new Map<string, LastTrade>();
  readonly #ledger: GapLedger;
  /** Contracts by whether their beginning on this tape has still to be recorded. */
  readonly #isNewBy = new Map<string, boolean>();
  /** The day on which an empty tape begins. */
  #tapeFrom: EpochNs | null = null;
  /** The last one that was given out. */
  #watermark: EpochNs | null;

  constructor(options: FeedWatermarkOptions) {
    this.#options = options;
    this.#graceNs = BigInt(options.graceMs ?? GRACE_MS) * MS_NS_BIG;
    this.#gapAfterNs = BigInt(options.gapAfterMs ?? GAP_AFTER_MS) * MS_NS_BIG;
    this.#ledger = new GapLedger(options);
    this.#watermark = options.start;
    for (const member of options.members) this.add(member, options.now);
  }

  get watermark(): EpochNs | null {
    return this.#watermark;
  }

  /** The gaps that still grow. */
  get openGaps(): readonly { readonly symbol: string; readonly from: EpochNs }[] {
    return this.#ledger.growing;
  }

  /** Gaps that ended since the start. */
  get closedGaps(): number {
    return this.#ledger.closedTotal;
  }

  /** Whether there are notes to offer, even if the watermark does not move. */
  get hasNotes(): boolean {
    return this.#ledger.notesCount > 0;
  }

  /** A contract that the feed delivers from now on. */
  add(name: string, now: EpochNs): void {
    if (this.#members.has(name)) return;
    const symbols = this.#symbolsOf(name);
    const isNew = symbols.every((symbol) => this.#isNew(symbol));
    const grows = symbols.some((symbol) => this.#ledger.reasonOf(symbol) !== null);
    const state = isNew ? 'starting' : grows ? 'gap' : 'interrupted';
    this.#members.set(name, { name, state, venue: null, venueAt: now, interruptedAt: now });
    if (this.#watermark !== null) this.#openStarts(symbols, this.#watermark);
  }

  /** Whether the member is complete up to a time of the venue that still moves. */
  isWhole(name: string): boolean {
    return this.#member(name).state === 'whole';
  }

  isStarting(name: string): boolean {
    return this.#member(name).state === 'starting';
  }

  /** A contract that the feed delivers no more. Nothing of it is missing from now on. */
  remove(name: string): void {
    for (const symbol of this.#symbolsOf(name)) {
      if (this.#watermark !== null) this.#ledger.close(symbol, this.#watermark, null);
    }
    this.#members.delete(name);
  }

  /** This trade is the newest of a contract whose numbers have no hole. A gap begins behind it. */
  traded(symbol: string, ts: EpochNs, id: number): void {
    this.#lastTrades.set(symbol, { ts, id });
  }

  /**
   * All trades of the member before this time of the venue were handed over. After an outage they are complete from
   * `recovered` on; default: from the watermark on.
   */
  reach(name: string, venueTime: EpochNs, now: EpochNs, recovered?: Recovered): void {
    const member = this.#member(name);
    if (member.state !== 'whole') this.#recover(member, venueTime, recovered);
    member.state = 'whole';
    if (member.venue !== null && venueTime <= member.venue) return;
    member.venue = venueTime;
    member.venueAt = now;
  }

  /** The connection is lost, or trades are known to be outstanding. */
  interrupt(name: string, now: EpochNs): void {
    const member = this.#member(name);
    if (member.state !== 'whole') return;
    member.state = 'interrupted';
    member.interruptedAt = now;
  }

  /** Trades are lost for good. */
  lose(symbol: string, loss: Loss): void {
    this.#ledger.lose(symbol, loss, this.#watermark);
  }

  /** The others wait no longer for this member: its gap begins at once. */
  abandon(name: string, reason: string, now: EpochNs): void {
    const member = this.#member(name);
    if (member.state === 'abandoned') return;
    if (member.state === 'whole') member.interruptedAt = now;
    this.#openGap(member, reason);
    member.state = 'abandoned';
  }

  /** False: the trade is named as missing and must not be offered. */
  admits(symbol: string, ts: EpochNs, id: number): boolean {
    return this.#ledger.admits(symbol, ts, id, this.#watermark);
  }

  /** Whether `admits` can be false. */
  hasGaps(symbol: string): boolean {
    return this.#ledger.hasGaps(symbol);
  }

  /** The next watermark to offer, behind all trades that were handed over until now; null: nothing is new. */
  next(now: EpochNs): NextWatermark | null {
    for (const member of this.#members.values()) {
      const isLong = now - member.interruptedAt >= this.#gapAfterNs;
      if (member.state !== 'interrupted' || !isLong) continue;
      this.#openGap(member, 'outage');
      member.state = 'gap';
    }
    const before = this.#watermark;
    const reached = this.#reached(now);
    if (reached !== null && reached > (before ?? this.#tapeFrom ?? reached - 1n)) {
      this.#advance(reached);
    }
    const notes = this.#ledger.takeNotes();
    const isMoved = this.#watermark !== before;
    if (!isMoved && notes.length === 0) return null;
    return { promise: isMoved ? this.#watermark : null, notes };
  }

  status(now: EpochNs): FeedState {
    let state: FeedState = 'live';
    const members = [...this.#members.values()];
    // A contract that was never traded does not make the others stale.
    const hasBegun = members.some((member) => member.state !== 'starting');
    for (const member of members) {
      if (member.state === 'whole' || member.state === 'abandoned') continue;
      if (member.state === 'starting' && hasBegun) continue;
      if (now - member.interruptedAt >= DOWN_AFTER_NS) return 'down';
      state = 'stale';
    }
    return state;
  }

  memberStatus(name: string, now: EpochNs): FeedState {
    const { state, interruptedAt } = this.#member(name);
    if (state === 'whole') return 'live';
    return state === 'abandoned' || now - interruptedAt >= DOWN_AFTER_NS ? 'down' : 'stale';
  }

  #advance(watermark: EpochNs): void {
    if (this.#watermark === null) {
      for (const { name } of this.#members.values()) {
        this.#openStarts(this.#symbolsOf(name), watermark);
      }
    }
    this.#watermark = watermark;
    this.#ledger.grow(watermark);
  }

  #reached(now: EpochNs): EpochNs | null {
    let least: EpochNs | null = null;
    let abandoned: EpochNs | null = null;
    for (const member of this.#members.values()) {
      // Of an offer that was cut, its trades are on a tape that has no watermark yet.
      const { state, venue } = member;
      if (state === 'interrupted' && (venue ?? this.#watermark) === null) return null;
      const reached = this.#reachedBy(member, now);
      if (reached === null) continue;
      if (member.state === 'abandoned') abandoned = later(abandoned ?? reached, reached);
      else least = earlier(least ?? reached, reached);
    }
    return least ?? abandoned;
  }

  #reachedBy({ state, venue, venueAt }: Member, now: EpochNs): EpochNs | null {
    if (state === 'starting') return null;
    if (state === 'whole' || state === 'interrupted') {
      return venue === null ? this.#watermark : ((venue - this.#graceNs) as EpochNs);
    }
    // The venue's clock goes on: a clock of ours that is an hour wrong must not move the tape by an hour.
    const reachedNow = venue === null ? null : venue + (now - venueAt);
    const venueNow = this.#options.venueNow?.(now) ?? reachedNow ?? now;
    return (venueNow - this.#gapAfterNs) as EpochNs;
  }

  #recover(member: Member, venueTime: EpochNs, recovered: Recovered | undefined): void {
    const symbols = this.#symbolsOf(member.name);
    const complete = (venueTime - this.#graceNs) as EpochNs;
    const from = recovered?.from ?? this.#watermark ?? complete;
    // On an empty tape the first member decides where the tape begins.
    if (this.#watermark === null) this.#beginTape(symbols, from);
    const to = later(from, this.#watermark ?? from);
    const { lastMissingId = -1 } = recovered ?? {};
    for (const symbol of symbols) {
      // Before the number 0 there is none.
      const isNamed = lastMissingId >= 0 && this.#ledger.reasonOf(symbol) === START;
      this.#ledger.close(symbol, to, isNamed ? lastMissingId : null);
    }
  }

  #openGap(member: Member, reason: string): void {
    const { venue } = member;
    const midnight = epochNs(dayOf(member.interruptedAt), 0);
    const known =
      venue === null ? (this.#watermark ?? midnight) : ((venue - this.#graceNs) as EpochNs);
    const complete = later(known, this.#watermark ?? known);
    for (const symbol of this.#symbolsOf(member.name)) {
      if (this.#ledger.reasonOf(symbol) !== null) continue;
      const last = this.#lastTrades.get(symbol);
      const from = last === undefined ? complete : later(complete, (last.ts + 1n) as EpochNs);
      const lastId = last?.id ?? this.#options.lastId(symbol);
      this.#ledger.open(symbol, from, reason, lastId < 0 ? null : lastId + 1);
    }
  }

  #beginTape(symbols: readonly string[], from: EpochNs): void {
    this.#openStarts(symbols, from);
    const midnight = epochNs(dayOf(from), 0);
    this.#tapeFrom = earlier(this.#tapeFrom ?? midnight, midnight);
  }

  /** New contracts lack what was traded before, as far as the day is on the tape. */
  #openStarts(symbols: readonly string[], at: EpochNs): void {
    for (const symbol of symbols) {
      if (!this.#isNew(symbol)) continue;
      this.#isNewBy.set(symbol, false);
      if (this.#ledger.reasonOf(symbol) !== null) continue;
      this.#ledger.open(symbol, epochNs(dayOf(at), 0), START, null);
    }
  }

  #isNew(symbol: string): boolean {
    return this.#isNewBy.getOrInsertComputed(symbol, () => !this.#options.isKnown(symbol));
  }

  #symbolsOf(member: string): readonly string[] {
    return this.#options.symbolsOf?.(member) ?? [member];
  }

  #member(name: string): Member {
    const member = this.#members.get(name);
    if (member === undefined) throw new Error(`${name} is no member of this feed`);
    return member;
  }
}
