/** Compares the trades of a day on the tape with those in a file. */

import { firstRowAt, type TradeBatch } from '@tapeloom/core/trade-batch';
import type { DaySpan } from '../tape/tape.ts';
import { type Difference, firstDifference } from './merge-day.ts';

export interface DayAgreement {
  /** Trades that both have, regardless of their order at one time. */
  readonly same: number;
  readonly onlyHere: number;
  readonly onlyThere: number;
  /** The first difference; null when both have the same trades in the same order. */
  readonly difference: Difference | null;
}

/** Compares the trades in these spans only. */
export function compareDay(
  here: TradeBatch,
  there: TradeBatch,
  spans: readonly DaySpan[],
): DayAgreement {
  let [same, onlyHere, onlyThere] = [0, 0, 0];
  for (const [from, to] of spans) {
    let [a, b] = [rowAt(here, from), rowAt(there, from)];
    const [endA, endB] = [rowAt(here, to), rowAt(there, to)];
    while (a < endA && b < endB) {
      if (here.ts[a] !== there.ts[b]) {
        if (here.ts[a]! < there.ts[b]!) [a, onlyHere] = [a + 1, onlyHere + 1];
        else [b, onlyThere] = [b + 1, onlyThere + 1];
        continue;
      }
      const [nextA, nextB] = [endOfTime(here, a, endA), endOfTime(there, b, endB)];
      const equal = countEqual(rowKeys(here, a, nextA), rowKeys(there, b, nextB));
      same += equal;
      onlyHere += nextA - a - equal;
      onlyThere += nextB - b - equal;
      [a, b] = [nextA, nextB];
    }
    onlyHere += endA - a;
    onlyThere += endB - b;
  }
  return { same, onlyHere, onlyThere, difference: firstDifference(here, there, spans) };
}

/** How many can be paired with an equal one of the others. */
function countEqual(some: readonly string[], others: readonly string[]): number {
  const left = new Map<string, number>();
  for (const key of some) left.set(key, (left.get(key) ?? 0) + 1);
  let equal = 0;
  for (const key of others) {
    const count = left.get(key) ?? 0;
    if (count === 0) continue;
    left.set(key, count - 1);
    equal += 1;
  }
  return equal;
}

function rowKeys({ price, size, side }: TradeBatch, from: number, to: number): string[] {
  const keys: string[] = [];
  for (let row = from; row < to; row += 1) keys.push(`${price[row]} ${size[row]} ${side[row]}`);
  return keys;
}

function endOfTime({ ts }: TradeBatch, row: number, end: number): number {
  let next = row + 1;
  while (next < end && ts[next] === ts[row]) next += 1;
  return next;
}

function rowAt({ ts, count }: TradeBatch, ns: number): number {
  return firstRowAt(ts, 0, count, ns);
}
