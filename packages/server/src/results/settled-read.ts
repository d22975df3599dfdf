/**
 * Computes settled days over a tape, in ascending order: one run of the study is carried from day to day,
 * so that a long look-back is paid once; days may be left out. A day comes as one piece, or as several
 * when it has very many lines, each made only when it is asked for; nothing runs ahead.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { sliceBatch } from '@tapeloom/core/trade-batch';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import type { Lines, SettledLines } from '../runs/day-lines.ts';
import { DayLines } from '../runs/day-lines.ts';
import { firstDayRead } from '../runs/look-back.ts';
import { placeBefore } from '../runs/place-before.ts';
import type { RunSource } from '../runs/run-source.ts';
import { beginSettled, type RunPace, readTo } from '../runs/run-start.ts';
import type { SettledRun } from '../runs/settled-run.ts';
import { lastDayBefore } from '../runs/tape-days.ts';

/** A piece is full from so many bytes of lines on. */
export const PIECE_BYTES = 8 * 1024 * 1024;
/** Trades applied at a time, before the piece and the signal are looked at. */
const STEP_ROWS = { first: 4_096, min: 64, max: 16_384 } as const;
/** Steps are shorter where they give more lines than this. */
const STEP_BYTES = 64 * 1024;
/** Trades applied, or bytes of lines made of them, before other work of the thread may get a turn: about a
 * millisecond. */
const PER_TURN = { rows: 16_384, bytes: 64 * 1024 } as const;

/**
 * The newest run of each indicator stays alive: when the last one goes, a garbage collection forgets how
 * their objects are laid out, and with it all code compiled for them; the next read would be slow again.
 */
const newestRuns = new Map<string, SettledRun>();

/** All lines of a day, or of the next part of it. */
export interface DayPiece {
  readonly settled: SettledLines;
  /** Trades of the day that the piece covers, by rank. */
  readonly trades: number;
  /** As `DayResult` says, of the day so far. */
  readonly isWarm: boolean;
  /** With the last piece of a day: the objects that form at its end. */
  readonly tail: Lines | null;
  /** Where it lies in its day; null when the day was not read from its start on. */
  readonly place: PiecePlace | null;
}

/** Ends of pieces have names: the same name, the same lines and trades before it. */
export interface PiecePlace {
  /** The end of the piece before; null for the first. */
  readonly after: string | null;
  /** Null for the last. */
  readonly end: string | null;
}

/** Of the only piece of a day. */
export const WHOLE_DAY: PiecePlace = { after: null, end: null };

/** A day that was read to the trade of this rank, or beyond it with nothing between. */
export interface PausedDay {
  readonly day: UtcDay;
  readonly source: RunSource;
  readonly run: SettledRun | null;
  readonly rank: number;
}

export interface SettledReadOptions {
  readonly source: RunSource;
  readonly pace: RunPace;
  /** When a piece is full, if not as usual. */
  readonly pieceBytes?: number;
}

export class SettledRead implements Disposable {
  #source: RunSource;
  readonly #pace: RunPace;
  readonly #pieceBytes: number;
  readonly #lines = new DayLines();
  #stepRows: number = STEP_ROWS.first;
  /** What was done of a turn; it is over at 1. */
  #turnDone = 0;
  #run: SettledRun | null = null;
  /** The run stands at this day's midnight. */
  #day: UtcDay | null = null;
  /** Of the day that is being read: the last trade handed out. */
  #rank = 0;
  /** Where the next piece begins; undefined when the day was not read from its start on. */
  #after: string | null | undefined = null;

  constructor({ source, pace, pieceBytes = PIECE_BYTES }: SettledReadOptions) {
    this.#source = source;
    this.#pace = pace;
    this.#pieceBytes = pieceBytes;
  }

  /**
   * The settled updates in (D.0.0, position(end)], `end` being at most the day's end. Days ascend, and
   * none follows one that was not read to its end.
   */
  async *pieces(day: UtcDay, end: EpochNs): AsyncGenerator<DayPiece> {
    const run = await this.#standAt(day);
    this.#rank = 0;
    this.#after = null;
    run.hear({ day, end, lines: this.#lines });
    yield* this.#heard(run, day, end);
  }

  /** The same of what follows on a day, whose run goes on here. */
  async *piecesAfter(paused: PausedDay, end: EpochNs): AsyncGenerator<DayPiece> {
    const { day, source, run, rank } = paused;
    this.#source = source;
    this.#run = run;
    this.#rank = rank;
    this.#after = undefined;
    run!.hearOn({ day, end, lines: this.#lines });
    yield* this.#heard(run!, day, end);
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }

  /** The run, which stands wherever the last piece ended: others may go on with it, unless days follow here. */
  get run(): SettledRun {
    return this.#run!;
  }

  async *#heard(run: SettledRun, day: UtcDay, end: EpochNs): AsyncGenerator<DayPiece> {
    this.#day = null;
    try {
      yield* this.#read(run, end);
    } finally {
      run.quiet();
    }
    const next = addDays(day, 1);
    if (end === epochNs(next, 0)) this.#day = next;
    const settled = this.#lines.take();
    const trades = (await tradesBefore(this.#source, day, end)) - this.#rank;
    const place = this.#place(null);
    yield { settled, trades, isWarm: run.wasWarm, tail: run.tail(this.#lines), place };
  }

  async #standAt(day: UtcDay): Promise<SettledRun> {
    const midnight = epochNs(day, 0);
    const run = this.#run;
    if (run !== null && this.#day !== null) {
      if (this.#day === day) return run;
      if (firstDayRead(this.#source, day) <= this.#day) {
        await readTo(this.#source, run, midnight, this.#pace);
        return run;
      }
    }
    const begun = await beginSettled(this.#source, midnight, this.#pace);
    this.#run = begun;
    newestRuns.set(this.#source.indicator.id, begun);
    return begun;
  }

  /** Brings the run to position(until); gives the pieces that become full on the way. */
  async *#read(run: SettledRun, until: EpochNs): AsyncGenerator<DayPiece> {
    const { tape, contract, days } = this.#source;
    const { yieldTurn, signal } = this.#pace;
    const lines = this.#lines;
    await days.learn(lastDayBefore(until));
    const to = await placeBefore(tape, contract, until);
    for await (const batch of tape.read(contract, run.place, to, true)) {
      for (let row = 0; row < batch.count; ) {
        signal.throwIfAborted();
        const end = Math.min(row + this.#stepRows, batch.count);
        const before = lines.byteLength;
        run.take(sliceBatch(batch, row, end));
        const stepBytes = lines.byteLength - before;
        this.#adapt(stepBytes);
        this.#turnDone += (end - row) / PER_TURN.rows + stepBytes / PER_TURN.bytes;
        row = end;
        if (lines.byteLength >= this.#pieceBytes) {
          const rank = batch.firstRank + end - 1;
          const trades = rank - this.#rank;
          this.#rank = rank;
          const settled = lines.take();
          const line = { rank: settled.ranks.at(-1)!, k: settled.ks.at(-1)! };
          const place = this.#place(endOfPiece(rank, line));
          yield { settled, trades, isWarm: run.wasWarm, tail: null, place };
        }
        if (this.#turnDone < 1) continue;
        this.#turnDone = 0;
        await yieldTurn();
      }
    }
    signal.throwIfAborted();
    run.advance(until);
  }

  /** Keeps steps, and what they add to a piece, short. */
  #place(end: string | null): PiecePlace | null {
    const after = this.#after;
    if (after === undefined) return null;
    this.#after = end;
    return { after, end };
  }

  #adapt(stepBytes: number): void {
    const { min, max } = STEP_ROWS;
    if (stepBytes > STEP_BYTES) this.#stepRows = Math.max(min, this.#stepRows >> 1);
    else if (stepBytes < STEP_BYTES / 4) this.#stepRows = Math.min(max, this.#stepRows << 1);
  }
}

/** Of a piece that covers the trades up to `rank`, by its last line. */
export function endOfPiece(rank: number, line: { rank: number; k: number }): string {
  return `${rank} ${line.rank}.${line.k}`;
}

/** The trades of a day before `end`, which is at most the day's end. */
export async function tradesBefore(
  { tape, contract }: Pick<RunSource, 'tape' | 'contract'>,
  day: UtcDay,
  end: EpochNs,
): Promise<number> {
  if (end < epochNs(addDays(day, 1), 0)) return (await placeBefore(tape, contract, end)).rank;
  return (await tape.days(contract)).find((one) => one.day === day)?.trades ?? 0;
}
