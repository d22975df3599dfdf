/**
 * Merges a day on the tape with a file's trades of that day. Where both certainly have all trades, they must agree
 * trade by trade. Elsewhere a trade on one side only is added, and a trade on both sides is one. The exception is where
 * one ends and the other begins: there equal trades may be two, which only the operator can decide.
 */

import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { allocateBatch, firstRowAt, type TradeBatch } from '@tapeloom/core/trade-batch';
import { DayRows } from '../feeds/day-rows.ts';
import type { PlainTrade } from '../tape/imported/imported-manifest.ts';
import type { DaySpan } from '../tape/tape.ts';

/** The first trades that differ; null: that side has no more trades. */
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

/** The first trade of `there`, in these spans, that is not in `here`; null: none. */
export function firstOther(
  here: TradeBatch,
  there: TradeBatch,
  spans: readonly DaySpan[],
): PlainTrade | null {
  for (const [from, to] of spans) {
    let [a, b] = [rowAt(here, from), rowAt(there, from)];
    const end = rowAt(there, to);
    while (b < end) {
      // Time by time, so that a whole day costs little more than one visit per trade.
      while (a < here.count && here.ts[a]! < there.ts[b]!) a += 1;
      const [endA, endB] = [
        here.ts[a] === there.ts[b] ? endOfTime(here, a) : a,
        endOfTime(there, b),
      ];
      const other = othersAt(here, a, endA, there, b, endB).others[0];
      if (other !== undefined) return tradeAt(there, other);
      [a, b] = [endA, endB];
    }
  }
  return null;
}

export function countIn(day: TradeBatch, spans: readonly DaySpan[]): number {
  return spans.reduce((sum, [from, to]) => sum + rowAt(day, to) - rowAt(day, from), 0);
}

/** These trades as rows, ordered by time. */
export function rowsOf(day: UtcDay, trades: readonly PlainTrade[]): DayRows {
  const rows = new DayRows(day);
  for (const { ns, price, size, side } of trades) rows.add(ns, price, size, side);
  rows.sort();
  return rows;
}

export function tradesIn(day: TradeBatch, [from, to]: DaySpan): readonly PlainTrade[] {
  const [begin, end] = [rowAt(day, from), rowAt(day, to)];
  return Array.from({ length: end - begin }, (_, index) => tradeAt(day, begin + index));
}

/** The day without these trades; each removes one equal trade. */
export function withoutTrades(day: TradeBatch, gone: readonly PlainTrade[]): TradeBatch {
  const rows = new Set<number>();
  for (const { ns, price, size, side } of gone) {
    for (let row = rowAt(day, ns); row < day.count && day.ts[row] === ns; row += 1) {
      if (day.price[row] !== price || day.size[row] !== size || day.side[row] !== side) continue;
      if (rows.has(row)) continue;
      rows.add(row);
      break;
    }
  }
  const kept = allocateBatch(day.day, 1 as Rank, day.count);
  let from = 0;
  for (const row of [...rows].sort((one, other) => one - other)) {
    appendRows(kept, day, from, row);
    from = row + 1;
  }
  appendRows(kept, day, from, day.count);
  return kept;
}

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

/** Where one side ends and the other begins. */
export interface Meeting {
  readonly span: DaySpan;
  /** At equal times, the trades of `there` come first. */
  readonly isFileFirst: boolean;
  readonly equals: EqualsAtEdges;
}

/** Whether two equal trades, one on each side of a meeting, are one or two; null: not declared. */
export type EqualsAtEdges = 'one' | 'two' | null;

/** Both sides have an equal trade where they meet: the operator must declare whether it is one or two. */
export class EqualAtEdgeError extends Error {
  readonly trade: PlainTrade;

  constructor(trade: PlainTrade) {
    super('equal trades where a file meets existing days');
    this.trade = trade;
  }
}

/** All trades of both. At equal times those of `here` come first, except at meetings. */
export function joined(
  here: TradeBatch,
  there: TradeBatch,
  meetings: readonly Meeting[] = [],
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
    if (meeting === undefined || meeting.equals === 'one') {
      appendAll(all, here, a, endA, there, b, endB);
    } else {
      if (meeting.equals === null) refuseEqual(here, a, endA, there, b, endB);
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

/** Each trade as often as on the side with more. A side that has all determines the order; else `here` comes first. */
function appendAll(
  all: ReturnType<typeof allocateBatch>,
  here: TradeBatch,
  a: number,
  endA: number,
  there: TradeBatch,
  b: number,
  endB: number,
): void {
  const { others, free } = othersAt(here, a, endA, there, b, endB);
  if (free === 0 && others.length > 0) {
    appendRows(all, there, b, endB);
    return;
  }
  appendRows(all, here, a, endA);
  for (const row of others) appendRows(all, there, row, row + 1);
}

/** At one time: the rows of `there` without an equal in `here`, and the number of rows of `here` without one. */
function othersAt(
  here: TradeBatch,
  a: number,
  endA: number,
  there: TradeBatch,
  b: number,
  endB: number,
): { readonly others: readonly number[]; readonly free: number } {
  const free = new Set<number>();
  for (let row = a; row < endA; row += 1) free.add(row);
  const others: number[] = [];
  for (let row = b; row < endB; row += 1) {
    const equal = free.values().find((one) => isSame(here, one, there, row));
    if (equal === undefined) others.push(row);
    else free.delete(equal);
  }
  return { others, free: free.size };
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
