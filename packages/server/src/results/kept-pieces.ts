/**
 * Days that are kept, handed out piece by piece, each found by the end of the one before. Where one is
 * missing the day is computed, and of that only what was not handed out yet: pieces of different runs need
 * not end at the same places.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { nsOfDay } from '@tapeloom/core/utc-day';
import { freeMemory } from '../platform/free-memory.ts';
import type { Lines, SettledLines } from '../runs/day-lines.ts';
import { compressLines, countUntil, linesFrom, linesUntil, noLines } from '../runs/day-lines.ts';
import type { RunSource } from '../runs/run-source.ts';
import type { TapeDay } from '../tape/tape.ts';
import type { ResultCache } from './result-cache.ts';
import type { ResultKey } from './result-cache-file.ts';
import type { DayResult, DaysPosition, SettledDaysRequest } from './settled-days.ts';
import type { ResultInputs } from './settled-inputs.ts';
import { type DayPiece, endOfPiece, tradesBefore } from './settled-read.ts';

export interface AskedDay {
  readonly request: SettledDaysRequest;
  readonly source: RunSource;
  readonly day: UtcDay;
  /** The day's end, or `until` where that comes before. */
  readonly end: EpochNs;
  readonly isWhole: boolean;
  readonly onTape: ReadonlyMap<UtcDay, TapeDay>;
}

/** The results of one day of one configuration in the cache. */
export interface KeptDay {
  readonly results: ResultCache;
  readonly key: Omit<ResultKey, 'after'>;
  readonly inputs: ResultInputs;
}

interface KeptPiece {
  readonly end: string | null;
  readonly trades: number;
  readonly isWarm: boolean;
  readonly settled: SettledLines;
  readonly frame: Uint8Array<ArrayBuffer> | null;
  readonly tail: Lines;
}

/** How much of a day was handed out. */
export class HandedOut {
  /** Nothing of what was asked for follows. */
  isAll = false;
  /** The last trade, and the last line. */
  rank: number;
  #line: DaysPosition['line'];
  /** The last trade that was read when the day is computed from its start on. */
  #readRank = 0;

  constructor({ trades, line }: Pick<DaysPosition, 'trades' | 'line'> = { trades: 0, line: null }) {
    this.rank = trades;
    this.#line = line;
  }

  /** What the next piece is found by, if one begins here; null for the first. */
  get end(): string | null {
    return this.#line === null ? null : endOfPiece(this.rank, this.#line);
  }

  note(trades: number, { ranks, ks }: SettledLines): void {
    this.rank += trades;
    const rank = ranks.at(-1);
    if (rank !== undefined) this.#line = { rank, k: ks.at(-1)! };
  }

  /** What of the next piece that was read was not handed out; null when nothing is left of it. */
  rest(piece: DayPiece): DayPiece | null {
    const before = Math.max(this.#readRank, this.rank);
    this.#readRank += piece.trades;
    if (this.#line === null && this.rank === 0) return piece;
    const { ranks, ks } = piece.settled;
    let passed = 0;
    while (passed < ranks.length && this.#isPassed(ranks[passed]!, ks[passed]!)) passed += 1;
    const trades = Math.max(0, this.#readRank - before);
    if (passed === ranks.length && trades === 0 && piece.tail === null) return null;
    return { ...piece, settled: linesFrom(piece.settled, passed), trades, place: null };
  }

  #isPassed(rank: number, k: number): boolean {
    const last = this.#line;
    return last !== null && (rank < last.rank || (rank === last.rank && k <= last.k));
  }
}

/** What is kept of a day after what was handed out of it, as far as pieces follow each other. */
export async function* keptPieces(
  asked: AskedDay,
  kept: KeptDay,
  handedOut: HandedOut,
): AsyncGenerator<DayResult> {
  const { request, source, day, end, isWhole } = asked;
  const before = isWhole ? Number.POSITIVE_INFINITY : await tradesBefore(source, day, end);
  const isTailWanted = request.hasTail && end === request.until;
  for (let after = handedOut.end; ; ) {
    const piece = await findPiece(asked, kept, after);
    if (piece === null) return;
    const { settled, frame, isWarm } = piece;
    const rank = handedOut.rank + piece.trades;
    // Of a part of the day: what is due by its end may come with the first trade after it.
    const isLast = piece.end === null || rank > before;
    const trades = Math.min(isLast && !isWhole ? before : rank, before) - handedOut.rank;
    handedOut.note(trades, settled);
    handedOut.isAll = isLast;
    const isComplete = isWhole && after === null && isLast;
    const tail = isTailWanted && isLast ? piece.tail : noLines();
    yield { day, trades, isComplete, settled, frame, tail, isWarm };
    if (isLast) return;
    after = piece.end;
  }
}

/** Lines of a whole day that is kept, of those after an instant; null when it is not, or not all of it. */
export async function countKept(
  { results, key, inputs }: KeptDay,
  afterNs: number | null,
): Promise<number | null> {
  let lines = 0;
  for (let after: string | null = null; ; ) {
    const piece = await countPiece({ ...key, after });
    if (piece?.isWarm !== true) return null;
    lines += piece.lines;
    if (piece.end === null) return lines;
    after = piece.end;
  }

  async function countPiece(own: ResultKey) {
    if (afterNs === null) return await results.count(own, inputs);
    const found = await results.find(own, inputs);
    if (found === null) return null;
    const { fromNs } = found.columns;
    return { ...found, lines: fromNs.length - countUntil(fromNs, afterNs) };
  }
}

/** Keeps a piece of a whole day; its frame where that was made already. */
export function keepPiece(
  { results, key, inputs }: KeptDay,
  { settled, trades, isWarm, tail, place }: DayPiece,
  frame: Uint8Array | null | undefined,
): void {
  if (place === null) return;
  const { after, end } = place;
  const computed = { end, trades, isWarm, settled, tail: tail ?? noLines() };
  results.keep({ ...key, after }, inputs, frame === undefined ? computed : { ...computed, frame });
}

async function findPiece(
  { request, end, isWhole }: AskedDay,
  { results, key, inputs }: KeptDay,
  after: string | null,
): Promise<KeptPiece | null> {
  const isFrame = request.form === 'frames';
  if (isWhole && isFrame) {
    const kept = await results.find({ ...key, after }, inputs);
    if (kept === null) return null;
    const settled = { ...kept.columns, bytes: new Uint8Array(0) };
    const frame = kept.frame === null ? null : new Uint8Array(kept.frame);
    if (kept.frame !== null) freeMemory(kept.frame.buffer);
    return { ...kept, settled, frame };
  }
  const kept = await results.findExpanded({ ...key, after }, inputs);
  if (kept === null || isWhole) return kept === null ? null : { ...kept, frame: null };
  // Kept for the whole day: a part of it may have been warm.
  if (!kept.isWarm) return null;
  const lines = linesUntil(kept.settled, nsOfDay(end));
  if (!isFrame) return { ...kept, settled: lines, frame: null };
  const settled = { ...lines, bytes: new Uint8Array(0) };
  return { ...kept, settled, frame: await compressLines(lines.bytes) };
}
