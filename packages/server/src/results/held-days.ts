/**
 * Days that are not on disk as results, held in memory as far as they were read: their lines, and the run
 * where it stands. Who asks for the same day again gets the lines that are there, and only what came after
 * is computed; page after page, and minute after minute, a long day is read once. A day is in one hand at
 * a time: whoever takes it out has it alone, and puts it back when it stands again. It serves while the days
 * before it that it was made of are on the tape, and no others.
 *
 * Memory is bounded by bytes and by days, those used longest ago go first. Of a day with very many lines
 * the first ones are let go: what is left serves those who read on.
 */

import { type Cursor, compareCursors } from '@tapeloom/core/cursor';
import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { nsOfDay } from '@tapeloom/core/utc-day';
import type { Lines, SettledLines } from '../runs/day-lines.ts';
import {
  copiedLines,
  copiedSettled,
  joinLines,
  linesUntil,
  noSettledLines,
} from '../runs/day-lines.ts';
import type { RunSource } from '../runs/run-source.ts';
import type { SettledRun } from '../runs/settled-run.ts';
import type { SettledDaysRequest } from './settled-days.ts';
import { type DayPiece, type PausedDay, WHOLE_DAY } from './settled-read.ts';

export interface HeldDaysLimits {
  readonly days: number;
  readonly bytes: number;
  readonly bytesPerDay: number;
}

const LIMITS: HeldDaysLimits = {
  days: 32,
  bytes: 64 * 1024 * 1024,
  bytesPerDay: 24 * 1024 * 1024,
};
/** What a line takes in the columns. */
const COLUMN_BYTES = 20;

interface HeldPiece {
  readonly settled: SettledLines;
  /** The last trade of the day it covers. */
  readonly rank: number;
  readonly isWarm: boolean;
}

export class HeldDay implements PausedDay {
  readonly day: UtcDay;
  readonly source: RunSource;
  /** Which days before it were read. */
  readonly inputs: string;
  /** Null when the day was read to its end: nothing follows. */
  run: SettledRun | null = null;
  readonly #bytesMax: number;
  #pieces: HeldPiece[] = [];
  /** The last line that was let go. */
  #letGo: Cursor | null = null;
  /** Nothing after position(reached) is here. */
  #reached: EpochNs | null = null;
  /** Whether all up to there is: then also what forms there. */
  #tail: Lines | null = null;

  constructor(day: UtcDay, source: RunSource, inputs = '', bytesMax = LIMITS.bytesPerDay) {
    this.day = day;
    this.source = source;
    this.inputs = inputs;
    this.#bytesMax = bytesMax;
  }

  get reached(): EpochNs | null {
    return this.#reached;
  }

  get bytes(): number {
    const pieces = this.#pieces.reduce((sum, { settled }) => sum + bytesOf(settled), 0);
    return pieces + (this.#tail?.bytes.length ?? 0);
  }

  /** The last trade it covers. */
  get rank(): number {
    return this.#pieces.at(-1)?.rank ?? 0;
  }

  /** Whether its lines, and what comes by going on, are what is asked for. */
  serves(end: EpochNs, hasTail: boolean, after: Cursor | null): boolean {
    if (this.#letGo !== null && (after === null || compareCursors(after, this.#letGo) < 0)) {
      return false;
    }
    if (this.#reached === null || end === this.#reached) return true;
    if (end > this.#reached) return this.run !== null;
    // Of a part that was warm too, nothing is known but that.
    return this.#tail !== null && this.#pieces.at(-1)!.isWarm && !hasTail;
  }

  /** Whether it has all up to position(end). */
  covers(end: EpochNs): boolean {
    return this.#tail !== null && end <= this.#reached!;
  }

  /**
   * Copies of what it has up to position(end), `trades` of the day being before that; what is not after a
   * cursor may be left out.
   */
  *pieces(end: EpochNs, trades: number, after: Cursor | null): Generator<DayPiece> {
    const isAll = this.covers(end);
    const isCut = isAll && end < this.#reached!;
    let rank = 0;
    for (const [at, piece] of this.#pieces.entries()) {
      const isLast = at === this.#pieces.length - 1;
      const isLeftOut = after !== null && isPassed(this.day, piece, after);
      // The trades of those that are left out count with the next.
      if (isLeftOut && !isLast) continue;
      const lines = isCut ? linesUntil(piece.settled, nsOfDay(end)) : piece.settled;
      const settled = isLeftOut ? noSettledLines() : copiedSettled(lines);
      const covered = isAll && isLast ? trades : Math.min(piece.rank, trades);
      const tail = isAll && isLast && !isCut ? copiedLines(this.#tail!) : null;
      const isOnly = tail !== null && at === 0 && !isLeftOut && this.#letGo === null;
      const place = isOnly ? WHOLE_DAY : null;
      yield { settled, trades: covered - rank, isWarm: piece.isWarm, tail, place };
      rank = covered;
    }
  }

  /** The next piece, read on the way to position(end); what it is made of may be moved away afterwards. */
  add({ settled, trades, isWarm, tail }: DayPiece, end: EpochNs, joinBytes: number): void {
    const before = this.#pieces.at(-1);
    const rank = (before?.rank ?? 0) + trades;
    const isJoined =
      before !== undefined && before.settled.bytes.length + settled.bytes.length < joinBytes;
    if (isJoined) this.#pieces.pop();
    const lines = isJoined ? joinLines(before.settled, settled) : copiedSettled(settled);
    this.#pieces.push({ settled: lines, rank, isWarm });
    this.#reached = end;
    this.#tail = tail === null ? null : copiedLines(tail);
    while (this.#pieces.length > 1 && this.bytes > this.#bytesMax) this.#letFirstGo();
  }

  #letFirstGo(): void {
    const { settled } = this.#pieces.shift()!;
    this.#letGo = lastCursor(this.day, settled) ?? this.#letGo;
  }
}

export class HeldDays {
  readonly #limits: HeldDaysLimits;
  /** Those used last are last. */
  readonly #days = new Map<string, HeldDay>();
  #bytes = 0;

  constructor(limits: Partial<HeldDaysLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  get counts(): { readonly days: number; readonly bytes: number } {
    return { days: this.#days.size, bytes: this.#bytes };
  }

  create(day: UtcDay, source: RunSource, inputs: string): HeldDay {
    return new HeldDay(day, source, inputs, this.#limits.bytesPerDay);
  }

  /** What is held of a day, if it serves; then it is the caller's alone. */
  take(
    request: SettledDaysRequest,
    inputs: string,
    day: UtcDay,
    ...asked: Parameters<HeldDay['serves']>
  ): HeldDay | null {
    const key = keyOf(request, day);
    const held = this.#days.get(key);
    if (held === undefined || held.inputs !== inputs || !held.serves(...asked)) return null;
    this.#remove(key, held);
    return held;
  }

  /** Of two that were read side by side the one that came further stays. */
  put(request: SettledDaysRequest, held: HeldDay): void {
    const key = keyOf(request, held.day);
    const other = this.#days.get(key);
    if (other !== undefined) {
      if (other.inputs === held.inputs && (other.reached ?? 0n) > (held.reached ?? 0n)) return;
      this.#remove(key, other);
    }
    this.#days.set(key, held);
    this.#bytes += held.bytes;
    const { days, bytes } = this.#limits;
    for (const [oldest, one] of this.#days) {
      if (this.#days.size <= days && this.#bytes <= bytes) return;
      this.#remove(oldest, one);
    }
  }

  #remove(key: string, held: HeldDay): void {
    this.#days.delete(key);
    this.#bytes -= held.bytes;
  }
}

function keyOf({ contract, indicator, params }: SettledDaysRequest, day: UtcDay): string {
  return JSON.stringify([contract, day, indicator, params]);
}

function bytesOf({ bytes, ends }: SettledLines): number {
  return bytes.length + ends.length * COLUMN_BYTES;
}

/** Whether all lines of a piece are at a cursor or before. */
function isPassed(day: UtcDay, { settled }: HeldPiece, after: Cursor): boolean {
  const last = lastCursor(day, settled);
  return last === null || compareCursors(last, after) <= 0;
}

function lastCursor(day: UtcDay, { ranks, ks }: SettledLines): Cursor | null {
  const rank = ranks.at(-1);
  return rank === undefined ? null : { day, rank: rank as Rank, k: ks.at(-1)! };
}
