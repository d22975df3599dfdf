/** What a day of a contract lacks by its gaps, as readers see it: nothing beyond the watermark, which may still change. */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import { earlier, epochNs, later } from '@tapeloom/core/utc-day';
import type { DaySpan } from './tape.ts';
import type { TapeGap } from './tape-gap.ts';

const NO_SPANS: readonly DaySpan[] = [];

/** Ascending and disjoint. */
export function gapSpans(
  gaps: Iterable<TapeGap>,
  symbol: string,
  day: UtcDay,
  watermark: EpochNs,
): readonly DaySpan[] {
  const midnight = epochNs(day, 0);
  const end = earlier(epochNs(day, DAY_NS), watermark);
  const spans: DaySpan[] = [];
  for (const gap of gaps) {
    if (gap.symbol !== symbol) continue;
    const from = later(gap.from, midnight);
    const to = gap.to === null ? end : earlier(gap.to, end);
    if (from < to) spans.push([Number(from - midnight), Number(to - midnight)]);
  }
  return spans.length === 0 ? NO_SPANS : joined(spans);
}

function joined(spans: DaySpan[]): readonly DaySpan[] {
  spans.sort(([a], [b]) => a - b);
  const disjoint: [number, number][] = [];
  for (const [from, to] of spans) {
    const last = disjoint.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else disjoint.push([from, to]);
  }
  return disjoint;
}
