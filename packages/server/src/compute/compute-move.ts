/**
 * What of an answer moves to another thread instead of being copied. Memory that holds nothing but one
 * column moves; a column that is a part of more is copied out first, since the whole would be copied.
 */

import type { DayResult } from '../results/settled-days.ts';
import type { Lines, SettledLines } from '../runs/day-lines.ts';
import type { ComputeAnswer } from './compute-wire.ts';

/** A copy in memory of its own; the method of the same name that a `Buffer` has gives a view. */
const { slice } = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;

type Column = Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

export interface Moved {
  readonly answer: ComputeAnswer;
  readonly moves: readonly ArrayBuffer[];
}

export function moved(answer: ComputeAnswer): Moved {
  if (typeof answer !== 'object' || answer === null) return { answer, moves: [] };
  const moves = new Set<ArrayBuffer>();
  const own = <C extends Column>(column: C): C => {
    const isWhole = column.byteLength === column.buffer.byteLength;
    const owned =
      isWhole && !moves.has(column.buffer) ? column : (slice.call(column) as unknown as C);
    moves.add(owned.buffer);
    return owned;
  };
  if ('settled' in answer) return { answer: ownDay(answer, own), moves: [...moves] };
  if ('blocks' in answer) return { answer, moves: answer.blocks.map(({ memory }) => memory) };
  return { answer, moves: [] };
}

type Own = <C extends Column>(column: C) => C;

function ownDay(day: DayResult, own: Own): DayResult {
  const { settled, tail, frame } = day;
  return {
    ...day,
    settled: ownSettled(settled, own),
    tail: ownLines(tail, own),
    frame: frame === null ? null : own(frame),
  };
}

function ownSettled(lines: SettledLines, own: Own): SettledLines {
  const { ranks, ks, fromNs } = lines;
  return { ...ownLines(lines, own), ranks: own(ranks), ks: own(ks), fromNs: own(fromNs) };
}

function ownLines({ bytes, ends }: Lines, own: Own): Lines {
  return { bytes: own(bytes), ends: own(ends) };
}
