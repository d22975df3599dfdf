/**
 * Reads settled days in ascending order. One run of the study is carried from day to day, so a long look-back is paid
 * once; days may be left out. A day is read only as far as requested. Only the first trades of a day are fetched ahead,
 * while the run gets there.
 */

import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { BlockWriter } from '../blocks/block-writer.ts';
import { firstDayRead } from '../runs/look-back.ts';
import { placeBefore } from '../runs/place-before.ts';
import type { RunSource } from '../runs/run-source.ts';
import { beginSettled, type RunPace, readTo } from '../runs/run-start.ts';
import type { SettledRun } from '../runs/settled-run.ts';
import type { DayLog } from './day-log.ts';

/** Trades applied per step; after each step the blocks and the signal are checked. */
const STEP_ROWS = { first: 4_096, min: 64, max: 16_384 } as const;
/** Steps become shorter if they produce more text than this. */
const STEP_BYTES = 64 * 1024;
/** Trades applied, or bytes of text produced, before other work of the thread may run: about a millisecond. */
const PER_TURN = { rows: 16_384, bytes: 64 * 1024 } as const;

/**
 * The newest run of each indicator stays referenced. Without any, a garbage collection drops the layout of their
 * objects and all code compiled for them, and the next read is slow again.
 */
const newestRuns = new Map<string, SettledRun>();

export class SettledRead implements Disposable {
  #source: RunSource;
  readonly #pace: RunPace;
  readonly #writer = new BlockWriter();
  #stepRows: number = STEP_ROWS.first;
  /** The share of a time slice that is used; it ends at 1. */
  #turnDone = 0;
  /** A run that stands at this day's midnight. */
  #carried: { readonly day: UtcDay; readonly run: SettledRun } | null = null;

  constructor(source: RunSource, pace: RunPace) {
    this.#source = source;
    this.#pace = pace;
  }

  /**
   * Brings a log to position(end), where `end` is at most the day's end; yields whenever blocks are finished. The
   * caller may stop there and continue later. Days must ascend.
   */
  async *readOn(log: DayLog, end: EpochNs): AsyncGenerator<void> {
    const writer = this.#writer;
    const { day } = log;
    const hearing = { day, end, output: log.output(writer) };
    const source = log.run === null ? this.#source : log.source;
    // The day's trades are fetched while a new run gets to midnight.
    const from = log.run?.place ?? { day, rank: 0 as Rank };
    const to = await placeBefore(source.tape, source.contract, end);
    await using trades = new TradesAhead(source.tape.read(source.contract, from, to, true));
    if (log.run === null) {
      log.run = await this.#standAt(day);
      log.source = source;
      log.run.hear(hearing);
    } else log.run.hearOn(hearing);
    const { run } = log;
    this.#carried = null;
    try {
      await source.days.learn(end);
      yield* this.#read(log, run, trades);
      this.#pace.signal.throwIfAborted();
      run.advance(end);
      log.isWarm = run.wasWarm;
      log.standAt(end, writer);
    } finally {
      run.quiet();
      log.pause(writer);
    }
    if (!log.isOver) return;
    log.run = null;
    this.#source = source;
    this.#carried = { day: addDays(day, 1), run };
  }

  [Symbol.dispose](): void {
    this.#writer[Symbol.dispose]();
  }

  async #standAt(day: UtcDay): Promise<SettledRun> {
    const midnight = epochNs(day, 0);
    const carried = this.#carried;
    if (carried?.day === day) return carried.run;
    if (carried !== null && firstDayRead(this.#source, day) <= carried.day) {
      await readTo(this.#source, carried.run, midnight, this.#pace);
      return carried.run;
    }
    const begun = await beginSettled(this.#source, midnight, this.#pace);
    newestRuns.set(this.#source.indicator.id, begun);
    return begun;
  }

  async *#read(log: DayLog, run: SettledRun, trades: TradesAhead): AsyncGenerator<void> {
    const { yieldTurn, signal } = this.#pace;
    const writer = this.#writer;
    for await (const batch of trades.batches()) {
      for (let row = 0; row < batch.count; ) {
        signal.throwIfAborted();
        const end = Math.min(row + this.#stepRows, batch.count);
        const [finished, before] = [log.finished, writer.textBytes];
        run.take(sliceBatch(batch, row, end));
        log.isWarm = run.wasWarm;
        log.passed(batch.firstRank + end - 1, epochNs(batch.day, batch.ts[end - 1]!), writer);
        const hasFinished = log.finished > finished;
        const stepBytes = hasFinished ? STEP_BYTES : writer.textBytes - before;
        this.#adapt(stepBytes);
        this.#turnDone += (end - row) / PER_TURN.rows + stepBytes / PER_TURN.bytes;
        row = end;
        if (hasFinished) yield;
        if (this.#turnDone < 1) continue;
        this.#turnDone = 0;
        await yieldTurn();
      }
    }
  }

  /** Keeps steps, and their additions to a block, short. */
  #adapt(stepBytes: number): void {
    const { min, max } = STEP_ROWS;
    if (stepBytes > STEP_BYTES) this.#stepRows = Math.max(min, this.#stepRows >> 1);
    else if (stepBytes < STEP_BYTES / 4) this.#stepRows = Math.min(max, this.#stepRows << 1);
  }
}

/** A read of trades that starts before the first request. */
class TradesAhead implements AsyncDisposable {
  readonly #read: AsyncIterator<TradeBatch>;
  readonly #first: Promise<IteratorResult<TradeBatch>>;

  constructor(trades: AsyncIterable<TradeBatch>) {
    this.#read = trades[Symbol.asyncIterator]();
    this.#first = this.#read.next();
    // The first batch may never be requested, so its failure must not be unhandled.
    this.#first.catch(() => {});
  }

  /** May be iterated once; a batch is valid until the next one is requested. */
  async *batches(): AsyncGenerator<TradeBatch> {
    for (let next = await this.#first; next.done !== true; next = await this.#read.next()) {
      yield next.value;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#read.return?.();
  }
}

/** The number of a day's trades before `end`, which is at most the day's end. */
export async function tradesBefore(
  { tape, contract }: Pick<RunSource, 'tape' | 'contract'>,
  day: UtcDay,
  end: EpochNs,
): Promise<number> {
  if (end < epochNs(addDays(day, 1), 0)) return (await placeBefore(tape, contract, end)).rank;
  return (await tape.days(contract)).find((one) => one.day === day)?.trades ?? 0;
}
