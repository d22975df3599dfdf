/**
 * The feed of one live dataset, as a pure machine: events of its connections go in; actions, and offers for the tape,
 * come out. An offer has trades in the feed's order, the gaps they lie behind, the place to resume from, and a watermark
 * that holds once the trades are taken. A restart resumes from the tape alone.
 */

import { type EpochNs, LOTS_MAX } from '@tapeloom/core/numbers';
import { HOUR_NS_BIG, MINUTE_MS, MS_NS, MS_NS_BIG, SECOND_NS_BIG } from '@tapeloom/core/units';
import { dayOf, later } from '@tapeloom/core/utc-day';
import type { Intake, IntakeBatch, OfferCounts } from '../../tape/write/intake.ts';
import type { TapeNote } from '../../tape/write/tape-note.ts';
import { dividedOffer, type NotedOffer } from '../divided-offer.ts';
import { Supervisor } from './connection/supervisor.ts';
import type { VenueBudget } from './connection/venue-budget.ts';
import { VenueTime } from './connection/venue-time.ts';
import type { FeedAction, FeedContract, FeedEvent, PageAnswer, Venue } from './feed.ts';
import { batchOf } from './feed-batches.ts';
import type { FeedStatus } from './feed-status.ts';
import { type FeedTrade, instantOf, type Line } from './lines/line.ts';
import { LineBudget } from './lines/line-budget.ts';
import { offGrid } from './on-grid.ts';
import { isBlank, lineKey, pastNote } from './past/past-note.ts';
import { FeedWatermark, type Recovered } from './watermark/feed-watermark.ts';

/** An offer fits into one record of the log: its trades are on the tape together with its notes, or not at all. */
const OFFER_TRADES_MAX = 32_768;
/** The tape rejects times further ahead of the clock. */
const AHEAD_NS_MAX = 2n * HOUR_NS_BIG;
/** Of a gap on the tape. */
const REASON_BYTES_MAX = 128;
/** The note with the difference of the venue's clock and ours. */
const CLOCK_KEY = 'venue-clock';
const CLOCK_STEP_NS = SECOND_NS_BIG;
const GAP_AFTER_MS = 15 * MINUTE_MS;
/** Left out, as by an import. */
const SIZE_ZERO = 'trades of size 0';
/** Without an answer for so long, the tape begins with the next trades. */
const SEARCH_NS_MAX = 60n * SECOND_NS_BIG;

export interface LiveFeedOptions {
  readonly venue: Venue;
  readonly contracts: readonly FeedContract[];
  readonly intake: Omit<Intake, 'offer' | 'batch'>;
  readonly budget: VenueBudget;
  readonly random: () => number;
  readonly graceMs?: number;
  readonly gapAfterMs?: number;
  /** How long before the start the past is wanted. Default: 0. */
  readonly backfillMs?: number;
  /** An empty tape does not begin before this: what is earlier comes behind the stream. Default: any time. */
  readonly beginsFrom?: EpochNs;
  readonly waitingBytesMax?: number;
  /** A contract is down until a restart; `why` is for the operator. */
  readonly onDown?: (symbol: string, why: string) => void;
  readonly now: EpochNs;
}

export class LiveFeed {
  readonly #lines = new Map<string, Line>();
  readonly #lineBudget: LineBudget;
  readonly #supervisor: Supervisor;
  readonly #venueTime = new VenueTime();
  /** The difference of the clocks that is on the tape. */
  #notedAheadNs: bigint | null;
  readonly #watermark: FeedWatermark;
  readonly #gapAfterNs: bigint;
  readonly #onDown: (symbol: string, why: string) => void;
  readonly #down = new Map<string, string>();
  /** The rest of an offer with many notes. */
  readonly #waiting: NotedOffer[] = [];
  #late = 0;
  #rejected = 0;
  #sizesZero = 0;
  #isBeginning: boolean;
  /** Which past days are wanted; null: none, or it is on the tape. */
  #pastNote: TapeNote | null = null;
  /** The last answer while lines look for their first trades. */
  #searchedAt: EpochNs;

  constructor(options: LiveFeedOptions) {
    const { venue, contracts, intake, now, gapAfterMs = GAP_AFTER_MS } = options;
    this.#lineBudget = new LineBudget(options.waitingBytesMax);
    this.#gapAfterNs = BigInt(gapAfterMs) * MS_NS_BIG;
    this.#onDown = options.onDown ?? (() => undefined);
    if (intake.promise !== null) this.#venueTime.startAt(intake.promise, now);
    this.#notedAheadNs = bigintOf(intake.position(CLOCK_KEY));
    if (this.#notedAheadNs !== null) this.#venueTime.resume(this.#notedAheadNs);
    const { backfillMs = 0 } = options;
    const symbols = contracts.map(({ symbol }) => symbol);
    this.#isBeginning = backfillMs > 0 && isBlank(intake, symbols);
    // The log of a blank tape says on which day it begins.
    const beginsFrom = options.beginsFrom && (intake.promise ?? options.beginsFrom);
    this.#searchedAt = now;
    const wantedFrom = (now - BigInt(backfillMs) * MS_NS_BIG) as EpochNs;
    const beginAt = this.#isBeginning ? later(wantedFrom, beginsFrom ?? wantedFrom) : null;
    if (beginAt !== null && beginAt > wantedFrom) {
      this.#pastNote = pastNote({ from: wantedFrom, until: dayOf(beginAt) });
    }
    for (const contract of contracts) {
      const { symbol } = contract;
      const lastId = intake.lastId(symbol);
      const position = intake.position(lineKey(symbol));
      const watermark = () => this.#watermark.watermark;
      const line = venue.line({
        contract,
        budget: this.#lineBudget,
        lastId,
        position,
        watermark,
        beginAt,
      });
      this.#lines.set(symbol, line);
    }
    const contractOf = new Map(contracts.map((contract) => [contract.symbol, contract]));
    this.#watermark = new FeedWatermark({
      ...(options.graceMs !== undefined && { graceMs: options.graceMs }),
      gapAfterMs,
      members: symbols,
      // A calendar is extended while the feed runs.
      hoursOf: (symbol) => contractOf.get(symbol)?.hours ?? null,
      isKnown: (symbol) => intake.lastId(symbol) >= 0 || intake.position(lineKey(symbol)) !== null,
      lastId: (symbol) => intake.lastId(symbol),
      start: intake.promise,
      gaps: intake.gaps,
      position: (key) => intake.position(key),
      venueNow: (at) => (this.#venueTime.isNamed ? this.#venueTime.at(at) : null),
      now,
    });
    const { budget, random } = options;
    const venueTime = this.#venueTime;
    this.#supervisor = new Supervisor({
      venue,
      contracts,
      lines: this.#lines,
      budget,
      random,
      venueTime,
      now,
    });
  }

  event(connection: number, event: FeedEvent, now: EpochNs): readonly FeedAction[] {
    return this.#supervisor.event(connection, event, now);
  }

  /** The answer to a request; null: none came, because of `why`. */
  page(id: number, answer: PageAnswer | null, why: string, now: EpochNs): readonly FeedAction[] {
    if (answer?.status === 200) this.#searchedAt = now;
    return this.#supervisor.page(id, answer, why, now);
  }

  /** To be called every few milliseconds. */
  timer(now: EpochNs): readonly FeedAction[] {
    for (const [symbol, why] of this.#supervisor.refused) this.#takeDown(symbol, why, now);
    for (const [symbol, line] of this.#lines) {
      if (line.fault !== null) this.#takeDown(symbol, line.fault, now);
      const since = line.holeSince;
      if (since !== null && now - since >= this.#gapAfterNs) line.giveUp(now);
    }
    return this.#supervisor.timer(now);
  }

  close(): readonly FeedAction[] {
    return this.#supervisor.close();
  }

  /**
   * The next offer; null: nothing is new. It must be taken by the tape before the next one is made. `isQuiet`: without
   * trades and notes there is no offer, however far the watermark could move.
   */
  nextOffer(now: EpochNs, isQuiet = false): NotedOffer | null {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) return waiting;
    if (this.#isBeginning && !this.#begin(now)) return null;
    const batches = this.#collect(now);
    const positions: TapeNote[] = [...this.#lines].flatMap(([symbol, line]) => {
      // A place on the tape says that the contract has begun: its first gap must be there too.
      const isEarly = this.#down.has(symbol) || this.#watermark.isStarting(symbol);
      const text = isEarly ? null : line.takePosition();
      return text === null ? [] : [{ kind: 'position', key: lineKey(symbol), text } as const];
    });
    positions.push(...this.#clockNote());
    const hasNews = batches.length > 0 || positions.length > 0 || this.#watermark.hasNotes;
    if (isQuiet && !hasNews) return null;
    const next = this.#watermark.next(now);
    if (next === null && batches.length === 0 && positions.length === 0) return null;
    const trades = { batches, promise: next?.promise ?? null };
    const before = [...(next?.notes ?? [])];
    // With its first record a tape has begun, also without a watermark.
    if (this.#pastNote !== null) {
      before.unshift(this.#pastNote);
      this.#pastNote = null;
    }
    this.#waiting.push(...dividedOffer(trades, before, positions));
    return this.#waiting.shift()!;
  }

  /** The tape has taken an offer. */
  taken({ late, rejected }: OfferCounts): void {
    this.#late += late;
    this.#rejected += rejected;
  }

  get watermark(): EpochNs | null {
    return this.#watermark.watermark;
  }

  /** The memory for trades that wait is full. */
  get isFull(): boolean {
    return !this.#lineBudget.hasRoom;
  }

  status(now: EpochNs): FeedStatus {
    const watermark = this.#watermark;
    const supervisor = this.#supervisor;
    const lagNs = watermark.watermark === null ? 0 : Number(now - watermark.watermark);
    return {
      venue: supervisor.venue,
      state: watermark.status(now),
      connection: supervisor.state,
      lagMs: Math.max(0, lagNs / MS_NS),
      reconnects: supervisor.reconnects,
      lastEnd: supervisor.lastEnd,
      lastFailure: supervisor.lastFailure,
      requestsLeft: supervisor.requestsLeft(now),
      late: this.#late,
      rejected: this.#rejected,
      gapsOpen: watermark.openGaps.length,
      gapsClosed: watermark.closedGaps,
      waitingBytes: this.#lineBudget.bytes,
      leftOut: this.#leftOut(),
      notes: Object.fromEntries(supervisor.notes),
      contracts: [...this.#lines.keys()].map((symbol) => ({
        symbol,
        state: watermark.memberStatus(symbol, now),
        fault: this.#down.get(symbol) ?? null,
      })),
    };
  }

  /** Prints that are no order flow: those without a number, and those of the lines. */
  #leftOut(): Readonly<Record<string, number>> {
    const counts = new Map(this.#supervisor.leftOut);
    if (this.#sizesZero > 0) {
      counts.set(SIZE_ZERO, (counts.get(SIZE_ZERO) ?? 0) + this.#sizesZero);
    }
    for (const { leftOut = [] } of this.#lines.values()) {
      for (const [what, count] of leftOut) counts.set(what, (counts.get(what) ?? 0) + count);
    }
    return Object.fromEntries(counts);
  }

  /** A restart without a connection must know how wrong its clock is: a gap follows the venue's time. */
  #clockNote(): readonly TapeNote[] {
    const { aheadNs, isNamed } = this.#venueTime;
    if (aheadNs === null || !isNamed || this.#watermark.watermark === null) return [];
    const noted = this.#notedAheadNs;
    if (noted !== null && aheadNs - noted < CLOCK_STEP_NS && noted - aheadNs < CLOCK_STEP_NS) {
      return [];
    }
    this.#notedAheadNs = aheadNs;
    return [{ kind: 'position', key: CLOCK_KEY, text: `${aheadNs}` }];
  }

  /** The watermark of an empty tape begins before all lines, so they find their places first. False: not yet. */
  #begin(now: EpochNs): boolean {
    const lines = [...this.#lines];
    if (lines.some(([, { isSearching = false }]) => isSearching)) {
      // A contract without trades must not keep those of a day waiting.
      if (now - this.#searchedAt < SEARCH_NS_MAX && !this.isFull) return false;
      for (const [, line] of lines) line.endSearch?.();
    }
    this.#isBeginning = false;
    for (const [symbol, { first = null }] of lines) {
      if (first === null || first.id === null) continue;
      const recovered = recoveredFrom(first.from, first.id);
      this.#watermark.reach(symbol, first.from, now, recovered);
    }
    return true;
  }

  /** All trades that are ready. */
  #collect(now: EpochNs): readonly IntakeBatch[] {
    const batches: IntakeBatch[] = [];
    let room = OFFER_TRADES_MAX;
    for (const [symbol, line] of this.#lines) {
      while (room > 0) {
        const output = line.take(room);
        if (output === null) break;
        room -= output.trades.length;
        const trades = this.#admitted(symbol, output.trades, now);
        if (trades.length > 0) batches.push(batchOf(symbol, trades));
        if (output.loss !== null) this.#watermark.lose(symbol, output.loss);
      }
      this.#move(symbol, line, now);
    }
    return batches;
  }

  /** The trades to offer, without those that a gap names as missing. */
  #admitted(symbol: string, trades: readonly FeedTrade[], now: EpochNs): readonly FeedTrade[] {
    const admitted: FeedTrade[] = [];
    let last: FeedTrade | null = null;
    for (const trade of trades) {
      if (this.#down.has(symbol)) break;
      const ts = instantOf(trade);
      const fault = offGrid(trade);
      if (ts > now + AHEAD_NS_MAX) {
        this.#loseOne(symbol, trade.id, this.#watermark.watermark ?? now, 'impossible time');
      } else if (fault !== null) this.#takeDown(symbol, fault, now);
      else if (this.#admit(symbol, ts, trade.id, now)) {
        last = trade;
        if (trade.size === 0) this.#sizesZero += 1;
        else if (trade.size > LOTS_MAX) this.#loseOne(symbol, trade.id, ts, 'too large');
        else admitted.push(trade);
      }
    }
    if (last === null) return admitted;
    const ts = instantOf(last);
    this.#watermark.traded(symbol, ts, last.id);
    if (!this.#down.has(symbol)) this.#watermark.reach(symbol, ts, now);
    return admitted;
  }

  #admit(symbol: string, ts: EpochNs, id: number, now: EpochNs): boolean {
    const watermark = this.#watermark;
    if (watermark.hasGaps(symbol) && !watermark.admits(symbol, ts, id)) return false;
    if (watermark.isWhole(symbol)) return true;
    // The first trade behind an outage: everything from here on is complete.
    const recovered = watermark.isStarting(symbol) ? recoveredFrom(ts, id) : undefined;
    watermark.reach(symbol, ts, now, recovered);
    return true;
  }

  #loseOne(symbol: string, id: number, from: EpochNs, reason: string): void {
    this.#watermark.lose(symbol, { from, to: from, ids: { firstId: id, lastId: id }, reason });
  }

  /** Moves the watermark of a contract without trades, or stops it. */
  #move(symbol: string, line: Line, now: EpochNs): void {
    if (this.#down.has(symbol)) return;
    if (!line.isWhole || !this.#supervisor.isReady(symbol)) {
      this.#watermark.interrupt(symbol, now);
      return;
    }
    const venueTime = this.#supervisor.venueTimeOf(symbol);
    if (venueTime === null) return;
    const isStarting = this.#watermark.isStarting(symbol);
    const from = later(venueTime, line.beginsBehind ?? venueTime);
    this.#watermark.reach(symbol, venueTime, now, isStarting ? { from } : undefined);
  }

  #takeDown(symbol: string, why: string, now: EpochNs): void {
    if (this.#down.has(symbol)) return;
    this.#down.set(symbol, why);
    this.#watermark.abandon(symbol, shortened(why), now);
    this.#onDown(symbol, why);
  }
}

/** A line that begins with the number 0 misses none. */
function recoveredFrom(from: EpochNs, id: number): Recovered {
  return id > 0 ? { from, lastMissingId: id - 1 } : { from };
}

/** A venue's words may be of any length; those of a gap are not. */
function shortened(why: string): string {
  let short = why.slice(0, REASON_BYTES_MAX).toWellFormed();
  while (Buffer.byteLength(short) > REASON_BYTES_MAX) short = short.slice(0, -1).toWellFormed();
  return short;
}

function bigintOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}
