/** Spans of time: within a UTC day in nanoseconds, or between instants. All lists are ascending and disjoint. */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS, DAY_NS_BIG } from '@tapeloom/core/units';
import { epochNs } from '@tapeloom/core/utc-day';
import type { DaySpan } from '../tape/tape.ts';

/** From (inclusive) to (exclusive). */
export interface InstantRange {
  readonly from: EpochNs;
  readonly to: EpochNs;
}

/** The parts of the ranges that lie on a day. */
export function spansOnDay(ranges: readonly InstantRange[], day: UtcDay): readonly DaySpan[] {
  const midnight = epochNs(day, 0);
  const spans: DaySpan[] = [];
  for (const { from, to } of ranges) {
    if (to <= midnight || from >= midnight + DAY_NS_BIG) continue;
    const fromNs = from <= midnight ? 0 : Number(from - midnight);
    const toNs = to - midnight >= DAY_NS_BIG ? DAY_NS : Number(to - midnight);
    if (fromNs < toNs) spans.push([fromNs, toNs]);
  }
  return unionOf(spans, []);
}

export function unionOf(a: readonly DaySpan[], b: readonly DaySpan[]): readonly DaySpan[] {
  const all = [...a, ...b].sort(([one], [other]) => one - other);
  const joined: [number, number][] = [];
  for (const [from, to] of all) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

export function intersectionOf(a: readonly DaySpan[], b: readonly DaySpan[]): readonly DaySpan[] {
  return a.flatMap(([from, to]) =>
    b.flatMap(([otherFrom, otherTo]): DaySpan[] => {
      const [begin, end] = [Math.max(from, otherFrom), Math.min(to, otherTo)];
      return begin < end ? [[begin, end]] : [];
    }),
  );
}

/** The parts of `a` outside `b`. */
export function differenceOf(a: readonly DaySpan[], b: readonly DaySpan[]): readonly DaySpan[] {
  let rest = a;
  for (const [from, to] of b) {
    rest = rest.flatMap(([begin, end]): DaySpan[] => {
      if (to <= begin || from >= end) return [[begin, end]];
      const around: DaySpan[] = [
        [begin, from],
        [to, end],
      ];
      return around.filter(([one, other]) => one < other);
    });
  }
  return rest;
}

export function isSameSpans(a: readonly DaySpan[], b: readonly DaySpan[]): boolean {
  return (
    a.length === b.length && a.every(([from, to], at) => b[at]![0] === from && b[at]![1] === to)
  );
}

export function commonRange(a: InstantRange, b: InstantRange): InstantRange | null {
  const from = a.from > b.from ? a.from : b.from;
  const to = a.to < b.to ? a.to : b.to;
  return from < to ? { from, to } : null;
}

/** The union, ascending and disjoint. */
export function joinedRanges(ranges: readonly InstantRange[]): readonly InstantRange[] {
  const joined: InstantRange[] = [];
  for (const range of ranges.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = joined.at(-1);
    if (last === undefined || range.from > last.to) joined.push(range);
    else if (range.to > last.to) joined[joined.length - 1] = { from: last.from, to: range.to };
  }
  return joined;
}
