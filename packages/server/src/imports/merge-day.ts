/**
 * A day on the tape and what a file has of it, as one day. Where both surely have all trades they must agree, trade by
 * trade. Elsewhere a trade that stands on one side only is added, and one that stands on both is one; but for where one
 * ends and the other begins: there equal trades may be two, which nobody can tell who was not told.
 */

import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { allocateBatch, firstRowAt, type TradeBatch } from '@tapeloom/core/trade-batch';
import { DayRows } from '../feeds/day-rows.ts';
import type { PlainTrade } from '../tape/imported/imported-manifest.ts';
import type { DaySpan } from '../tape/tape.ts';

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
    let [a, b] = [rowAt(here, from), rowAt(there, from)];
    const end = rowAt(there, to);
    while (b < end) {
      // Time by time, so that a whole day costs little more than a look at each trade.
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

/** How many trades lie in these spans. */
export function countIn(day: TradeBatch, spans: readonly DaySpan[]): number {
  return spans.reduce((sum, [from, to]) => sum + rowAt(day, to) - rowAt(day, from), 0);
}

/** Some trades as rows, in the order of time. */
export function rowsOf(day: UtcDay, trades: readonly PlainTrade[]): DayRows {
  const rows = new DayRows(day);
  for (const { ns, price, size, side } of trades) rows.add(ns, price, size, side);
  rows.sort();
  return rows;
}

/** The trades in a span, in their order. */
export function tradesIn(day: TradeBatch, [from, to]: DaySpan): readonly PlainTrade[] {
  const [begin, end] = [rowAt(day, from), rowAt(day, to)];
  return Array.from({ length: end - begin }, (_, index) => tradeAt(day, begin + index));
}

/** The day without these trades, each of which takes one equal with it. */
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
  readonly equals: EqualsAtEdges;
}

/** Of two equal trades, one here and one there, where both meet; null: nobody has said. */
export type EqualsAtEdges = 'one' | 'two' | null;

/** A trade that both have where they meet: whether it is one or two has to be said. */
export class EqualAtEdgeError extends Error {
  readonly trade: PlainTrade;

  constructor(trade: PlainTrade) {
    super('equal trades where a file meets existing days');
    this.trade = trade;
  }
}

/** All trades of both; of those at one time, the ones that are here come first, unless they meet there. */
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

/**
 * Trades of one time, each as often as the side has it that has it more often. A side that has all of them tells their
 * order; otherwise those here come first.
 */
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

/** Of trades of one time: the rows there that have no equal here, and how many here have none there. */
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
