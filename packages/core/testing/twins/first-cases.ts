/**
 * The first golden vectors of a new indicator: its defaults and presets over two short trading days with regular hours,
 * with prints at one instant, a sweep, a pause at one price, a trade without an aggressor, and imbalances.
 */

import type { Indicator } from '../../src/studies/indicator.ts';
import type { VectorCase } from './vector-case.ts';

const OPEN_NS = 1_767_571_200_000_000_000n;
const DAY_NS = 86_400_000_000_000n;
const SECOND_NS = 1_000_000_000n;
const HOUR_NS = 3_600n * SECOND_NS;
/** The trades of each day: a pause in whole seconds, then price in ticks, lots and side. */
const DAY: readonly (readonly [rest: number, price: number, size: number, side: number])[] = [
  [3_600, 100, 5, 1],
  [0, 100, 2, -1],
  [1, 101, 4, 1],
  [0, 102, 6, 1],
  [0, 103, 9, 1],
  [1, 103, 1, 0],
  [5, 102, 3, -1],
  [30, 101, 7, -1],
  [60, 101, 40, -1],
  [1, 101, 60, -1],
  [1, 101, 80, -1],
  [20, 102, 2, 1],
  [47_000, 104, 3, 1],
  [1, 106, 5, 1],
  [0, 107, 12, 1],
  [1, 105, 4, -1],
  [300, 103, 8, -1],
  [0, 102, 8, -1],
  [0, 101, 120, -1],
  [2, 99, 10, -1],
  [600, 110, 5, -1],
  [0, 111, 50, 1],
  [0, 111, 5, -1],
  [0, 112, 50, 1],
  [0, 112, 5, -1],
  [0, 113, 50, 1],
  [900, 98, 6, 1],
  [1, 98, 6, -1],
  [7_200, 100, 15, 1],
  [3_600, 104, 1, -1],
];
/** The second day is a little higher. */
const SECOND_DAY_TICKS = 3;

export function firstCases({ presets }: Indicator): readonly VectorCase[] {
  const asked = [{ id: 'defaults', params: {} }, ...presets];
  return asked.map(({ id, params }) => ({
    case: id,
    shows: `Two trading days with regular hours, with ${id === 'defaults' ? 'the defaults' : `the preset ${id}`}.`,
    params,
    sessions: [0n, 1n].map((day) => {
      const open = OPEN_NS + day * DAY_NS;
      const regular = [open + 14n * HOUR_NS, open + 21n * HOUR_NS].map(String);
      return [String(open), String(open + DAY_NS), regular as [string, string]] as const;
    }),
    tape: [0, 1].flatMap(tradesOf),
    until: String(OPEN_NS + 2n * DAY_NS),
  }));
}

function tradesOf(day: number): VectorCase['tape'] {
  let ns = OPEN_NS + BigInt(day) * DAY_NS;
  return DAY.map(([rest, price, size, side]) => {
    ns += BigInt(rest) * SECOND_NS;
    return [String(ns), price + day * SECOND_DAY_TICKS, size, side] as const;
  });
}
