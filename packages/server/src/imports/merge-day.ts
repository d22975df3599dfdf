/**
 * A day on the tape and what a file has of it, as one day. Where both surely have all trades they must agree, trade by
 * trade. Elsewhere a trade that stands on one side only is added, and one that stands on both is one; but for where one
 * ends and the other begins: there equal trades may be two, which nobody can tell who was not told.
 */

import type { Rank } from '@tapeloom/core/numbers';
import { allocateBatch, firstRowAt, type TradeBatch } from '@tapeloom/core/trade-batch';
import type { DaySpan } from '../tape/tape.ts';

export interface PlainTrade {
  /** Of the day. */
  readonly ns: number;
  /** Ticks and lots. */
  readonly price: number;
  readonly size: number;
  readonly side: number;
}

/** The first trades that differ; null: there is none any more. */
export interface Difference {
  readonly here: PlainTrade | null;
  readonly there: PlainTrade | null;
}

/** Null when both have the same trades in these spans. */
export function firstDifference(
  here: TradeBatch,
  there: TradeBatch,
  spans: readonly DaySpan[],
): Difference | null {
  for (const [from, to] of spans) {
    let [a, b] = [rowAt(here, from), rowAt(there, from)];
    const [endA, endB] = [rowAt(here, to), rowAt(there, to)];
    while (a < endA && b < endB && isSame(here, a, there, b)) {
      a += 1;
      b += 1;
    }
    if (a === endA && b === endB) continue;
    return {
      here: a < endA ? tradeAt(here, a) : null,
      there: b < endB ? tradeAt(there, b) : null,
    };
  }
  return null;
}

/** The first trade there, in these spans, that is not here; null: there is none. */
export function firstOther(
  here: TradeBatch,
  there: TradeBatch,
  spans: readonly DaySpan[],
): PlainTrade | null {
  for (const [from, to] of spans) {
    const [a, endA] = [rowAt(here, from), rowAt(here, to)];
    const free = new Set(Array.from({ length: endA - a }, (_, index) => a + index));
    for (let row = rowAt(there, from); row < rowAt(there, to); row += 1) {
      const equal = free.values().find((one) => isSame(here, one, there, row));
      if (equal === undefined) return tradeAt(there, row);
      free.delete(equal);
    }
  }
  return null;
}

/** The day without its trades in these spans. */
export function withoutSpans(day: TradeBatch, spans: readonly DaySpan[]): TradeBatch {
  const kept = allocateBatch(day.day, 1 as Rank, day.count);
  let from = 0;
  for (const [begin, end] of spans) {
    appendRows(kept, day, from, rowAt(day, begin));
    from = rowAt(day, end);
  }
  appendRows(kept, day, from, day.count);
  return kept;
}

/** Where one ends and the other begins. */
export interface Meeting {
  readonly span: DaySpan;
  /** Of trades at one time, those there come first. */
  readonly isFileFirst: boolean;
}

/** Of two equal trades, one here and one there, where both meet; null: nobody has said. */
export type EqualsAtEdges = 'one' | 'two' | null;

/** A trade that both have where they meet: whether it is one or two has to be said. */
export class EqualAtEdgeError extends Error {
  readonly trade: PlainTrade;

  constructor(trade: PlainTrade) {
    super('equal trades where a file meets what is there');
    this.trade = trade;
  }
}

/** All trades of both; of those at one time, the ones that are here come first, unless they meet there. */
export function joined(
  here: TradeBatch,
  there: TradeBatch,
  meetings: readonly Meeting[] = [],
  equals: EqualsAtEdges = null,
): TradeBatch {
  if (here.count === 0) return there;
  if (there.count === 0) return here;
  const all = allocateBatch(here.day, 1 as Rank, here.count + there.count);
  let [a, b] = [0, 0];
  while (a < here.count && b < there.count) {
    const [nsA, nsB] = [here.ts[a]!, there.ts[b]!];
    if (nsA !== nsB) {
      if (nsA < nsB) appendRows(all, here, a, ++a);
      else appendRows(all, there, b, ++b);
      continue;
    }
    const [endA, endB] = [endOfTime(here, a), endOfTime(there, b)];
    const meeting = meetings.find(({ span: [from, to] }) => nsA >= from && nsA < to);
    if (meeting === undefined || equals === 'one') {
      appendRows(all, here, a, endA);
      appendOthers(all, there, b, endB, here, a, endA);
    } else {
      if (equals === null) refuseEqual(here, a, endA, there, b, endB);
      if (meeting.isFileFirst) appendRows(all, there, b, endB);
      appendRows(all, here, a, endA);
      if (!meeting.isFileFirst) appendRows(all, there, b, endB);
    }
    [a, b] = [endA, endB];
  }
  appendRows(all, here, a, here.count);
  appendRows(all, there, b, there.count);
  return all;
}

/** Of the rows [b, endB) those that have no equal among [a, endA), each of which is the equal of one only. */
function appendOthers(
  all: ReturnType<typeof allocateBatch>,
  there: TradeBatch,
  b: number,
  endB: number,
  here: TradeBatch,
  a: number,
  endA: number,
): void {
  const free = new Set(Array.from({ length: endA - a }, (_, index) => a + index));
  for (let row = b; row < endB; row += 1) {
    const equal = free.values().find((one) => isSame(here, one, there, row));
    if (equal === undefined) appendRows(all, there, row, row + 1);
    else free.delete(equal);
  }
}

function refuseEqual(
  here: TradeBatch,
  a: number,
  endA: number,
  there: TradeBatch,
  b: number,
  endB: number,
): void {
  for (let row = b; row < endB; row += 1) {
    for (let one = a; one < endA; one += 1) {
      if (isSame(here, one, there, row)) throw new EqualAtEdgeError(tradeAt(here, one));
    }
  }
}

function appendRows(
  to: ReturnType<typeof allocateBatch>,
  from: TradeBatch,
  begin: number,
  end: number,
): void {
  if (begin >= end) return;
  if (end === begin + 1) {
    to.ts[to.count] = from.ts[begin]!;
    to.price[to.count] = from.price[begin]!;
    to.size[to.count] = from.size[begin]!;
    to.side[to.count] = from.side[begin]!;
  } else {
    to.ts.set(from.ts.subarray(begin, end), to.count);
    to.price.set(from.price.subarray(begin, end), to.count);
    to.size.set(from.size.subarray(begin, end), to.count);
    to.side.set(from.side.subarray(begin, end), to.count);
  }
  to.count += end - begin;
}

function endOfTime({ ts, count }: TradeBatch, row: number): number {
  let end = row + 1;
  while (end < count && ts[end] === ts[row]) end += 1;
  return end;
}

function rowAt({ ts, count }: TradeBatch, ns: number): number {
  return firstRowAt(ts, 0, count, ns);
}

function isSame(a: TradeBatch, rowA: number, b: TradeBatch, rowB: number): boolean {
  return (
    a.ts[rowA] === b.ts[rowB] &&
    a.price[rowA] === b.price[rowB] &&
    a.size[rowA] === b.size[rowB] &&
    a.side[rowA] === b.side[rowB]
  );
}

function tradeAt({ ts, price, size, side }: TradeBatch, row: number): PlainTrade {
  return { ns: ts[row]!, price: price[row]!, size: size[row]!, side: side[row]! };
}
