/**
 * Gives every trade its place, without any I/O. What it decides depends on the offers alone, in their
 * order, never on how they were grouped into commits: so a run that was cut anywhere and fed again
 * from the first unacknowledged offer gives the same ranks and stamps as one that never stopped.
 *
 * Days. The open day ends when the promise reaches its midnight. Trades of a later day are held at the
 * door until then. Between two days nothing is open: the next log starts when a trade is due whose day
 * the promise has reached, or when the promise passes that midnight. Days that a promise skips and that
 * have no trades get no log, so they are "not on the tape", not "empty".
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS, dayFromNumber, dayNumber, epochNs, isUtcDay } from '@tapeloom/core/utc-day';
import { ContractLane } from './contract-lane.ts';
import { DedupeWindow } from './dedupe-window.ts';
import type { Commit, CommitContract, CommitSection, Opening } from './log-payload.ts';
import type { Offer } from './offer.ts';
import type { SequencerCounters } from './sequencer-counters.ts';
import { IntakeFullError } from './tape-errors.ts';

/** Rows in one commit: about 2 MB of log, a few milliseconds of disk. */
const COMMIT_ROWS_MAX = 65_536;
/** Trades that may wait for a midnight their own offer does not promise; an offer with more is refused. */
export const HELD_ROWS_MAX = 65_536;
/**
 * How far a source's time may lie ahead of clock and promise. Wide enough for a machine whose clock is
 * an hour wrong, narrow enough that one absurd time cannot carry the tape into another year.
 */
const AHEAD_NS_MAX = 2 * 3600 * 1_000_000_000;
const DAY_NS_BIG = BigInt(DAY_NS);

/** The contracts of the dataset that may trade on a day. */
export type ListedSymbols = (day: UtcDay) => readonly string[];

/** `done`: the offer is taken. `full`: the commit is. `turn`: the day must turn first. */
export type TakeResult = 'done' | 'full' | 'turn';

/** Rows [from, to) of one batch of an offer. */
interface Run {
  readonly offer: Offer;
  readonly batch: number;
  from: number;
  to: number;
}

export class Sequencer {
  readonly #dataset: string;
  readonly #listed: ListedSymbols;
  readonly #counters: SequencerCounters;
  readonly #listedByDay = new Map<number, ReadonlySet<string>>();
  #lanes = new Map<string, ContractLane>();
  /** The lanes the open log has named, by their number in it. */
  #named: ContractLane[] = [];
  /** The open day, or the last one that was, in days since 1970. */
  #day = 0;
  /** Whether the tape never had a day. */
  #isFresh = true;
  #promiseNs = DAY_NS;
  /** Whether the promise has reached the end of `#day`. */
  #isOver = true;
  #pendingRows = 0;
  #isPromiseNew = false;
  /** Rows of days to come, and those of them the open day still has to take. */
  #held: Run[] = [];
  #released: Run[] = [];
  #heldRows = 0;
  #ready: Offer[] = [];

  constructor(dataset: string, listed: ListedSymbols, counters: SequencerCounters) {
    this.#dataset = dataset;
    this.#listed = listed;
    this.#counters = counters;
  }

  /** Whether there is something to commit. */
  get isPending(): boolean {
    return this.#pendingRows > 0 || this.#isPromiseNew;
  }

  /** How many offers the next commit completes. */
  get readyCount(): number {
    return this.#ready.length;
  }

  /** Whether no further offer can be taken before the day has turned. */
  get mustTurn(): boolean {
    return this.#isOver && (this.isPending || this.nextDay(null) !== null);
  }

  /** Takes what was held for the day that opened; false when the commit is full before the end. */
  takeReleased(now: EpochNs): boolean {
    let run = this.#released[0];
    for (; run !== undefined; run = this.#released[0]) {
      const room = COMMIT_ROWS_MAX - this.#pendingRows;
      if (room === 0) return false;
      const { offer, batch, from } = run;
      const to = Math.min(run.to, from + room);
      offer.heldRows -= to - from;
      this.#heldRows -= to - from;
      this.#counters.held -= to - from;
      this.#judge({ offer, batch, from, to }, now);
      if (to < run.to) run.from = to;
      else this.#released.shift();
      if (offer.isTaken && offer.heldRows === 0) this.#ready.push(offer);
    }
    return true;
  }

  /** Takes as much of the offer as it can now; call again with the same offer until `done`. */
  take(offer: Offer, now: EpochNs): TakeResult {
    if (this.#isFresh && this.#heldRows === 0 && !this.#startBefore(offer, now)) {
      return this.#finish(offer);
    }
    while (offer.nextBatch < offer.batches.length) {
      const room = COMMIT_ROWS_MAX - this.#pendingRows;
      if (room === 0) return 'full';
      const batch = offer.nextBatch;
      const from = offer.nextRow;
      const to = Math.min(offer.batches[batch]!.count, from + room);
      this.#judge({ offer, batch, from, to }, now);
      offer.nextRow = to;
      if (to === offer.batches[batch]!.count) {
        offer.nextBatch += 1;
        offer.nextRow = 0;
      }
      if (this.#heldRows > HELD_ROWS_MAX && !this.#isReleasedBy(offer)) {
        this.#refuse(offer);
        return 'done';
      }
    }
    if (offer.promise !== null && !this.#promise(offer.promise, now)) return 'turn';
    return this.#finish(offer);
  }

  /** The next commit and whether it ends the day; the columns are good until `clearPending`. */
  pendingCommit(): { readonly kind: 'commit' | 'end'; readonly commit: Commit } {
    const contracts: CommitContract[] = [];
    const sections: CommitSection[] = [];
    for (const lane of this.#lanes.values()) {
      if (lane.pendingCount === 0) continue;
      if (lane.index < 0) {
        lane.index = this.#named.push(lane) - 1;
        contracts.push({ index: lane.index, symbol: lane.symbol });
      }
      sections.push(lane.pending);
    }
    const commit = { promiseNs: this.#promiseNs, contracts, sections };
    return { kind: this.#isOver ? 'end' : 'commit', commit };
  }

  /** After the pending commit was encoded: starts the next one. Returns the offers it completes. */
  clearPending(): readonly Offer[] {
    for (const lane of this.#lanes.values()) lane.clearPending();
    this.#pendingRows = 0;
    this.#isPromiseNew = false;
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /**
   * The day to open next, or null when it is not time yet. `promise` is that of the offer which waits
   * for the turn, if one does.
   */
  nextDay(promise: EpochNs | null): UtcDay | null {
    if (!this.#isOver) return null;
    const tomorrow = this.#day + 1;
    const promised = promise === null ? tomorrow : Number(promise / DAY_NS_BIG);
    let next = Number.POSITIVE_INFINITY;
    for (const { offer, batch } of this.#held) {
      const day = Math.max(tomorrow, dayNumber(offer.batches[batch]!.day));
      if (day <= promised) next = Math.min(next, day);
    }
    if (promise !== null && this.#nsSinceDay(promise) > DAY_NS) next = Math.min(next, promised);
    return next === Number.POSITIVE_INFINITY ? null : dayFromNumber(next);
  }

  /** Opens a day that `nextDay` named and releases the trades held so far. Its log starts with this. */
  openDay(day: UtcDay): Opening {
    const before = this.#lanes;
    this.#lanes = new Map();
    this.#named = [];
    for (const symbol of this.#listed(day)) {
      this.#nameLane(symbol, before.get(symbol)?.dedupe ?? new DedupeWindow());
    }
    const contracts = this.#named.map(({ symbol, dedupe }) => ({
      symbol,
      highestId: dedupe.highest,
      windowBits: new Uint8Array(dedupe.bits.buffer).slice(),
    }));
    this.#startDay(day, 0);
    this.#released = this.#held;
    this.#held = [];
    return { dataset: this.#dataset, day, promiseNs: 0, contracts };
  }

  /** The offers that wait for a day to come, which are then forgotten. */
  dropHeld(): readonly Offer[] {
    const offers = new Set([...this.#released, ...this.#held].map((run) => run.offer));
    this.#counters.held -= this.#heldRows;
    this.#heldRows = 0;
    this.#released = [];
    this.#held = [];
    return [...offers];
  }

  /** Recovery: starts from a log's opening. */
  restore(opening: Opening): void {
    this.#lanes = new Map();
    this.#named = [];
    for (const { symbol, highestId, windowBits } of opening.contracts) {
      this.#nameLane(symbol, DedupeWindow.restore(highestId, windowBits));
    }
    this.#startDay(opening.day, opening.promiseNs);
  }

  /** Recovery: what a commit of the log had decided; false when it cannot follow what was before it. */
  replay(commit: Commit): boolean {
    for (const { index, symbol } of commit.contracts) {
      if (index !== this.#named.length || this.#lanes.has(symbol)) return false;
      this.#nameLane(symbol, new DedupeWindow());
    }
    for (const section of commit.sections) {
      if (!(this.#named[section.index]?.replay(section) ?? false)) return false;
    }
    if (!(commit.promiseNs >= this.#promiseNs && commit.promiseNs <= DAY_NS)) return false;
    this.#promiseNs = commit.promiseNs;
    this.#isOver = commit.promiseNs === DAY_NS;
    return true;
  }

  /** On a tape without days: stands just before the offer's first day; false when it has none. */
  #startBefore({ batches, promise }: Offer, now: EpochNs): boolean {
    const latest = now + BigInt(AHEAD_NS_MAX);
    const days = batches.flatMap(({ symbol, day, count }) =>
      count > 0 && isUtcDay(day) && epochNs(day, 0) <= latest && this.#isListed(symbol, day)
        ? [dayNumber(day)]
        : [],
    );
    if (promise !== null && promise <= latest) days.push(Number(promise / DAY_NS_BIG));
    this.#day = Math.min(...days) - 1;
    if (days.length > 0) return true;
    for (const { day, count } of batches) {
      if (!isUtcDay(day)) this.#counters.badTime += count;
      else if (epochNs(day, 0) > latest) this.#counters.aheadOfTime += count;
      else this.#counters.unknownSymbol += count;
    }
    if (promise !== null) this.#counters.promiseAhead += 1;
    return false;
  }

  #startDay(day: UtcDay, promiseNs: number): void {
    this.#day = dayNumber(day);
    this.#isFresh = false;
    this.#promiseNs = promiseNs;
    this.#isOver = false;
  }

  /** Accepts, refuses or holds every row of the run. */
  #judge({ offer, batch: at, from, to }: Run, now: EpochNs): void {
    const batch = offer.batches[at]!;
    const lane = isUtcDay(batch.day) ? this.#lane(batch.symbol, batch.day) : null;
    if (lane === null) {
      if (isUtcDay(batch.day)) this.#counters.unknownSymbol += to - from;
      else this.#counters.badTime += to - from;
      return;
    }
    const frame = {
      offsetNs: (dayNumber(batch.day) - this.#day) * DAY_NS,
      promiseNs: this.#promiseNs,
      aheadNs: this.#aheadNs(offer.promise, now),
    };
    const before = lane.pendingCount;
    lane.take(batch, from, to, frame, this.#counters, (row) => this.#hold(offer, at, row));
    this.#pendingRows += lane.pendingCount - before;
  }

  #hold(offer: Offer, batch: number, row: number): void {
    const last = this.#held.at(-1);
    if (last !== undefined && last.offer === offer && last.batch === batch && last.to === row) {
      last.to += 1;
    } else {
      this.#held.push({ offer, batch, from: row, to: row + 1 });
    }
    offer.heldRows += 1;
    this.#heldRows += 1;
    this.#counters.held += 1;
  }

  /** Takes a promise; false when the day must turn before it can hold. */
  #promise(promise: EpochNs, now: EpochNs): boolean {
    const promiseNs = this.#nsSinceDay(promise);
    if (promiseNs > this.#referenceNs(now) + AHEAD_NS_MAX) {
      this.#counters.promiseAhead += 1;
      return true;
    }
    if (promiseNs <= this.#promiseNs) {
      if (promiseNs < this.#promiseNs) this.#counters.promiseBackwards += 1;
      return true;
    }
    if (this.#isOver) return false;
    this.#promiseNs = Math.min(promiseNs, DAY_NS);
    this.#isPromiseNew = true;
    this.#isOver = promiseNs >= DAY_NS;
    return promiseNs <= DAY_NS;
  }

  #finish(offer: Offer): 'done' {
    offer.isTaken = true;
    if (offer.heldRows === 0) this.#ready.push(offer);
    return 'done';
  }

  #refuse(offer: Offer): void {
    this.#held = this.#held.filter((run) => run.offer !== offer);
    this.#heldRows -= offer.heldRows;
    this.#counters.held -= offer.heldRows;
    this.#counters.offersRefused += 1;
    offer.reject(new IntakeFullError('trades wait for midnight', HELD_ROWS_MAX));
  }

  /** Whether the offer's own promise ends the open day, so that its held rows wait for nobody else. */
  #isReleasedBy({ promise }: Offer): boolean {
    return promise !== null && this.#nsSinceDay(promise) >= DAY_NS;
  }

  /** The latest source time that is believed: the offer's own promise may vouch for it. */
  #aheadNs(promise: EpochNs | null, now: EpochNs): number {
    const referenceNs = this.#referenceNs(now);
    const vouchedNs = promise === null ? referenceNs : this.#nsSinceDay(promise);
    const isBelieved = vouchedNs > referenceNs && vouchedNs <= referenceNs + AHEAD_NS_MAX;
    return (isBelieved ? vouchedNs : referenceNs) + AHEAD_NS_MAX;
  }

  /** The later of clock and promise: what "ahead" is measured from. */
  #referenceNs(now: EpochNs): number {
    return Math.max(this.#nsSinceDay(now), this.#promiseNs);
  }

  #nsSinceDay(instant: EpochNs): number {
    return Number(instant - BigInt(this.#day) * DAY_NS_BIG);
  }

  #lane(symbol: string, day: UtcDay): ContractLane | null {
    const lane = this.#lanes.get(symbol);
    if (lane !== undefined) return lane;
    // Never by a day that is over: a contract that has left the list must not come back without the
    // memory of its feed numbers.
    const open = this.#isOver ? this.#day + 1 : this.#day;
    if (!this.#isListed(symbol, dayFromNumber(Math.max(open, dayNumber(day))))) return null;
    const added = new ContractLane(symbol, new DedupeWindow(), -1);
    this.#lanes.set(symbol, added);
    return added;
  }

  #isListed(symbol: string, day: UtcDay): boolean {
    let listed = this.#listedByDay.get(day);
    if (listed === undefined) {
      if (this.#listedByDay.size > 2) this.#listedByDay.clear();
      listed = new Set(this.#listed(day));
      this.#listedByDay.set(day, listed);
    }
    return listed.has(symbol);
  }

  #nameLane(symbol: string, dedupe: DedupeWindow): void {
    const lane = new ContractLane(symbol, dedupe, this.#named.length);
    this.#lanes.set(symbol, lane);
    this.#named.push(lane);
  }
}
