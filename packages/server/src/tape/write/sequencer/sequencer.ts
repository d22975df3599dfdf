/**
 * Assigns every trade its position on the tape, without I/O. Its decisions depend only on the offers and their order,
 * never on the grouping into commits: a run that was cut anywhere and refed from the first unacknowledged offer gives
 * the same ranks and stamps.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS, HOUR_NS } from '@tapeloom/core/units';
import { dayFromNumber, dayNumber, dayOf, epochNs, isUtcDay } from '@tapeloom/core/utc-day';
import { IntakeFullError } from '../../tape-errors.ts';
import type { IntakeBatch } from '../intake.ts';
import type { Commit, CommitContract, CommitSection, Opening } from '../log/log-payload.ts';
import { NoteTaker } from '../notes/note-taker.ts';
import { ContractLane } from './contract-lane.ts';
import { DedupeWindow, NEW } from './dedupe-window.ts';
import { HeldTrades } from './held-trades.ts';
import { ListedOn, type ListedSymbols } from './listed-on.ts';
import type { Offer, Run } from './offer.ts';
import type { SequencerCounters } from './sequencer-counters.ts';
import type { SequencerState } from './sequencer-state.ts';

/** Rows in one commit by default: about 2 MB of log, a few milliseconds of disk. */
export const COMMIT_ROWS_MAX = 65_536;
/** Trades that may be held for later days; an offer with more is rejected. */
export const HELD_TRADES_MAX = 16_384;
/**
 * How far a source's time may lie ahead of clock and watermark. Wide enough for a clock that is an hour wrong, narrow
 * enough that one absurd time cannot move the tape into another year.
 */
const AHEAD_NS_MAX = 2 * HOUR_NS;
const DAY_NS_BIG = BigInt(DAY_NS);

/** `done`: the offer is taken. `full`: the commit is full. `turn`: the next day must open first. */
export type TakeResult = 'done' | 'full' | 'turn';

/**
 * The open day ends when the watermark (`promise`) reaches its midnight. A trade of a later day is deferred when its
 * own offer's watermark reaches that midnight, otherwise held (`held-trades.ts`). Between two days nothing is open: the
 * next log starts when a trade comes, or when the watermark passes that midnight. Days without trades that a watermark
 * skips get no log: they are "not on the tape", not "empty".
 */
export class Sequencer {
  readonly #dataset: string;
  readonly #counters: SequencerCounters;
  readonly #listed: ListedOn;
  #lanes = new Map<string, ContractLane>();
  /** The lanes that the open log has named, by their number in it. */
  #named: ContractLane[] = [];
  /** The open day, or the last open one, in days since 1970. */
  #day = 0;
  /** Whether the tape has never had a day. */
  #isFresh = true;
  #promiseNs = DAY_NS;
  /** Whether the watermark has reached the end of `#day`. */
  #isOver = true;
  #pendingRows = 0;
  #isPromiseNew = false;
  readonly #held: HeldTrades;
  readonly #notes = new NoteTaker();
  /** Whether the open day has still to settle the trades of its opening. */
  #isReleaseDue = false;
  #isHeldFull = false;
  #ready: Offer[] = [];
  readonly #commitRowsMax: number;

  constructor(
    dataset: string,
    listed: ListedSymbols,
    counters: SequencerCounters,
    commitRowsMax: number = COMMIT_ROWS_MAX,
  ) {
    this.#dataset = dataset;
    this.#listed = new ListedOn(listed);
    this.#counters = counters;
    this.#commitRowsMax = commitRowsMax;
    this.#held = new HeldTrades(counters);
  }

  get isPending(): boolean {
    const hasNew = this.#isPromiseNew || this.#notes.pending.length > 0;
    return this.#pendingRows > 0 || hasNew || this.#held.unlogged.length > 0;
  }

  /** How many offers the next commit completes. */
  get readyCount(): number {
    return this.#ready.length;
  }

  /** Whether no further offer can be taken until the next day opens. */
  get mustTurn(): boolean {
    return this.#isOver && (this.isPending || this.#held.firstDay(this.#day + 1) === this.#day + 1);
  }

  /** Takes as much of the offer as possible now; call again with the same offer until `done`. */
  take(offer: Offer, now: EpochNs): TakeResult {
    const isFirst = this.#isFresh && offer.deferred.length === 0;
    if (isFirst && !this.#startBefore(offer, now)) return this.#finish(offer);
    if (offer.deferred.length > 0 && offer.deferredOn !== this.#day) {
      offer.runs = offer.deferred;
      offer.deferred = [];
    }
    const isStopped = offer.notes === null ? null : this.#beginNotes(offer, now);
    if (isStopped !== null) return isStopped;
    for (let run = offer.runs[0]; run !== undefined; run = offer.runs[0]) {
      const room = this.#commitRowsMax - this.#pendingRows;
      if (room === 0) return 'full';
      const to = Math.min(run.to, run.from + room);
      this.#judge(offer, { ...run, to }, now);
      if (to < run.to) run.from = to;
      else offer.runs.shift();
      if (this.#isHeldFull) {
        return this.#refuse(
          offer,
          new IntakeFullError('trades wait for a day to come', HELD_TRADES_MAX),
        );
      }
    }
    if (this.#isOver && (offer.deferred.length > 0 || offer.notes !== null)) return 'turn';
    if (offer.promise !== null && !this.#promise(offer.promise, now)) return 'turn';
    return offer.deferred.length > 0 ? 'turn' : this.#finish(offer);
  }

  /** The next commit, and whether it ends the day. The columns are valid until `clearPending`. */
  pendingCommit(): { readonly kind: 'commit' | 'end'; readonly commit: Commit } {
    const contracts: CommitContract[] = [];
    const sections: CommitSection[] = [];
    const name = (lane: ContractLane) => {
      if (lane.index >= 0) return;
      lane.index = this.#named.push(lane) - 1;
      contracts.push({ index: lane.index, symbol: lane.symbol });
    };
    for (const lane of this.#lanes.values()) {
      if (lane.pendingCount === 0) continue;
      name(lane);
      sections.push(lane.pending);
    }
    const notes = this.#notes.pending;
    // A contract without trades that has a gap is on the tape too.
    for (const note of notes) if (note.kind === 'gap') name(this.#lanes.get(note.gap.symbol)!);
    const held = this.#held.unlogged;
    const commit = { promiseNs: this.#promiseNs, contracts, sections, held, notes };
    return { kind: this.#isOver ? 'end' : 'commit', commit };
  }

  /** Starts the next commit, after the pending one was encoded. Returns the offers that the pending one completes. */
  clearPending(): readonly Offer[] {
    for (const lane of this.#lanes.values()) lane.clearPending();
    this.#held.logged();
    this.#notes.logged();
    this.#pendingRows = 0;
    this.#isPromiseNew = false;
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** The day to open next, or null when it is too early. `offer`: the first waiting offer; it may wait for this. */
  nextDay(offer: Offer | null, now: EpochNs): UtcDay | null {
    if (!this.#isOver) return null;
    const tomorrow = this.#day + 1;
    const promise = offer?.promise ?? null;
    const isBelieved = promise !== null && this.#nsSinceDay(promise) <= this.#believedNs(now);
    const reached = isBelieved ? Math.max(tomorrow, Number(promise / DAY_NS_BIG)) : tomorrow;
    const held = this.#held.firstDay(tomorrow);
    let next = held <= reached ? held : Number.POSITIVE_INFINITY;
    for (const { batch } of offer?.deferred ?? []) {
      next = Math.min(next, reached, Math.max(tomorrow, dayNumber(batch.day)));
    }
    const isDue = offer?.notes != null || (isBelieved && this.#nsSinceDay(promise) > DAY_NS);
    if (isDue) next = Math.min(next, reached);
    return next === Number.POSITIVE_INFINITY ? null : dayFromNumber(next);
  }

  /** Opens a day that `nextDay` returned, and takes the trades held for it. Its log starts with the result. */
  openDay(day: UtcDay): Opening {
    const before = this.#lanes;
    this.#lanes = new Map();
    this.#named = [];
    const held = this.#held.waiting;
    const notes = this.#notes.startDay(epochNs(day, 0));
    const gaps = notes.flatMap((note) => (note.kind === 'gap' ? note.gap : []));
    const needed = [...held, ...gaps].map(({ symbol }) => symbol);
    for (const symbol of new Set([...this.#listed.of(day), ...needed])) {
      this.#nameLane(symbol, before.get(symbol)?.dedupe ?? new DedupeWindow());
    }
    const contracts = this.#named.map(({ symbol, dedupe }) => ({
      symbol,
      highestId: dedupe.highest,
      windowBits: new Uint8Array(dedupe.bits.buffer).slice(),
    }));
    this.#startDay(day, 0);
    this.#release();
    return { dataset: this.#dataset, day, promiseNs: 0, contracts, held, notes };
  }

  /** Recovery: starts from a log's opening. */
  restore(opening: Opening): void {
    this.#lanes = new Map();
    this.#named = [];
    for (const { symbol, highestId, windowBits } of opening.contracts) {
      this.#nameLane(symbol, DedupeWindow.restore(highestId, windowBits));
    }
    this.#startDay(opening.day, opening.promiseNs);
    this.#held.replace(opening.held);
    this.#notes.restore(opening.notes);
    this.#isReleaseDue = true;
  }

  /** Recovery: applies a commit of the log; false when it cannot follow the state before it. */
  replay(commit: Commit): boolean {
    for (const { index, symbol } of commit.contracts) {
      const before = this.#lanes.get(symbol) ?? ContractLane.unnamed(symbol);
      if (index !== this.#named.length || before.index >= 0) return false;
      this.#nameLane(symbol, before.dedupe);
    }
    for (const section of commit.sections) {
      if (!(this.#named[section.index]?.replay(section) ?? false)) return false;
    }
    if (!(commit.promiseNs >= this.#promiseNs && commit.promiseNs <= DAY_NS)) return false;
    this.#promiseNs = commit.promiseNs;
    this.#isOver = commit.promiseNs === DAY_NS;
    for (const { symbol, id } of commit.held) {
      const { dedupe } = this.#lanes.getOrInsertComputed(symbol, () =>
        ContractLane.unnamed(symbol),
      );
      if (dedupe.judge(id) === NEW) dedupe.add(id);
    }
    this.#held.replace([...(this.#isReleaseDue ? [] : this.#held.waiting), ...commit.held]);
    if (commit.notes.length > 0) this.#notes.replay(commit.notes);
    this.#isReleaseDue = false;
    return true;
  }

  /** Recovery: the last log was read to its end. */
  resume(): void {
    if (this.#isReleaseDue) this.#release();
  }

  /** The replayed state; null on a tape without days. */
  get state(): SequencerState | null {
    if (this.#isFresh) return null;
    return {
      day: dayFromNumber(this.#day),
      promiseNs: this.#promiseNs,
      isReleaseDue: this.#isReleaseDue,
      held: this.#held.waiting,
      lanes: [...this.#lanes.values()].map((lane) => lane.state),
      notes: this.#notes.all,
    };
  }

  /** Recovery: resumes from the state that another sequencer replayed. */
  adopt({ day, promiseNs, isReleaseDue, held, lanes, notes }: SequencerState): void {
    const adopted = lanes.map((state) => ContractLane.from(state));
    this.#lanes = new Map(adopted.map((lane) => [lane.symbol, lane]));
    const named = adopted.filter(({ index }) => index >= 0);
    this.#named = named.sort((a, b) => a.index - b.index);
    this.#startDay(day, promiseNs);
    this.#isOver = promiseNs === DAY_NS;
    this.#held.replace(held);
    this.#notes.restore(notes);
    this.#isReleaseDue = isReleaseDue;
  }

  /** A copy that resumes from the state replayed here, with its own counters. */
  copy(counters: SequencerCounters, commitRowsMax: number): Sequencer {
    const copy = new Sequencer(this.#dataset, this.#listed.of, counters, commitRowsMax);
    if (this.state !== null) copy.adopt(this.state);
    return copy;
  }

  /** On a tape without days: moves just before the offer's first day; false when the offer has no acceptable one. */
  #startBefore({ runs, promise, notes }: Offer, now: EpochNs): boolean {
    const latest = now + BigInt(AHEAD_NS_MAX);
    const days = runs.flatMap(({ batch: { symbol, day } }) =>
      isUtcDay(day) && epochNs(day, 0) <= latest && this.#listed.has(symbol, day)
        ? [dayNumber(day)]
        : [],
    );
    if (promise !== null && promise <= latest) days.push(Number(promise / DAY_NS_BIG));
    if (days.length === 0 && notes !== null) days.push(dayNumber(dayOf(now)));
    if (days.length > 0) {
      this.#day = Math.min(...days) - 1;
      return true;
    }
    for (const {
      batch: { day, count },
    } of runs) {
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

  /** Offers the held trades to the open day. Trades that stay held go into its first commit again. */
  #release(): void {
    this.#isReleaseDue = false;
    // Also when no row is left to write: the first commit records that the opening's trades are settled.
    this.#isPromiseNew ||= this.#held.waiting.length > 0;
    this.#held.release((trade) => {
      const offsetNs = (dayNumber(trade.day) - this.#day) * DAY_NS;
      const frame = { offsetNs, promiseNs: this.#promiseNs, aheadNs: Number.POSITIVE_INFINITY };
      const isTaken = this.#lanes.get(trade.symbol)!.takeHeld(trade, frame, this.#counters);
      if (isTaken) this.#pendingRows += 1;
      return isTaken;
    });
  }

  /** Judges a run and adds to the offer's own counts what became of its rows. */
  #judge(offer: Offer, run: Run, now: EpochNs): void {
    const { duplicate, tooOld, late } = this.#counters;
    const before = rejectedBy(this.#counters);
    this.#judgeRows(offer, run, now);
    const after = this.#counters;
    offer.count({
      duplicate: after.duplicate - duplicate,
      tooOld: after.tooOld - tooOld,
      late: after.late - late,
      rejected: rejectedBy(after) - before,
    });
  }

  /** Accepts, rejects, defers or holds every row of the run. */
  #judgeRows(offer: Offer, { batch, from, to }: Run, now: EpochNs): void {
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
    const isReached = this.#isOver || this.#endsDay(offer.promise, now);
    const before = lane.pendingCount;
    lane.take(batch, from, to, frame, this.#counters, (row) =>
      isReached ? this.#defer(offer, batch, row) : this.#hold(batch, row),
    );
    this.#pendingRows += lane.pendingCount - before;
  }

  #defer(offer: Offer, batch: IntakeBatch, row: number): false {
    offer.deferredOn = this.#day;
    offer.defer(batch, row);
    return false;
  }

  /** True when the trade is held. */
  #hold(batch: IntakeBatch, row: number): boolean {
    this.#isHeldFull ||= this.#held.waiting.length >= HELD_TRADES_MAX;
    if (!this.#isHeldFull) this.#held.hold(batch, row);
    return !this.#isHeldFull;
  }

  /** Takes a watermark; false when the next day must open before it can hold. */
  #promise(promise: EpochNs, now: EpochNs): boolean {
    const promiseNs = this.#nsSinceDay(promise);
    if (promiseNs > this.#believedNs(now)) {
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

  /** Null when the offer's trades come next. Between two days, they and the notes wait for the next day. */
  #beginNotes(offer: Offer, now: EpochNs): TakeResult | null {
    const notes = offer.notes!;
    if (offer.areNotesBegun || this.#isOver) return null;
    if (!this.#notes.hasRoom(notes)) return 'full';
    const day = dayFromNumber(this.#day);
    try {
      this.#notes.begin(notes, {
        watermark: epochNs(day, this.#promiseNs),
        latest: (epochNs(day, 0) + BigInt(this.#aheadNs(offer.promise, now))) as EpochNs,
        isListed: (symbol, at) => this.#lane(symbol, dayOf(at)) !== null,
        newSince: (symbol) => (this.#isNew(symbol) ? epochNs(day, 0) : null),
      });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return this.#refuse(offer, error);
    }
    offer.areNotesBegun = true;
    return null;
  }

  /** Whether the contract was listed during the open day, and has no trade yet. */
  #isNew(symbol: string): boolean {
    return (this.#lanes.get(symbol)?.index ?? -1) < 0;
  }

  #finish(offer: Offer): 'done' {
    if (offer.notes !== null) this.#notes.finish(offer.notes);
    this.#ready.push(offer);
    return 'done';
  }

  #refuse(offer: Offer, why: Error): 'done' {
    this.#isHeldFull = false;
    this.#counters.offersRefused += 1;
    offer.reject(why);
    return 'done';
  }

  #endsDay(promise: EpochNs | null, now: EpochNs): boolean {
    if (promise === null) return false;
    const promiseNs = this.#nsSinceDay(promise);
    return promiseNs >= DAY_NS && promiseNs <= this.#believedNs(now);
  }

  /** The latest accepted source time. The offer's own watermark, if accepted, extends it. */
  #aheadNs(promise: EpochNs | null, now: EpochNs): number {
    const believedNs = this.#believedNs(now);
    const promiseNs = promise === null ? 0 : this.#nsSinceDay(promise);
    return promiseNs > believedNs ? believedNs : Math.max(believedNs, promiseNs + AHEAD_NS_MAX);
  }

  /** The latest accepted watermark, relative to the later of clock and current watermark. */
  #believedNs(now: EpochNs): number {
    return Math.max(this.#nsSinceDay(now), this.#promiseNs) + AHEAD_NS_MAX;
  }

  #nsSinceDay(instant: EpochNs): number {
    return Number(instant - BigInt(this.#day) * DAY_NS_BIG);
  }

  #lane(symbol: string, day: UtcDay): ContractLane | null {
    const lane = this.#lanes.get(symbol);
    if (lane !== undefined) return lane;
    // Never by a day that has ended: a contract that left the list must not return without its remembered feed numbers.
    const open = this.#isOver ? this.#day + 1 : this.#day;
    if (!this.#listed.has(symbol, dayFromNumber(Math.max(open, dayNumber(day))))) return null;
    const added = ContractLane.unnamed(symbol);
    this.#lanes.set(symbol, added);
    return added;
  }

  #nameLane(symbol: string, dedupe: DedupeWindow): void {
    const lane = new ContractLane(symbol, dedupe, this.#named.length);
    this.#lanes.set(symbol, lane);
    this.#named.push(lane);
  }
}

/** Rejected rows, without those whose numbers were known or too old. */
function rejectedBy(counters: SequencerCounters): number {
  const { badId, zeroSize, badSize, offTickPrice, badPrice } = counters;
  const { badTime, aheadOfTime, unknownSymbol } = counters;
  const unsound = badId + zeroSize + badSize + offTickPrice + badPrice + badTime;
  return unsound + aheadOfTime + unknownSymbol;
}
