/**
 * One replay: a study run over a period of the past with the output of the stream. It holds one page, one batch of
 * trades and the study; after the snapshot no object is stored.
 */

import { type Cursor, compareCursors, formatCursor, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { wholeSecond } from '@tapeloom/core/studies/flush-step';
import { firstRowAt, type TradeBatch } from '@tapeloom/core/trade-batch';
import { MINUTE_NS_BIG, SECOND_NS } from '@tapeloom/core/units';
import { epochNs } from '@tapeloom/core/utc-day';
import { type Block, joinByDay } from '../blocks/block.ts';
import type { BlockWriter } from '../blocks/block-writer.ts';
import { ChargedTrades } from './charged-trades.ts';
import { placeBefore } from './place-before.ts';
import type { ReplayPage, ReplayRequest } from './replay.ts';
import type { RunSource } from './run-source.ts';
import { type RunPace, readTo, startRun } from './run-start.ts';
import type { GrowingTape } from './sound-tape.ts';
import { TapeWalk } from './tape-walk.ts';
import type { TopicRun } from './topic-run.ts';

export interface PageLimits {
  /** The last second, or a snapshot, may exceed this. */
  readonly bytes: number;
  /** A page that covers this many trades ends even if it is empty. */
  readonly trades: number;
}

export const PAGE_LIMITS: PageLimits = { bytes: 65_536, trades: 200_000 };
/** Tape time without trades is passed in pieces of this length, since studies may publish much in it. */
const QUIET_PIECE_NS = MINUTE_NS_BIG;
/** Trades applied before other work of the thread runs. */
const TRADES_PER_TURN = 16_384;

export interface StudyReplaySetup {
  readonly tape: GrowingTape;
  readonly source: RunSource;
  readonly request: ReplayRequest;
  /** The time of the cursor's entry, or the requested time. */
  readonly from: EpochNs;
  readonly pace: RunPace;
  readonly limits: PageLimits;
  readonly writer: BlockWriter;
}

interface Begun {
  readonly run: TopicRun;
  readonly walk: TapeWalk;
  readonly charged: ChargedTrades;
  /** Updates up to here are skipped. */
  readonly after: Cursor;
}

/**
 * 1. It starts quietly at the last whole second not after its start, with a run that is right there. The flush that
 *    contains a cursor closes after that second, so nothing beyond the cursor is missed.
 * 2. After a cursor, it skips everything not beyond it, also inside the cursor's flush. At a time T, it reads to
 *    position(T), which need not be an edge, takes the snapshot there, and skips everything not beyond that position:
 *    the first flush after T contains only what changed after T.
 * 3. It publishes page by page, a second of tape time at a time, up to the last flush edge not after `until`. A page
 *    ends when it has enough bytes or covers enough trades. All its content was published at edges up to its position,
 *    and everything published up to there is in it or an earlier page.
 */
export class StudyReplay implements AsyncDisposable {
  readonly #setup: StudyReplaySetup;
  #blocks: Block[] = [];
  #bytes = 0;
  #until: EpochNs;
  #begun: Begun | null = null;
  /** Whether a flush beyond the start was found; all later flushes are beyond it. */
  #isBeyond = false;
  #reached: EpochNs;

  constructor(setup: StudyReplaySetup) {
    this.#setup = setup;
    this.#until = setup.request.until;
    this.#reached = wholeSecond(setup.from);
  }

  get hasBegun(): boolean {
    return this.#begun !== null;
  }

  /** Whether the state at the start is known yet. */
  get canBegin(): boolean {
    const { tape, source, request, from } = this.#setup;
    if (request.from.t === 'after') return true;
    const promise = tape.promiseOf(source.contract);
    return promise !== null && from <= promise;
  }

  /** Raises the instant from which nothing is shown; it never moves back. */
  raise(until: EpochNs): void {
    if (until > this.#until) this.#until = until;
  }

  /** Brings the run to the start, and takes the snapshot there if one is requested. */
  async begin(): Promise<void> {
    const { tape, source, request, from, pace, writer } = this.#setup;
    const { contract } = source;
    const run = await startRun(source, this.#reached, pace);
    const start = request.from.t === 'after' ? parseCursor(request.from.cursor)! : null;
    const place = start ?? (await placeBefore(tape, contract, from));
    const charged = new ChargedTrades(place, request.chargedBefore);
    let after = start;
    run.goLive(writer, (flush) => {
      // Until the start is known, everything lies before it.
      if (after !== null) this.#keep(flush, after);
    });
    if (request.from.t === 'at') {
      await readTo(source, run, from, pace);
      this.#reached = from;
      after = run.position;
      this.#add(run.lastSnapshot(request.from.depth, request.from.mode));
    } else {
      run.giveUpSnapshots();
    }
    const walk = new TapeWalk(tape, contract, run.place);
    this.#begun = { run, walk, charged, after: after! };
  }

  /** The next page; null if there is nothing to show because the tape ends before `until`. */
  async page(): Promise<ReplayPage | null> {
    const begun = this.#begun!;
    const { run, charged, after } = begun;
    const covered = await this.#fill(begun);
    const isLast = this.#reached >= this.#until;
    if (!isLast && covered === 0 && this.#blocks.length === 0) return null;
    const position = compareCursors(run.closed, after) < 0 ? after : run.closed;
    const blocks = joinByDay(this.#blocks).map(({ parts }) => parts);
    this.#blocks = [];
    this.#bytes = 0;
    const chargedTrades = charged.tell(position);
    return { blocks, position: formatCursor(position), chargedTrades, isLast };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const begun = this.#begun;
    this.#begun = null;
    await begun?.walk[Symbol.asyncDispose]();
  }

  /** Runs until the page is full, the replay is over or the tape ends; returns the number of trades taken. */
  async #fill(begun: Begun): Promise<number> {
    const { pace, limits } = this.#setup;
    let covered = 0;
    let yieldAt = TRADES_PER_TURN;
    while (this.#bytes < limits.bytes && covered < limits.trades) {
      if (this.#reached >= this.#until) break;
      pace.signal.throwIfAborted();
      const next = await begun.walk.look();
      await this.#learnDays(next, begun.walk.readTo);
      const reachedBefore = this.#reached;
      const taken = next === null ? 0 : this.#takeSecond(begun, next);
      if (next === null) this.#passQuiet(begun.run, begun.walk.readTo);
      if (taken === 0 && this.#reached === reachedBefore) break;
      covered += taken;
      if (covered < yieldAt) continue;
      yieldAt = covered + TRADES_PER_TURN;
      await pace.yieldTurn();
    }
    return covered;
  }

  /** Looks up days and gaps up to the next trades, or up to where the tape has no more. */
  async #learnDays(next: TradeBatch | null, readTo: EpochNs | null): Promise<void> {
    const { days } = this.#setup.source;
    if (next !== null) await days.learnFor(next);
    else if (readTo !== null) await days.learn(readTo);
  }

  /** Takes the trades of the second that contains the next trade; returns their number. */
  #takeSecond({ run, walk, charged }: Begun, next: TradeBatch): number {
    const at = epochNs(next.day, next.ts[0]!);
    const second = wholeSecond(at);
    if (second > this.#reached) {
      this.#passQuiet(run, second);
      return 0;
    }
    const end = (second + BigInt(SECOND_NS)) as EpochNs;
    const to = end < this.#until ? end : this.#until;
    const count = firstRowAt(next.ts, 0, next.count, Number(to - epochNs(next.day, 0)));
    if (count > 0) {
      const trades = walk.take(count);
      run.take(trades);
      charged.see(trades);
    }
    // More trades of this second may follow in the next batch.
    if (count < next.count) this.#advance(run, to);
    return count;
  }

  /** No trade comes before `to`: advances to it, or a piece of the way. */
  #passQuiet(run: TopicRun, to: EpochNs | null): void {
    if (to === null) return;
    const piece = (wholeSecond(this.#reached) + QUIET_PIECE_NS) as EpochNs;
    const target = to < piece ? to : piece;
    this.#advance(run, target < this.#until ? target : this.#until);
  }

  #advance(run: TopicRun, to: EpochNs): void {
    if (to <= this.#reached) return;
    run.advance(to);
    this.#reached = to;
  }

  #keep(flush: Block, after: Cursor): void {
    const from = this.#isBeyond ? 0 : flush.countUpTo(after);
    if (from === flush.count) return;
    this.#isBeyond = true;
    this.#add(flush.slice(from));
  }

  #add(block: Block): void {
    this.#blocks.push(block);
    this.#bytes += block.text.length;
  }
}
