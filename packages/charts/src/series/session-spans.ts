/** The sessions of one kind, as the studies count them, from the trading days that a chart knows. */

import type { BarChoice } from '../spec/chart-spec.ts';
import type { SessionSpan } from './sessions.ts';

export interface Span {
  readonly openNs: bigint;
  readonly closeNs: bigint;
}

const DAY_NS = 86_400_000_000_000n;

/** `days` ascend and do not overlap, and so do the spans. */
export function spansOf(kind: BarChoice['session'], days: readonly SessionSpan[]): readonly Span[] {
  switch (kind) {
    case 'full':
      return days;
    case 'rth':
      return days.flatMap(({ regular }) => regular ?? []);
    case 'utc':
      return utcDays(days);
    default:
      throw new RangeError(`unknown kind of session: ${kind satisfies never}`);
  }
}

/** Each calendar day on which the market is open at any time. */
function utcDays(days: readonly SessionSpan[]): readonly Span[] {
  const spans: Span[] = [];
  let next: bigint | null = null;
  for (const { openNs, closeNs } of days) {
    const first: bigint = midnightOf(openNs);
    for (
      let at: bigint = next === null || first > next ? first : next;
      at < closeNs;
      at += DAY_NS
    ) {
      spans.push({ openNs: at, closeNs: at + DAY_NS });
      next = at + DAY_NS;
    }
  }
  return spans;
}

function midnightOf(ns: bigint): bigint {
  const since = ns % DAY_NS;
  return ns - (since < 0n ? since + DAY_NS : since);
}
